#include "engine/crowd_limits.h"

namespace marchland::engine {

const char* flaw_of(const CrowdLimits& limits) {
    if (limits.sticky_percent > kStickyPercentMax) {
        return "one that is seen may count as at most 90 percent nearer";
    }
    return nullptr;
}

}  // namespace marchland::engine
