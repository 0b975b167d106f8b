#include "tools/bots/trace_director.h"

#include "tools/bots/swarm.h"

#include <chrono>
#include <utility>

namespace marchland::bots {

TraceDirector::TraceDirector(trace::Trace trace, TraceCast cast, double speed, Instant start)
    : trace_(std::move(trace)),
      cast_(std::move(cast)),
      speed_(speed),
      start_(start),
      has_joined_(cast_.players) {}

void TraceDirector::advance(Instant now, Swarm& swarm) {
    const std::chrono::duration<double, std::nano> played = (now - start_) * speed_;
    const std::int64_t time_ns =
        trace_.ticks.front().time_ns + static_cast<std::int64_t>(played.count());
    for (; next_tick_ < trace_.ticks.size() && trace_.ticks[next_tick_].time_ns <= time_ns;
         ++next_tick_) {
        for (; next_sample_ < trace_.ticks[next_tick_].samples_end; ++next_sample_) {
            const PlayerIndex player = cast_.player_of_sample[next_sample_];
            const engine::Position at = trace_.samples[next_sample_].at;
            if (has_joined_[to_number(player)]) {
                swarm.move(player, at);
            } else {
                has_joined_[to_number(player)] = true;
                swarm.join(player, at);
            }
        }
    }
    for (; next_exit_ < cast_.exits.size() && cast_.exits[next_exit_].time_ns <= time_ns;
         ++next_exit_) {
        swarm.leave(cast_.exits[next_exit_].player);
    }
}

}  // namespace marchland::bots
