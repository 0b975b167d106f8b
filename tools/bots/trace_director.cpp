#include "tools/bots/trace_director.h"

#include "tools/bots/swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

namespace marchland::bots {

namespace {

struct Life {
    PlayerIndex player{};
    std::int64_t last_ns = 0;
};
using Lives = std::unordered_map<engine::EntityId, Life>;

/// Calls `visit(time_ns, sample)` for each sample, in the order of the trace.
template <typename Visit>
void for_each_sample(const trace::Trace& trace, Visit&& visit) {
    for (std::size_t tick = 0; tick < trace.ticks.size(); ++tick) {
        for (const trace::TraceSample& sample : trace.samples_of(tick)) {
            visit(trace.ticks[tick].time_ns, sample);
        }
    }
}

std::size_t most_at_once(const std::vector<std::int64_t>& begins_ns,
                         const std::vector<TraceCast::Exit>& exits) {
    std::size_t ended = 0;
    std::size_t most = 0;
    for (std::size_t begun = 0; begun < begins_ns.size(); ++begun) {
        while (ended < exits.size() && exits[ended].time_ns < begins_ns[begun]) {
            ++ended;
        }
        most = std::max(most, begun + 1 - ended);
    }
    return most;
}

}  // namespace

TraceCast cast_trace(const trace::Trace& trace, std::optional<std::int64_t> hold_ns) {
    TraceCast cast;
    cast.player_of_sample.reserve(trace.samples.size());
    Lives lives;
    std::vector<std::int64_t> begins_ns;  // by player, and so in ascending time
    for_each_sample(trace, [&](std::int64_t time_ns, const trace::TraceSample& sample) {
        const auto next = static_cast<PlayerIndex>(begins_ns.size());
        const auto [found, is_new] = lives.try_emplace(sample.id, Life{next, time_ns});
        Life& life = found->second;
        const bool has_ended = hold_ns && time_ns - life.last_ns > *hold_ns;
        if (has_ended) {
            cast.exits.push_back({life.last_ns + *hold_ns, life.player});
            life.player = next;
        }
        if (is_new || has_ended) {
            begins_ns.push_back(time_ns);
        }
        life.last_ns = time_ns;
        cast.player_of_sample.push_back(life.player);
    });
    if (hold_ns) {
        for (const auto& [id, life] : lives) {
            cast.exits.push_back({life.last_ns + *hold_ns, life.player});
        }
    }
    std::sort(cast.exits.begin(), cast.exits.end(),
              [](const TraceCast::Exit& a, const TraceCast::Exit& b) {
                  return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.player < b.player;
              });
    cast.players = begins_ns.size();
    cast.live_max = most_at_once(begins_ns, cast.exits);
    return cast;
}

std::optional<std::int64_t> usual_hold_ns(const trace::Trace& trace) {
    std::unordered_map<engine::EntityId, std::int64_t> last_ns;
    std::vector<std::int64_t> intervals_ns;
    for_each_sample(trace, [&](std::int64_t time_ns, const trace::TraceSample& sample) {
        const auto [found, is_new] = last_ns.try_emplace(sample.id, time_ns);
        if (!is_new && time_ns > found->second) {
            intervals_ns.push_back(time_ns - found->second);
            found->second = time_ns;
        }
    });
    if (intervals_ns.empty()) {
        return std::nullopt;
    }
    const auto median = intervals_ns.begin() + static_cast<std::ptrdiff_t>(intervals_ns.size() / 2);
    std::nth_element(intervals_ns.begin(), median, intervals_ns.end());
    return *median + *median / 2;
}

std::optional<std::string> why_not_in(const World& world, const trace::Trace& trace) {
    const auto [low, high] = std::minmax_element(
        trace.samples.begin(), trace.samples.end(),
        [](const trace::TraceSample& a, const trace::TraceSample& b) { return a.at.z < b.at.z; });
    const engine::Rect& extent = trace.extent;
    const bool fits = extent.min_x >= world.min.x && extent.max_x <= world.max.x &&
                      extent.min_y >= world.min.y && extent.max_y <= world.max.y &&
                      low->at.z >= world.min.z && high->at.z <= world.max.z;
    if (fits) {
        return std::nullopt;
    }
    const auto metres = [](std::int64_t mm) { return static_cast<double>(mm) / 1000.0; };
    return fmt::format(
        "the server's world does not hold the trace\n"
        "  trace: x {:.3f} to {:.3f}, y {:.3f} to {:.3f}, z {:.3f} to {:.3f} m\n"
        "  world: x {:.3f} to {:.3f}, y {:.3f} to {:.3f}, z {:.3f} to {:.3f} m",
        metres(extent.min_x), metres(extent.max_x), metres(extent.min_y), metres(extent.max_y),
        metres(low->at.z), metres(high->at.z), metres(world.min.x), metres(world.max.x),
        metres(world.min.y), metres(world.max.y), metres(world.min.z), metres(world.max.z));
}

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
