#pragma once

#include <cstddef>
#include <cstdint>

namespace marchland::bots {

/// Which of this process's players: from 0, dense, never used again in a run.
enum class PlayerIndex : std::uint32_t {};

constexpr std::size_t to_number(PlayerIndex player) {
    return static_cast<std::size_t>(player);
}

}  // namespace marchland::bots
