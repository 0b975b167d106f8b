#pragma once

#include "engine/index.h"
#include "tools/bench/contender.h"
#include "tools/bench/hash_grid.h"
#include "tools/bench/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {

/// The indexes by themselves, without visible sets and frames: in a tick everyone moves, then each
/// asks who is in view, in no order. All of those are EventTotals::seen, and nothing else is counted.
/// For workloads whose views are circles of one radius, in one layer: see is_plain().
class HashGridQueries final : public Contender {
public:
    HashGridQueries(const Workload& workload, std::span<const engine::Position> at);

    [[nodiscard]] std::string_view name() const override { return "hash_grid"; }
    EventTotals run_tick(std::span<const engine::Position> to) override;

private:
    const std::int32_t radius_mm_;
    HashGrid grid_;
    std::vector<std::uint32_t> found_;
};

class IndexQueries final : public Contender {
public:
    /// `index_name` is one of engine::index_names(), `ordered_cells` or `unordered_cells`.
    IndexQueries(std::string_view index_name, const Workload& workload,
                 std::span<const engine::Position> at);

    [[nodiscard]] std::string_view name() const override { return name_; }
    EventTotals run_tick(std::span<const engine::Position> to) override;

private:
    const std::string name_;
    const std::int32_t radius_mm_;
    std::unique_ptr<engine::Index> index_;
    std::vector<engine::Position> at_;  ///< by entity, which is its slot
    std::vector<engine::Slot> found_;
};

}  // namespace marchland::bench
