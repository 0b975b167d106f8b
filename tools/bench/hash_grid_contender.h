#pragma once

#include "tools/bench/contender.h"
#include "tools/bench/hash_grid.h"
#include "tools/bench/workload.h"

#include <cstdint>
#include <vector>

namespace marchland::bench {

/// HashGrid with a visible set per watcher, a sorted array: whoever is in range is queried and
/// sorted, and what is only in the new or only in the old set are the events. Between the enter and
/// the leave radius the old set decides, which costs a bit in the sorted numbers and no look-up. For usual workloads: see is_usual().
class HashGridContender final : public Contender {
public:
    HashGridContender(const Workload& workload, std::span<const engine::Position> at);

    [[nodiscard]] std::string_view name() const override { return "hash_grid"; }
    EventTotals run_tick(std::span<const engine::Position> to) override;
    EventTotals run_moves(std::span<const Move> moves) override;

private:
    /// Squared distances, ready to be compared.
    struct Range {
        std::int64_t enter = 0;
        std::int64_t leave = 0;
    };

    void compare(std::uint32_t watcher);
    void query(std::uint32_t watcher);
    void tell_mutual_watchers(std::uint32_t mover, EventTotals& totals);
    void tell_watchers_around(std::uint32_t mover, engine::Position from, EventTotals& totals);
    void tell_watcher(const HashGrid::Entry& watcher, std::uint32_t mover, engine::Position from,
                      engine::Position to, EventTotals& totals);

    const bool is_mutual_;
    const std::vector<Senses> senses_;  ///< by entity
    std::vector<Range> ranges_;         ///< by entity
    HashGrid grid_;
    std::vector<std::vector<std::uint32_t>> visible_;  ///< by watcher, ascending
    std::vector<char> has_moved_;                      ///< by entity, in this tick

    // Of one watcher; scratch memory. Each ascending.
    std::vector<std::uint32_t> in_range_;  ///< entity * 2, + 1 beyond the enter radius
    std::vector<std::uint32_t> now_visible_;
    std::vector<std::uint32_t> enters_;
    std::vector<std::uint32_t> leaves_;
    std::vector<std::uint32_t> stays_;
    std::vector<std::uint32_t> moves_;
};

}  // namespace marchland::bench
