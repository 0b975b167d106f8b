#include "tools/server/warnings.h"

#include <fmt/format.h>

namespace marchland::server {

namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

struct Sight {
    const char* what;      ///< that there were so many of
    std::uint64_t count;   ///< since the last status
    std::string detail{};  ///< of this second
};

std::array<Sight, 7> sights_of(const Status& status) {
    const Totals& last = status.since_last;
    const bool is_behind = status.state_age >= Warnings::kStateAge;
    const bool is_hot = status.hot_percent >= Warnings::kHotPercent;
    return {
        {{"late ticks", last.ticks_late, fmt::format(", {} ticks skipped", last.ticks_skipped)},
         {"frames left out, whose clients were not ready", last.frames_skipped},
         {"frames with less than their clients could see",
          last.frames_capped + last.frames_slowed + last.frames_over_budget,
          fmt::format(": {} capped, {} slowed, {} over budget", last.frames_capped,
                      last.frames_slowed, last.frames_over_budget)},
         {"batches of frames that waited for an I/O thread", last.io_waits},
         {"seconds with a hot shard", is_hot ? 1U : 0U,
          fmt::format(": '{}' works for {} % of its ticks", status.hot_shard, status.hot_percent)},
         {"seconds in which the state was not written", is_behind ? 1U : 0U,
          fmt::format(": it is {} s behind, and a crash costs as much",
                      duration_cast<seconds>(status.state_age).count())},
         {"seconds in which nobody could join", status.has_room ? 0U : 1U,
          fmt::format(": {} entities, and {} that left and are remembered", status.entities,
                      status.departures)}}};
}

}  // namespace

std::vector<std::string> Warnings::lines_for(const Status& status, Clock::time_point now) {
    std::vector<std::string> lines;
    const auto sights = sights_of(status);
    for (std::size_t i = 0; i < sights.size(); ++i) {
        const Sight& sight = sights[i];
        Kind& kind = kinds_[i];
        if (sight.count != 0) {
            const bool is_first = !kind.lasts;
            if (is_first) {
                kind = {true, 0, 0, now, {}, now};
            }
            kind.seen = now;
            kind.count += sight.count;
            kind.total += sight.count;
            if (is_first || now - kind.said >= kRepeat) {
                lines.push_back(fmt::format("{} {}{}{}", kind.count, sight.what, sight.detail,
                                            is_first ? "" : " (it goes on)"));
                kind.count = 0;
                kind.said = now;
            }
        } else if (kind.lasts && now - kind.seen >= kQuiet) {
            lines.push_back(
                fmt::format("no more {}: it is over, {} in {} s", sight.what, kind.total,
                            duration_cast<seconds>(kind.seen - kind.began).count() + 1));
            kind.lasts = false;
        }
    }
    return lines;
}

}  // namespace marchland::server
