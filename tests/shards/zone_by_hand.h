#pragma once

#include "shards/lockstep.h"
#include "shards/zone.h"
#include "tests/shards/recording_port.h"
#include "tests/shards/sent_frame.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace marchland::tests {

/// Distances that keep the numbers in the tests small: views leave at 10 mm, borders hold 3 mm.
inline constexpr std::int32_t kLeaveRadiusMm = 10;
inline constexpr std::int32_t kHysteresisMm = 3;

/// A world of 100 * 100 mm, cut into columns * rows.
shards::ZoneOptions small_world();
shards::Layout small_layout(std::uint32_t columns, std::uint32_t rows);

/// The shards of a world of two columns.
inline constexpr shards::ShardId kWest{0};
inline constexpr shards::ShardId kEast{1};

/// A small zone that is driven tick by tick.
class ZoneByHand {
public:
    ZoneByHand(std::uint32_t columns, std::uint32_t rows)
        : ZoneByHand(small_world(), small_layout(columns, rows)) {}
    ZoneByHand(const shards::ZoneOptions& options, shards::Layout layout)
        : zone_(options, std::move(layout), outlet_), lockstep_(zone_) {}

    /// Joins in the next tick. It sees up to kLeaveRadiusMm, and everybody else's layer.
    std::shared_ptr<RecordingPort> add(std::uint64_t id, engine::Position at);
    std::shared_ptr<RecordingPort> add(const engine::Entity& entity, bool takes_frames = true);

    engine::Tick step() { return lockstep_.step(); }
    /// Of the ticks from now on.
    void set_pace(const shards::Pace& pace) { lockstep_.set_pace(pace); }
    engine::Tick step_with_late(std::vector<shards::ShardId> late) {
        return lockstep_.step_with_late(late);
    }
    /// Nobody runs the ticks before it.
    void step_over_to(engine::Tick tick) { lockstep_.step_to(tick); }
    /// One shard's tick by halves, as Lockstep has them.
    void begin(shards::ShardId shard, engine::Tick tick) { lockstep_.begin(shard, tick); }
    void finish(shards::ShardId shard, engine::Tick tick) { lockstep_.finish(shard, tick); }
    engine::Tick change_layout(shards::Layout layout) {
        return lockstep_.change_layout(std::move(layout));
    }
    /// Moves the entity by its port and runs the tick.
    engine::Tick step_to(RecordingPort& port, engine::Position to);

    /// The shards that own the entity: exactly one, when all is well.
    [[nodiscard]] std::vector<shards::ShardId> owners_of(std::uint64_t id);
    [[nodiscard]] shards::ShardMetrics& metrics(int shard) {
        return zone_.metrics(static_cast<shards::ShardId>(shard));
    }
    [[nodiscard]] shards::Zone& zone() { return zone_; }

private:
    SilentOutlet outlet_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
};

/// An entity like those of ZoneByHand::add.
engine::Entity entity_at(std::uint64_t id, engine::Position at);

std::vector<engine::Leave> leaves(std::vector<std::pair<std::uint64_t, engine::LeaveReason>> all);
std::vector<std::uint64_t> entered_ids(const SentFrame& frame);
std::vector<std::uint64_t> moved_ids(const SentFrame& frame);

}  // namespace marchland::tests
