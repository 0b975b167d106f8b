#include "tests/properties/stage.h"

#include "engine/assert.h"
#include "tests/shards/sent_frame.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <utility>
#include <variant>

namespace marchland::tests {

namespace {

using engine::Rect;
using shards::Layout;
using shards::Region;

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();

/// Distances that belong together. One shard's index has at most some hundred cells: the stage is
/// built for each of 64 shards, thousands of times.
struct Scale {
    Rect world;
    std::int32_t leave_radius_mm_max;
    std::int32_t notify_leave_radius_mm_max;
    std::int32_t hysteresis_mm;
    std::int32_t cell_mm;
};

const std::vector<Scale>& scales() {
    static const std::vector<Scale> kScales{
        {{0, 0, 299, 299}, 40, 130, 3, 16},
        {{-150, -20, 149, 39}, 60, 100, 0, 7},
        {{-100'000, -100'000, 99'999, 99'999}, 30'000, 70'000, 2'000, 10'000},
        {{-5'000, 3'000, 194'999, 152'999}, 80'000, 300'000, 10'000, 30'000},
        {{kLowest, kLowest, kHighest, kHighest}, 500'000'000, kHighest, 20'000'000, 400'000'000},
        {{kLowest, kLowest, kHighest, kHighest}, kHighest, kHighest, 1, 300'000'000},
    };
    return kScales;
}

shards::ZoneOptions options_of(const Scale& scale, Dice& dice) {
    shards::ZoneOptions options;
    options.world = scale.world;
    options.dimensions = dice.chance(30) ? engine::Dimensions::three : engine::Dimensions::two;
    options.leave_radius_mm_max = scale.leave_radius_mm_max;
    options.notify_leave_radius_mm_max = scale.notify_leave_radius_mm_max;
    options.border_hysteresis_mm = dice.chance(20) ? 0 : scale.hysteresis_mm;
    const std::int32_t error_mm_max =
        std::min(scale.leave_radius_mm_max / 8, engine::kPredictionErrorMaxMm);
    options.prediction_error_mm =
        dice.chance(50) ? 0 : static_cast<std::int32_t>(dice.between(1, error_mm_max));
    options.cell_mm = scale.cell_mm;
    options.slots = slots_of_all_audiences(scale.leave_radius_mm_max / 3);
    options.time_scale_percent_min = 100;  // frames say how slow time is: not a property's business
    // Frames say when their tick was due, so it is the same for all ways to play. Fast enough for a
    // test on threads, slow enough that a busy machine seldom skips a tick.
    options.tick_rate_hz = 100;
    // Half of the cases build their frames alone, half with an executor from the first move on.
    options.executor_threads = dice.chance(50) ? 1 : 3;
    options.executor_pairs_min = 0;
    return options;
}

Layout valid(Layout::Result result) {
    MARCHLAND_ASSERT(std::holds_alternative<Layout>(result));
    return std::get<Layout>(std::move(result));
}

/// Cuts the widest rectangle in two until there are `count`. Cuts fall anywhere, also one
/// millimetre from an edge.
Layout cut_at_random(const Rect& world, std::size_t count, Dice& dice) {
    std::vector<Rect> parts{world};
    while (parts.size() < count) {
        const std::size_t place = dice.below(parts.size());
        const Rect whole = parts[place];
        const bool is_wide = whole.max_x - whole.min_x >= whole.max_y - whole.min_y;
        const bool cuts_x = dice.chance(80) ? is_wide : !is_wide;
        const std::int64_t low = cuts_x ? whole.min_x : whole.min_y;
        const std::int64_t high = cuts_x ? whole.max_x : whole.max_y;
        if (low == high) {
            continue;  // one millimetre: cannot be cut this way
        }
        const std::int64_t last_of_first = dice.between(low, high - 1);
        Rect second = whole;
        (cuts_x ? parts[place].max_x : parts[place].max_y) = last_of_first;
        (cuts_x ? second.min_x : second.min_y) = last_of_first + 1;
        parts.push_back(second);
    }
    std::vector<Region> regions;
    for (const Rect& part : parts) {
        regions.push_back({"part" + std::to_string(regions.size()), part});
    }
    return valid(Layout::from_regions(world, std::move(regions)));
}

/// Strips of half the longest view: one view spans five of them.
Layout cut_into_strips(const Rect& world, std::int32_t view_mm, Dice& dice) {
    const std::int64_t width = world.max_x - world.min_x + 1;
    const std::int64_t strips = std::max<std::int64_t>(3, 2 * width / view_mm);
    const auto count = static_cast<std::uint32_t>(std::min<std::int64_t>(strips, 24));
    return valid(dice.chance(50) ? Layout::grid(world, count, 1) : Layout::grid(world, 1, count));
}

Layout cut(LayoutKind kind, const shards::ZoneOptions& options, Dice& dice) {
    const Rect& world = options.world;
    switch (kind) {
        case LayoutKind::one_shard:
            return valid(Layout::grid(world, 1, 1));
        case LayoutKind::two_by_two:
            return valid(Layout::grid(world, 2, 2));
        case LayoutKind::four_by_four:
            return valid(Layout::grid(world, 4, 4));
        case LayoutKind::row_of_eight:
            return valid(Layout::grid(world, 1, 8));
        case LayoutKind::thin_strips:
            return cut_into_strips(world, options.leave_radius_mm_max, dice);
        case LayoutKind::random_cuts:
            return cut_at_random(world, 2 + dice.below(12), dice);
        case LayoutKind::sixty_four:
            return cut_at_random(world, 64, dice);
    }
    std::abort();
}

void print_shards(std::ostream& out, const Layout& layout) {
    for (const shards::ShardId id : layout.shards()) {
        const Rect& area = layout.region(id).area;
        out << "  shard '" << layout.region(id).name << "': x " << area.min_x << ".." << area.max_x
            << ", y " << area.min_y << ".." << area.max_y << '\n';
    }
}

}  // namespace

std::string name_of(LayoutKind kind) {
    switch (kind) {
        case LayoutKind::one_shard:
            return "OneShard";
        case LayoutKind::two_by_two:
            return "TwoByTwo";
        case LayoutKind::four_by_four:
            return "FourByFour";
        case LayoutKind::row_of_eight:
            return "RowOfEight";
        case LayoutKind::thin_strips:
            return "ThinStrips";
        case LayoutKind::random_cuts:
            return "RandomCuts";
        case LayoutKind::sixty_four:
            return "SixtyFourShards";
    }
    std::abort();
}

std::ostream& operator<<(std::ostream& out, const Stage& stage) {
    const shards::ZoneOptions& options = stage.options;
    out << "leave radius at most " << options.leave_radius_mm_max << " mm, of notification ranges "
        << options.notify_leave_radius_mm_max << " mm, hysteresis " << options.border_hysteresis_mm
        << " mm, shown within " << options.prediction_error_mm << " mm, cells of "
        << options.cell_mm << " mm, " << static_cast<int>(options.dimensions) << " dimensions\n";
    print_shards(out, stage.layout);
    return out;
}

std::ostream& operator<<(std::ostream& out, const Relayout& change) {
    out << "from tick " << change.tick << " on\n";
    print_shards(out, change.layout);
    return out;
}

Stage make_stage(LayoutKind kind, Dice& dice) {
    const shards::ZoneOptions options = options_of(dice.pick(scales()), dice);
    return {options, cut(kind, options, dice)};
}

Relayouts make_relayouts(const Stage& stage, engine::Tick ticks, Dice& dice) {
    Relayouts changes;
    const auto percent = static_cast<unsigned>(dice.between(3, 40));
    for (engine::Tick tick = 1; tick <= ticks; ++tick) {
        if (dice.chance(percent)) {
            changes.push_back({tick, cut(dice.pick(kAllLayoutKinds), stage.options, dice)});
        }
    }
    return changes;
}

Stage in_one_shard(const Stage& stage) {
    Stage alone = in_grid(stage, 1, 1);
    alone.options.executor_threads = 1;
    return alone;
}

Stage in_grid(const Stage& stage, std::uint32_t columns, std::uint32_t rows) {
    return {stage.options, valid(Layout::grid(stage.options.world, columns, rows))};
}

}  // namespace marchland::tests
