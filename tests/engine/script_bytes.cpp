#include "tests/engine/script_bytes.h"

#include "engine/index/index.h"
#include "tests/engine/ground.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr std::int64_t kSmallMax = 128;  ///< a ground that is no longer than this is a small one

constexpr std::array<Rect, 4> kGrounds{Rect{0, 0, 63, 63}, Rect{-20, -20, 20, 20},
                                       Rect{kMin, kMin, kMax, kMax}, Rect{-3, 8, -3, 8}};
constexpr std::array<std::int32_t, 4> kCells{9, 7, 1'000'000'000, 1};

}  // namespace

std::uint8_t ScriptBytes::byte() {
    if (bytes_.empty()) {
        return 0;
    }
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
}

AoiOptions ScriptBytes::options() {
    const std::uint8_t choice = byte();
    const std::size_t ground = byte() % kGrounds.size();
    bounds_ = kGrounds[ground];
    AoiOptions options;
    options.index_name = index_names()[choice % index_names().size()];
    options.index.quadtree_is_loose = choice >= 128;
    options.index.bounds = bounds_;
    options.index.cell_mm = kCells[ground];
    options.index.dimensions = ground == 1 ? Dimensions::three : Dimensions::two;
    options.entities_max = 300;
    return options;
}

EntityId ScriptBytes::id() {
    const std::uint64_t number = byte() % 20U;
    return EntityId{number < 18 ? number : std::numeric_limits<std::uint64_t>::max() - number};
}

std::int32_t ScriptBytes::coordinate(std::int64_t min, std::int64_t max) {
    const std::int64_t roll = byte();
    const std::int64_t length = max - min + 1;
    if (length <= kSmallMax) {
        return static_cast<std::int32_t>(roll < 8 ? min + roll - 4 : min + roll % length);
    }
    const std::array<std::int64_t, 4> ends{min, max, max - 1, 0};
    const std::int64_t anywhere = min + roll * (length / 256) + byte();
    return static_cast<std::int32_t>(roll < 96 ? roll % 12
                                     : roll < 128
                                         ? ends[static_cast<std::size_t>(roll) % ends.size()]
                                         : anywhere);
}

Position ScriptBytes::position() {
    const std::int32_t x = coordinate(bounds_.min_x, bounds_.max_x);
    const std::int32_t y = coordinate(bounds_.min_y, bounds_.max_y);
    const std::uint8_t height = byte();
    return {x, y, height < 248 ? height % 16 : height % 2 == 0 ? kMin : kMax};
}

std::int32_t ScriptBytes::radius() {
    const std::uint8_t roll = byte();
    if (roll < 200) {
        return roll % 40;
    }
    const std::array<std::int32_t, 7> others{-1, kMin, kMax, kMax - 1, 70, 100, 1 << 30};
    return others[roll % others.size()];
}

std::int32_t ScriptBytes::leave_of(std::int32_t enter_mm) {
    const std::uint8_t roll = byte();
    const std::int64_t leave_mm = std::int64_t{enter_mm} + roll % 16 - (roll < 16 ? 1 : 0);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(leave_mm, kMin, kMax));
}

View ScriptBytes::view() {
    const std::uint8_t roll = byte();
    if (roll < 24) {
        return {};
    }
    const std::int32_t enter_mm = radius();
    View view = View::circle(enter_mm, leave_of(enter_mm));
    if (roll < 128) {
        return view;
    }
    view.shape = roll == 255 ? Shape{255} : Shape{static_cast<std::uint8_t>(1 + roll % 4)};
    view.half_y_mm = radius();
    view.leave_half_y_mm = leave_of(view.half_y_mm);
    view.half_z_mm = radius();
    view.leave_half_z_mm = leave_of(view.half_z_mm);
    view.half_opening = static_cast<Angle>(byte() * 128U);
    view.leave_half_opening = static_cast<Angle>(view.half_opening + byte() % 128U);
    return view;
}

Angle ScriptBytes::angle() {
    return static_cast<Angle>(byte() * 256U + byte() % 3U);
}

NotifyRange ScriptBytes::notify() {
    if (byte() < 224) {
        return {};
    }
    const std::int32_t enter_mm = radius();
    return {enter_mm, leave_of(enter_mm)};
}

LayerMask ScriptBytes::mask() {
    const std::uint8_t roll = byte();
    return roll < 192 ? kDefaultLayer : roll == 255 ? ~kNoLayers : roll % 4;
}

Blob ScriptBytes::state() {
    const std::uint8_t roll = byte();
    if (roll < 64) {
        return nullptr;
    }
    const std::size_t size = roll < 250 ? roll % 3U : kBlobBytesMax + roll % 2U;
    return std::make_shared<const std::vector<std::byte>>(size, std::byte{roll} & std::byte{4});
}

AoiEntity ScriptBytes::entity() {
    AoiEntity entity;
    entity.id = id();
    entity.position = position();
    entity.view = view();
    entity.facing = angle();
    entity.notify = notify();
    entity.layers = mask();
    entity.layers_seen = mask();
    entity.state = state();
    return entity;
}

}  // namespace marchland::engine::testing
