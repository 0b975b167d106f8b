#include "tests/tools/trace_oracle.h"

#include "tests/engine/exact_distance.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace marchland::trace {
namespace {

using Pair = std::pair<std::uint64_t, std::uint64_t>;  ///< watcher, target

struct Alive {
    engine::Position at;
    std::int64_t last_ns = 0;
};

/// Live entities and who sees whom, after one tick.
struct Moment {
    std::map<std::uint64_t, Alive> alive;
    std::set<Pair> visible;
};

Moment next_moment(const Moment& before, const Trace& trace, std::size_t tick,
                   const RunOptions& options) {
    Moment now{before.alive, {}};
    const std::int64_t now_ns = trace.ticks[tick].time_ns;
    for (const TraceSample& sample : trace.samples_of(tick)) {
        engine::Position at = sample.at;
        if (options.dimensions == engine::Dimensions::two) at.z = 0;
        now.alive[engine::to_number(sample.id)] = {at, now_ns};
    }
    if (options.hold_ns) {
        std::erase_if(now.alive, [&](const auto& entry) {
            return now_ns - entry.second.last_ns > *options.hold_ns;
        });
    }
    for (const auto& [watcher, its] : now.alive) {
        for (const auto& [target, other] : now.alive) {
            if (watcher != target && engine::testing::is_within_by_the_textbook(
                                         its.at, other.at, options.radius_mm, options.dimensions)) {
                now.visible.insert({watcher, target});
            }
        }
    }
    return now;
}

/// E, L or M for one pair of a live watcher, or nothing.
char event_of(const Moment& before, const Moment& now, const Pair& pair) {
    const bool was = before.visible.contains(pair);
    const bool is = now.visible.contains(pair);
    if (is && !was) return 'E';
    if (was && !is) return 'L';
    const bool has_moved = is && now.alive.at(pair.second).at != before.alive.at(pair.second).at;
    return has_moved ? 'M' : '\0';
}

/// Of whom is this watcher sent an event of that kind? Whoever lives now or did before may be one.
std::set<std::uint64_t> targets_of(const Moment& before, const Moment& now, std::uint64_t watcher,
                                   char kind) {
    std::map<std::uint64_t, Alive> candidates = now.alive;
    candidates.insert(before.alive.begin(), before.alive.end());
    std::set<std::uint64_t> targets;
    for (const auto& [target, other] : candidates) {
        if (event_of(before, now, {watcher, target}) == kind) targets.insert(target);
    }
    return targets;
}

}  // namespace

OracleAnswer ask_oracle(const Trace& trace, const RunOptions& options) {
    OracleAnswer answer;
    std::ostringstream lines;
    Moment before;
    for (std::size_t tick = 0; tick < trace.ticks.size(); ++tick) {
        const Moment now = next_moment(before, trace, tick, options);
        for (const auto& [watcher, its] : now.alive) {
            for (const auto& [kind, count] :
                 {std::pair{'E', &answer.enter}, {'L', &answer.leave}, {'M', &answer.move}}) {
                for (const std::uint64_t target : targets_of(before, now, watcher, kind)) {
                    lines << tick << ',' << watcher << ',' << kind << ',' << target << '\n';
                    ++*count;
                }
            }
        }
        before = now;
    }
    answer.lines = lines.str();
    return answer;
}

OracleAnswer run_zone(const Trace& trace, const RunOptions& options, const shards::Layout& layout) {
    OracleAnswer answer;
    EventLog log([&answer](std::string_view lines) { answer.lines += lines; });
    TraceRun run(trace, options, layout, log);
    while (!run.is_done()) {
        run.step();
    }
    EXPECT_EQ(log.digest(), digest_by_hand(answer.lines));
    answer.enter = log.enter_count();
    answer.leave = log.leave_count();
    answer.move = log.move_count();
    return answer;
}

std::uint64_t digest_by_hand(const std::string& text) {
    std::uint64_t hash = 14'695'981'039'346'656'037U;
    for (const char c : text) {
        hash =
            (hash ^ static_cast<std::uint64_t>(static_cast<unsigned char>(c))) * 1'099'511'628'211U;
    }
    return hash;
}

Trace trace_of(const std::string& text) {
    std::istringstream in(text);
    auto result = read_trace(in, "walk.csv");
    if (const auto* error = std::get_if<config::Diagnostic>(&result)) {
        ADD_FAILURE() << config::to_text(*error) << '\n' << text;
        return {};
    }
    return std::get<Trace>(std::move(result));
}

shards::Layout grid_layout(const Trace& trace, std::uint32_t columns, std::uint32_t rows) {
    return std::get<shards::Layout>(shards::Layout::grid(trace.extent, columns, rows));
}

/// +--+-----------+     a: a third of the width, the whole height
/// |  |     b     |     b: an eighth of the height
/// |  +--+--------+     c, d, e: slices one thousandth, a quarter and the rest of what remains
/// |a |c|d|   e   |     f: an eighth of the height again
/// |  +-----------+
/// |  |     f     |
/// +--+-----------+
shards::Layout irregular_layout(const Trace& trace) {
    const engine::Rect all = trace.extent;
    const std::int64_t width = all.max_x - all.min_x + 1;
    const std::int64_t height = all.max_y - all.min_y + 1;
    const std::int64_t x1 = all.min_x + width / 3;
    const std::int64_t x2 = x1 + 1;
    const std::int64_t x3 = x2 + width / 4;
    const std::int64_t y1 = all.min_y + height / 8;
    const std::int64_t y2 = all.max_y - height / 8;
    return std::get<shards::Layout>(
        shards::Layout::from_regions(all, {{"a", {all.min_x, all.min_y, x1 - 1, all.max_y}},
                                           {"b", {x1, y2 + 1, all.max_x, all.max_y}},
                                           {"c", {x1, y1, x2 - 1, y2}},
                                           {"d", {x2, y1, x3 - 1, y2}},
                                           {"e", {x3, y1, all.max_x, y2}},
                                           {"f", {x1, all.min_y, all.max_x, y1 - 1}}}));
}

}  // namespace marchland::trace
