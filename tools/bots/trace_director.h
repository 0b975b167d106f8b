#pragma once

#include "tools/bots/director.h"
#include "tools/bots/trace_cast.h"
#include "tools/trace_file/trace_file.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::bots {

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
