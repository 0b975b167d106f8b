#pragma once

#include <cstdint>

namespace marchland::net {

/// What a player may send of one kind. Nothing when per_second_max is 0.
struct SendLimit {
    std::uint32_t per_second_max = 0;
    std::uint32_t bytes_max = 0;

    friend bool operator==(const SendLimit&, const SendLimit&) = default;
};

}  // namespace marchland::net
