#include "tools/bench/zone_walker.h"

#include <array>
#include <utility>

namespace marchland::bench {
namespace {

/// Steps of exactly 250 mm in a quarter turn; the other three are these, turned.
constexpr std::array<std::array<std::int32_t, 2>, 3> kQuarterOfSteps = {
    {{250, 0}, {200, 150}, {150, 200}}};

constexpr std::uint64_t kTurnOneIn = 32;

}  // namespace

Walker::Walker(const engine::Rect& area, Gait gait, std::uint64_t seed)
    : area_(area), gait_(gait), random_(seed) {
    at_.x = static_cast<std::int32_t>(random_.between(area.min_x, area.max_x));
    at_.y = static_cast<std::int32_t>(random_.between(area.min_y, area.max_y));
    turn();
}

engine::Position Walker::step() {
    if (gait_ == Gait::jump) {
        jump();
        return at_;
    }
    if (random_.one_in(kTurnOneIn)) turn();
    if (at_.x + step_x_ < area_.min_x || at_.x + step_x_ > area_.max_x) step_x_ = -step_x_;
    if (at_.y + step_y_ < area_.min_y || at_.y + step_y_ > area_.max_y) step_y_ = -step_y_;
    at_.x += step_x_;
    at_.y += step_y_;
    return at_;
}

void Walker::turn() {
    const auto step = kQuarterOfSteps[random_.next() % kQuarterOfSteps.size()];
    step_x_ = step[0];
    step_y_ = step[1];
    for (std::uint64_t quarters = random_.next() % 4; quarters > 0; --quarters) {
        step_x_ = -std::exchange(step_y_, step_x_);
    }
}

void Walker::jump() {
    const auto half = static_cast<std::int32_t>(area_.max_x / 2);
    at_.x += at_.x < half ? half : -half;
}

}  // namespace marchland::bench
