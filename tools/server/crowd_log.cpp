#include "tools/server/crowd_log.h"

#include <fmt/format.h>

namespace marchland::server {

std::optional<std::string> CrowdLog::line_for(const Status& status, Clock::time_point now) {
    const Totals& last = status.since_last;
    const bool is_limited = last.frames_capped + last.frames_slowed + last.frames_over_budget != 0;
    if (is_limited == is_sent_ || (sent_at_ && now - *sent_at_ < kPause)) {
        return std::nullopt;
    }
    is_sent_ = is_limited;
    sent_at_ = now;
    if (!is_limited) {
        return "crowd: every client is told all that it could see";
    }
    return fmt::format(
        "crowd: clients are told less than they could see: {} frames capped, {} "
        "slowed, {} over budget",
        last.frames_capped, last.frames_slowed, last.frames_over_budget);
}

}  // namespace marchland::server
