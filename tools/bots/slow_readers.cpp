#include "tools/bots/slow_readers.h"

#include "tools/bots/swarm.h"

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

constexpr auto kSipInterval = 250ms;
constexpr std::size_t kSipBytes = 250;

PlayerIndex sipper(std::size_t seat) {
    return static_cast<PlayerIndex>(4 * seat + 1);
}

PlayerIndex staller(std::size_t seat) {
    return static_cast<PlayerIndex>(4 * seat + 3);
}

}  // namespace

void SlowReaders::begin(Instant now, Swarm& swarm) {
    const std::size_t sippers = (players_ + 2) / 4;
    const std::size_t stallers = players_ / 4;
    for (std::size_t i = 0; i < sippers; ++i) {
        swarm.stop_reading(sipper(i));
    }
    if (sippers > 0) {
        sips_.emplace(sippers, kSipInterval, now);
    }
    if (stallers > 0) {
        stall_turns_.emplace(stallers, stall_ + stall_ / 2, now);
    }
}

void SlowReaders::advance(Instant now, Swarm& swarm) {
    while (!returns_.empty() && returns_.front().at <= now) {
        swarm.go_on_reading(returns_.front().player);
        returns_.pop_front();
    }
    if (sips_) {
        sips_->take_due(now, [&](std::uint64_t seat) { swarm.sip(sipper(seat), kSipBytes); });
    }
    if (stall_turns_) {
        stall_turns_->take_due(now, [&](std::uint64_t seat) {
            swarm.stop_reading(staller(seat));
            returns_.push_back({now + stall_, staller(seat)});
            ++stalls_;
        });
    }
}

}  // namespace marchland::bots
