#pragma once

#include "net/token_bucket.h"

#include <cstdint>
#include <utility>

namespace marchland::net {

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
