#pragma once

#include "tools/bots/director.h"
#include "tools/bots/zone.h"
#include "tools/trace_file/trace_file.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace marchland::bots {

/// Who plays what in a trace: each life of an entity is one player. A life begins with a sample and
/// ends `hold` after the last one; a sample after that begins another life of the same entity.
///
/// Memory   4 bytes a sample, beside the trace's own.
struct TraceCast {
    struct Exit {
        std::int64_t time_ns = 0;
        PlayerIndex player{};
    };

    std::vector<PlayerIndex> player_of_sample;  ///< as Trace::samples
    std::vector<Exit> exits;                    ///< in ascending time; none when lives do not end
    std::size_t players = 0;
    std::size_t live_max = 0;  ///< lives at once
};

/// Without `hold_ns` no life ends.
TraceCast cast_trace(const trace::Trace& trace, std::optional<std::int64_t> hold_ns);

/// One and a half of the usual time between two samples of an entity; nothing when no entity has
/// two.
std::optional<std::int64_t> usual_hold_ns(const trace::Trace& trace);

/// Nothing when the world holds every sample; otherwise a sentence with both extents, in metres.
std::optional<std::string> why_not_in(const World& world, const trace::Trace& trace);

/// Plays a trace: an entity joins at its first sample, goes where its samples say when they say it,
/// and leaves some time after the last one.
///
/// Units    `speed` is trace seconds per second.
class TraceDirector final : public Director {
public:
    TraceDirector(trace::Trace trace, TraceCast cast, double speed, Instant start);

    void advance(Instant now, Swarm& swarm) override;
    [[nodiscard]] bool has_more_to_join() const override {
        return next_tick_ < trace_.ticks.size();
    }
    /// Entities come and go as long as it lasts: all of it counts.
    [[nodiscard]] bool is_complete(const Swarm&) const override { return true; }
    [[nodiscard]] std::uint64_t late_steps() const override { return 0; }

private:
    const trace::Trace trace_;
    const TraceCast cast_;
    const double speed_;
    const Instant start_;
    std::vector<bool> has_joined_;  ///< by player
    std::size_t next_tick_ = 0;
    std::size_t next_sample_ = 0;
    std::size_t next_exit_ = 0;
};

}  // namespace marchland::bots
