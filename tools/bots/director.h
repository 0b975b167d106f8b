#pragma once

#include "engine/assert.h"
#include "tools/bots/zone.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace marchland::bots {

class Swarm;

/// Who is in the world, and where they go: a scenario, or a trace.
class Director {
public:
    Director() = default;
    Director(const Director&) = delete;
    Director& operator=(const Director&) = delete;
    virtual ~Director() = default;

    /// Does what is due. Called every few milliseconds; `now` never goes back.
    virtual void advance(Instant now, Swarm& swarm) = 0;
    /// Will anybody else join? When not, the run is over once all are gone.
    [[nodiscard]] virtual bool has_more_to_join() const = 0;
    /// Is everybody on stage who is to be measured? Figures count from then on.
    [[nodiscard]] virtual bool is_complete(const Swarm& swarm) const = 0;
    /// The part that is played now, where figures of each are kept apart; empty: there are none.
    /// After the first begins what this is played for.
    [[nodiscard]] virtual std::string_view phase() const { return {}; }
    /// How many of the players read badly, and how often one of them stopped reading.
    struct Slow {
        std::size_t players = 0;
        std::uint64_t stalls = 0;
    };
    [[nodiscard]] virtual Slow slow() const { return {}; }
    /// Connections beside the players that behaved badly, and how many of them the server ended.
    struct Abuse {
        std::uint64_t connections = 0;
        std::uint64_t closed_by_server = 0;
        // By take-overs, since the beginning (Abusers::speed_mm_per_s_max()).
        std::uint64_t speed_mm_per_s_max = 0;
        std::uint64_t moves_made = 0;
        std::string failure = {};  ///< why nobody attacks any more; empty: they all go on
    };
    [[nodiscard]] virtual Abuse abuse() const { return {}; }
    /// Steps that were left out because this process came too late for them.
    [[nodiscard]] virtual std::uint64_t late_steps() const = 0;
};

/// Gives each of `count` a turn in every interval, evenly spread: the server gets a steady trickle
/// instead of a burst each tick.
///
///   turn k is due at start + k * interval / count, and is that of number k modulo count
///
/// Bounds   Who comes late skips what is more than one interval behind, and counts it.
class Pacer {
public:
    Pacer(std::uint64_t count, Clock::duration interval, Instant start)
        : count_(count), interval_ns_(in_ns(interval)), start_(start) {
        MARCHLAND_ASSERT(count > 0 && interval_ns_ > 0);
    }

    /// Calls `take(number)` for each turn that is due and has not been taken.
    template <typename Take>
    void take_due(Instant now, Take&& take) {
        const std::uint64_t elapsed_ns = now > start_ ? in_ns(now - start_) : 0;
        // In two parts: elapsed * count needs more than 64 bits after a week.
        const std::uint64_t due =
            elapsed_ns / interval_ns_ * count_ + elapsed_ns % interval_ns_ * count_ / interval_ns_;
        if (due - next_ > count_) {
            skipped_ += due - next_ - count_;
            next_ = due - count_;
        }
        for (; next_ < due; ++next_) {
            take(next_ % count_);
        }
    }

    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

private:
    static std::uint64_t in_ns(Clock::duration duration) {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
    }

    const std::uint64_t count_;
    const std::uint64_t interval_ns_;
    const Instant start_;
    std::uint64_t next_ = 0;
    std::uint64_t skipped_ = 0;
};

}  // namespace marchland::bots
