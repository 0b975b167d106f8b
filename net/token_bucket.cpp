#include "net/token_bucket.h"

#include <algorithm>

namespace marchland::net {

bool TokenBucket::take(std::uint64_t tokens, TimePoint now) {
    // A second fills it, however long it stood: so the product below cannot overflow.
    const auto passed = std::min(now - filled_at_, TimePoint::duration(std::chrono::seconds(1)));
    const auto passed_ns = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
    level_ = std::min(per_second_ * kOne, level_ + passed_ns * per_second_);
    filled_at_ = now;
    if (tokens > level_ / kOne) {
        return false;
    }
    level_ -= tokens * kOne;
    return true;
}

}  // namespace marchland::net
