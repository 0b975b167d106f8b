#pragma once

#include "engine/index_factory.h"
#include "engine/space.h"
#include "tools/bench/contender.h"

#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {

/// An entity of a workload: its number is its id.
engine::Entity entity_at(std::uint32_t number, engine::Position at, const Senses& senses);

/// For all that make an index for a workload.
engine::IndexOptions index_options(const Workload& workload);

/// engine::Space as a shard uses it: moves, then frames. An entity's number is its id and its slot.
///
/// One move at a time is a tick of its own for each, in which everyone is told what it changed.
class SpaceContender final : public Contender {
public:
    /// `index_name` is one of engine::index_names().
    SpaceContender(std::string_view index_name, const Workload& workload,
                   std::span<const engine::Position> at);

    [[nodiscard]] std::string_view name() const override { return name_; }
    EventTotals run_tick(std::span<const engine::Position> to) override;
    EventTotals run_moves(std::span<const Move> moves) override;

private:
    const std::string name_;
    engine::Space space_;
    engine::Tick now_ = engine::kNever;
    EventTotals totals_;      ///< of the call that runs
    engine::FrameSink sink_;  ///< made once: it adds to totals_
    std::vector<engine::Slot> everyone_;
};

}  // namespace marchland::bench
