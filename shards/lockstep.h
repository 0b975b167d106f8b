#pragma once

#include "shards/zone.h"

#include <span>

namespace marchland::shards {

/// Runs a zone by hand: no sockets, no clock, no threads of its own. The same shard code as in
/// production; tests, replays and runs over movement traces all use it. A shard is retired after
/// the step that drained it.
class Lockstep {
public:
    explicit Lockstep(Zone& zone) : zone_(zone), tick_(zone.tick()) {}

    /// Runs one whole tick of every shard on the calling thread and returns its number, from the
    /// one after the zone's start.
    engine::Tick step() { return step_with_late({}); }

    /// Runs tick `tick`, and none of those before it that have not been run: as shards do that have
    /// overrun.
    void step_to(engine::Tick tick);

    /// As step(), but these shards overrun (those among them that run): the others go on without
    /// them, and they finish the tick afterwards.
    engine::Tick step_with_late(std::span<const ShardId> late);

    /// One shard's tick by halves, whatever the others do: so a shard may be late over several
    /// ticks, and skip some. Between the two, and between its ticks, others may run theirs. `tick`:
    /// the same for both, greater than that of its last one. Retires nobody: see Zone::retire. Not
    /// to be mixed with steps.
    void begin(ShardId shard, engine::Tick tick);
    void finish(ShardId shard, engine::Tick tick);

    /// The layout, for which the zone has room and whose world it tiles, is in force from the tick
    /// that is returned on: the next one, or one more for each that was changed to since the last
    /// step.
    engine::Tick change_layout(Layout layout);

    /// From the next step on, as an overloaded zone would choose it.
    void set_pace(Pace pace) { pace_ = pace; }

private:
    [[nodiscard]] OnShard in_tick(engine::Tick tick) const;
    void retire_drained();

    Zone& zone_;
    engine::Tick tick_;
    Pace pace_;
};

}  // namespace marchland::shards
