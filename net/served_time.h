#pragma once

#include "net/token_bucket.h"

namespace marchland::net {

/// Time in which a server was there for its clients. While it stalls (no processor, a stopped
/// machine, a blocked write) clients wait for it, and go on sending: that time counts for no
/// deadline, and what they may send in it they may send at once afterwards.
///
/// Whoever serves reports at every turn that it is there: a longer pause than `stall_min` was a
/// stall, all of it.
///
/// While it is behind, and reported it, time counts only a quarter: whoever waits for it to catch
/// up has four times as long, and no more, however long it stays behind.
///
/// Threads  One at a time.
class ServedTime {
public:
    using TimePoint = TokenBucket::TimePoint;

    ServedTime(TimePoint now, TimePoint::duration stall_min) : stall_min_(stall_min), seen_(now) {}

    /// It is there: the served time that this is. A time that is past already changes nothing.
    TimePoint advance(TimePoint now) {
        if (now > seen_) {
            const auto pause = now - seen_;
            stalled_ += pause > stall_min_ ? pause
                        : is_behind_       ? pause / 4 * 3
                                           : TimePoint::duration::zero();
            seen_ = now;
        }
        return now - stalled_;
    }
    /// From `now` on.
    void set_behind(bool is_behind, TimePoint now) {
        advance(now);
        is_behind_ = is_behind;
    }
    /// All stalls together.
    [[nodiscard]] TimePoint::duration stalled() const { return stalled_; }

private:
    TimePoint::duration stall_min_;
    TimePoint seen_;
    TimePoint::duration stalled_{};
    bool is_behind_ = false;
};

}  // namespace marchland::net
