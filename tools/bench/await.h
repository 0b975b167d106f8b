#pragma once

#include <chrono>
#include <stdexcept>
#include <thread>

namespace marchland::bench {

/// Returns when the condition holds; throws std::runtime_error(what) when it does not for 20 s. Looks now and
/// then, instead of being told: whoever tells would pay for it.
template <typename Condition>
void await(const Condition& is_true, const char* what) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point patience_ends = Clock::now() + std::chrono::seconds(20);
    while (!is_true()) {
        if (Clock::now() > patience_ends) {
            throw std::runtime_error(what);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

}  // namespace marchland::bench
