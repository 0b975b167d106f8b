#pragma once

#include "tools/server/status.h"

#include <chrono>
#include <optional>
#include <string>

namespace marchland::server {

/// When clients begin, or cease, to be told less than they could see, the log says so: contract
/// point 7. A crowd that comes and goes gives a line in kPause at most.
class CrowdLog {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kPause = std::chrono::seconds(10);

    /// For each status, in order. The line to be logged, if there is one.
    std::optional<std::string> line_for(const Status& status, Clock::time_point now);

private:
    bool is_sent_ = false;  ///< that the limits are at work
    std::optional<Clock::time_point> sent_at_;
};

}  // namespace marchland::server
