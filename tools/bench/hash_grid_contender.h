#pragma once

#include "tools/bench/contender.h"
#include "tools/bench/hash_grid.h"

#include <cstdint>
#include <vector>

namespace marchland::bench {

/// HashGrid with a visible set per watcher, a sorted array: the new set is queried, and what is only
/// in the new or only in the old one are the events.
class HashGridContender final : public Contender {
public:
    explicit HashGridContender(std::span<const engine::Position> at);

    [[nodiscard]] std::string_view name() const override { return "hash_grid"; }
    EventTotals run_tick(std::span<const engine::Position> to) override;
    EventTotals run_moves(std::span<const Move> moves) override;

private:
    void compare(std::uint32_t watcher);
    void tell_watchers_of(std::uint32_t mover, EventTotals& totals);

    HashGrid grid_;
    std::vector<std::vector<std::uint32_t>> visible_;  ///< by watcher, ascending
    std::vector<char> has_moved_;                      ///< by entity, in this tick

    // Of one watcher; scratch memory. Each ascending.
    std::vector<std::uint32_t> now_visible_;
    std::vector<std::uint32_t> enters_;
    std::vector<std::uint32_t> leaves_;
    std::vector<std::uint32_t> stays_;
    std::vector<std::uint32_t> moves_;
};

}  // namespace marchland::bench
