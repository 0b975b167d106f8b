#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace marchland::net {

/// At most so many a second, and as many at once: a bucket that fills at a steady rate. After
/// silence at once also what it saved, and after a time in which nothing could be asked for, more:
/// see make_up_for().
///
/// Time comes in with every call and must not go back. Exact: the level is kept in billionths.
class TokenBucket {
public:
    /// Of a client's silence: what a line that stood still brings all at once is not too fast.
    /// Clients' libraries give a line up after as long.
    static constexpr std::uint32_t kSilenceSecondsMax = 10;

    using TimePoint = std::chrono::steady_clock::time_point;

    /// Begins with a second's worth, and saves up to `seconds` (at most 31) of silence.
    TokenBucket(std::uint32_t per_second, TimePoint now, std::uint32_t seconds = 1)
        : per_second_(per_second),
          saved_ns_max_(seconds * kOne),
          level_(per_second_ * kOne),
          filled_at_(now) {}

    /// Takes `tokens` if there are so many; otherwise takes none and returns false.
    [[nodiscard]] bool take(std::uint64_t tokens, TimePoint now);

    /// Like a new one.
    [[nodiscard]] bool is_full(TimePoint now);

    /// From `since` to `now` whoever asks was not listened to: what waits from then is not to be
    /// too much at once. All of that time counts, also what does not fit into the bucket, up to
    /// half a minute: who sees to it that it is often not listened to cannot save up for a flood.
    void make_up_for(TimePoint since, TimePoint now);
    /// The same for time that this bucket's clock does not count.
    void make_up_for(TimePoint::duration time);

private:
    static constexpr std::uint64_t kOne = 1'000'000'000;  ///< a token; also nanoseconds a second

    void fill(TimePoint now);
    void add(TimePoint::duration time, std::uint64_t held_ns_max);

    std::uint64_t per_second_;  ///< below 2^32: times kOne it still fits
    std::uint64_t saved_ns_max_;
    std::uint64_t level_;
    TimePoint filled_at_;
};

/// How many lines a second others may make us log; the lines left out are counted and reported.
class LogLimit {
public:
    LogLimit(std::uint32_t lines_per_second, TokenBucket::TimePoint now)
        : bucket_(lines_per_second, now) {}

    [[nodiscard]] bool allows_line(TokenBucket::TimePoint now) {
        const bool is_allowed = bucket_.take(1, now);
        left_out_ += is_allowed ? 0 : 1;
        return is_allowed;
    }

    [[nodiscard]] bool has_left_out() const { return left_out_ != 0; }
    /// Lines that were not allowed since this was asked last.
    std::uint64_t take_left_out() { return std::exchange(left_out_, 0); }

private:
    TokenBucket bucket_;
    std::uint64_t left_out_ = 0;
};

}  // namespace marchland::net
