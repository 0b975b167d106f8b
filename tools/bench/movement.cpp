#include "tools/bench/movement.h"

#include <array>

namespace marchland::bench {
namespace {

/// The steps of exactly 250 mm in a quarter turn; the other three are these, turned. From the
/// Pythagorean triples (3, 4, 5) * 50 and (7, 24, 25) * 10.
constexpr std::array<std::array<std::int32_t, 2>, 5> kQuarterOfSteps = {
    {{250, 0}, {240, 70}, {200, 150}, {150, 200}, {70, 240}}};

constexpr std::uint64_t kTurnOneIn = 32;
constexpr std::int64_t kClimbMaxMm = 100;

engine::Rect map_of(const Workload& workload) {
    return {0, 0, workload.side_mm, workload.side_mm};
}

engine::Rect hot_area_of(const Workload& workload) {
    if (workload.hot_side_mm == 0) return map_of(workload);
    const std::int64_t margin_mm = (workload.side_mm - workload.hot_side_mm) / 2;
    return map_of(workload).grown_by(-margin_mm);
}

}  // namespace

Movement::Movement(const Workload& workload, std::uint64_t seed)
    : motion_(workload.motion),
      steps_per_tick_(workload.steps_per_tick),
      movers_(workload.movers),
      height_mm_(workload.height_mm),
      map_(map_of(workload)),
      hot_area_(hot_area_of(workload)),
      random_(seed),
      positions_(workload.entities),
      directions_(workload.entities) {
    for (std::uint32_t entity = 0; entity < workload.entities; ++entity) {
        positions_[entity] = anywhere(area_of(entity));
        turn(entity);
    }
}

std::span<const engine::Position> Movement::advance_tick() {
    if (movers_ != 0) {
        advance_some(movers_);
        return positions_;
    }
    for (std::uint32_t entity = 0; entity < positions_.size(); ++entity) {
        advance(entity);
    }
    return positions_;
}

std::span<const Move> Movement::advance_some(std::size_t count) {
    // A prime stride, so that in the end everyone's turn comes; odd, so that hot and cold alternate.
    constexpr std::uint32_t kStride = 7'919;
    moves_.clear();
    while (moves_.size() < count) {
        advance(next_mover_);
        moves_.push_back({next_mover_, positions_[next_mover_]});
        next_mover_ = static_cast<std::uint32_t>((next_mover_ + kStride) % positions_.size());
    }
    return moves_;
}

const engine::Rect& Movement::area_of(std::uint32_t entity) const {
    return entity % 2 == 0 ? hot_area_ : map_;
}

engine::Position Movement::anywhere(const engine::Rect& area) {
    const auto x = static_cast<std::int32_t>(random_.between(area.min_x, area.max_x));
    const auto y = static_cast<std::int32_t>(random_.between(area.min_y, area.max_y));
    // A flat map draws no more numbers than it needs: its movement stays what it is.
    const auto z = height_mm_ == 0 ? 0 : static_cast<std::int32_t>(random_.between(0, height_mm_));
    return {x, y, z};
}

void Movement::turn(std::uint32_t entity) {
    const auto step = kQuarterOfSteps[random_.next() % kQuarterOfSteps.size()];
    Direction direction{step[0] * steps_per_tick_, step[1] * steps_per_tick_, 0};
    for (std::uint64_t quarters = random_.next() % 4; quarters > 0; --quarters) {
        direction = {-direction.y, direction.x, 0};
    }
    if (height_mm_ != 0) {
        const std::int64_t climb_mm = random_.between(-kClimbMaxMm, kClimbMaxMm);
        direction.z = static_cast<std::int32_t>(climb_mm) * steps_per_tick_;
    }
    directions_[entity] = direction;
}

void Movement::advance(std::uint32_t entity) {
    const engine::Rect& area = area_of(entity);
    engine::Position& at = positions_[entity];
    if (motion_ == Motion::teleport) {
        at = anywhere(area);
        return;
    }
    if (random_.one_in(kTurnOneIn)) turn(entity);
    Direction& direction = directions_[entity];
    const auto is_outside = [](std::int64_t next, std::int64_t min, std::int64_t max) {
        return next < min || next > max;
    };
    if (is_outside(at.x + direction.x, area.min_x, area.max_x)) direction.x = -direction.x;
    if (is_outside(at.y + direction.y, area.min_y, area.max_y)) direction.y = -direction.y;
    if (is_outside(at.z + direction.z, 0, height_mm_)) direction.z = -direction.z;
    at.x += direction.x;
    at.y += direction.y;
    at.z += direction.z;
}

}  // namespace marchland::bench
