#pragma once

#include "tests/properties/history.h"
#include "tests/properties/stage.h"
#include "tests/properties/stream.h"

#include <cstdint>

namespace marchland::tests {

/// A history that can be played where nobody can say in which tick a join arrives: everybody joins
/// in tick 1, unseen and seeing nothing, and wakes when it is its time. Nobody joins twice.
History with_all_joins_first(const History& history);

struct ThreadedRun {
    Recording recording;
    /// The first tick that some shard did not run, since the machine was too busy to start it
    /// before the next one was due, or of which nobody can say that it had all batches; at most one
    /// more than the history has. Up to there the run is exact; from there on a port's wishes come
    /// in other ticks than under lockstep.
    engine::Tick first_skipped = engine::kNever;
};

/// Plays a history on ZoneThreads: real threads, the real gate, the real clock.
ThreadedRun play_on_threads(const Stage& stage, const History& history);
/// The same, held up at random wherever one shard hands something to another.
ThreadedRun play_on_shaky_threads(const Stage& stage, const History& history, std::uint64_t seed);

/// As above, while the layout changes to these, one after the other, in whatever ticks it comes to.
/// Where a tick was skipped or a border was stale, which nobody can then say of whom, nothing of
/// the run counts: `first_skipped` is 1.
ThreadedRun play_on_changing_threads(const Stage& stage, const History& history,
                                     const Relayouts& changes);

}  // namespace marchland::tests
