#pragma once

#include "engine/assert.h"
#include "tools/bots/clock.h"

#include <chrono>
#include <cstdint>

namespace marchland::bots {

/// Gives each of `seats` a turn in every interval, evenly spread: the server gets a steady trickle
/// instead of a burst each tick.
///
///   turn k is due at start + k * interval / seats, and is seat k modulo seats
///
/// Bounds   Who comes late skips what is more than one interval behind, and counts it.
class Pacer {
public:
    Pacer(std::uint64_t seats, Clock::duration interval, Instant start)
        : seats_(seats), interval_ns_(in_ns(interval)), start_(start) {
        MARCHLAND_ASSERT(seats > 0 && interval_ns_ > 0);
    }

    /// Calls `take(seat)` for each turn that is due and has not been taken.
    template <typename Take>
    void take_due(Instant now, Take&& take) {
        const std::uint64_t elapsed_ns = now > start_ ? in_ns(now - start_) : 0;
        // In two parts: elapsed * seats needs more than 64 bits after a week.
        const std::uint64_t due =
            elapsed_ns / interval_ns_ * seats_ + elapsed_ns % interval_ns_ * seats_ / interval_ns_;
        if (due - next_ > seats_) {
            skipped_ += due - next_ - seats_;
            next_ = due - seats_;
        }
        for (; next_ < due; ++next_) {
            take(next_ % seats_);
        }
    }

    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

private:
    static std::uint64_t in_ns(Clock::duration duration) {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
    }

    const std::uint64_t seats_;
    const std::uint64_t interval_ns_;
    const Instant start_;
    std::uint64_t next_ = 0;
    std::uint64_t skipped_ = 0;
};

}  // namespace marchland::bots
