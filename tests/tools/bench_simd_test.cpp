#include "engine/index/index.h"
#include "engine/interest_system.h"
#include "engine/sweep/candidates.h"
#include "tools/bench/workload.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {
namespace {

/// FNV-1a-64 over 32-bit words: unlike a benchmark's checksum, it minds the order.
class Digest {
public:
    void add(std::uint32_t word) { value_ = (value_ ^ word) * 0x100000001b3U; }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// Views of all widths, so crowded that a scan's lists are long, on the far side of the map from
/// its origin, where floats are coarse.
constexpr Workload kCrowd{.name = "crowd",
                          .summary = "",
                          .entities = 600,
                          .side_mm = 400'000,
                          .hot_side_mm = 80'000,
                          .steps_per_tick = 4,
                          .radius_min_mm = 40'000,
                          .radius_max_mm = 50'000,
                          .leave_wider_percent = 4,
                          .layers = 2,
                          .warm_up_ticks = 1,
                          .ticks = 1,
                          .moves = 1};
constexpr std::int32_t kFarAwayMm = 2'000'000'000;

engine::Position far_away(engine::Position at) {
    return {at.x + kFarAwayMm, at.y + kFarAwayMm, at.x % 5'000};
}

std::unique_ptr<engine::Index> far_away_index(engine::Dimensions dimensions) {
    engine::IndexOptions options;
    options.dimensions = dimensions;
    options.bounds = {kFarAwayMm, kFarAwayMm, kFarAwayMm + kCrowd.side_mm,
                      kFarAwayMm + kCrowd.side_mm};
    return engine::make_index("grid_cross_list", options);
}

/// By number.
std::vector<engine::Slot> fill(engine::InterestSystem& interest,
                               std::span<const engine::Position> at) {
    std::vector<engine::Slot> everyone;
    interest.begin_tick(1);
    const std::vector<Senses> senses = senses_of(kCrowd);
    for (std::uint32_t number = 0; number < at.size(); ++number) {
        engine::Entity entity;
        entity.id = static_cast<engine::EntityId>(number + 1);
        entity.birth = 1;
        entity.position = far_away(at[number]);
        entity.shown = entity.position;
        entity.view =
            engine::View::circle(senses[number].radius_mm, senses[number].leave_radius_mm);
        entity.layers = senses[number].layers;
        entity.layers_seen = senses[number].layers_seen;
        everyone.push_back(interest.insert(entity));
        interest.watch(everyone.back(), {});
    }
    return everyone;
}

/// All frames of a run, list by list.
void run(const engine::CrowdLimits& limits, engine::Dimensions dimensions, Digest& digest) {
    Movement movement(kCrowd, 11);
    engine::InterestSystem interest(far_away_index(dimensions), dimensions, limits);
    const std::vector<engine::Slot> everyone = fill(interest, movement.positions());
    const engine::FrameSink sink = [&digest](const engine::Frame& frame) {
        digest.add(engine::to_number(frame.watcher));
        for (const engine::Leave& leave : frame.leaves) {
            digest.add(static_cast<std::uint32_t>(engine::to_number(leave.id)));
        }
        digest.add(~0U);
        for (const engine::Slot slot : frame.enters)
            digest.add(engine::to_number(slot));
        digest.add(~0U);
        for (const engine::Slot slot : frame.moves)
            digest.add(engine::to_number(slot));
    };
    for (engine::Tick tick = 2; tick < 60; ++tick) {
        interest.build_frames(everyone, true, sink);
        interest.begin_tick(tick);
        const auto to = movement.advance_tick();
        for (std::uint32_t number = 0; number < kCrowd.entities; ++number) {
            interest.move(everyone[number], far_away(to[number]));
        }
    }
}

/// Of a run without limits and of some with limits; nothing when the machine lacks the
/// instructions.
std::optional<std::uint64_t> digest_with(std::string_view target) {
    if (!engine::use_simd_target(target)) return std::nullopt;
    engine::CrowdLimits nearest;
    nearest.visible_max = 10;
    nearest.sticky_percent = 20;
    engine::CrowdLimits slowed;
    slowed.rings = {{{20'000, 2}, {35'000, 4}}};
    slowed.frame_bytes_max = 200;
    Digest digest;
    for (const auto dimensions : {engine::Dimensions::two, engine::Dimensions::three}) {
        run({}, dimensions, digest);
        run(nearest, dimensions, digest);
        run(slowed, dimensions, digest);
    }
    return digest.value();
}

class ScanTarget : public testing::TestWithParam<const char*> {
protected:
    void TearDown() override { engine::use_simd_target({}); }
};

TEST_P(ScanTarget, GivesTheFramesOfTheBestOne) {
    const auto digest = digest_with(GetParam());
    if (!digest) GTEST_SKIP() << "this machine or build has no " << GetParam();
    EXPECT_EQ(engine::simd_target(), GetParam());
    EXPECT_EQ(digest, digest_with(""));
}

INSTANTIATE_TEST_SUITE_P(
    Names, ScanTarget, testing::Values("AVX3", "AVX2", "SSE4", "SSSE3", "EMU128", "SCALAR", "NEON"),
    [](const testing::TestParamInfo<const char*>& name) { return std::string(name.param); });

TEST(ScanTarget, ThatIsUnknownLeavesTheBest) {
    ASSERT_TRUE(engine::use_simd_target(""));
    const auto best = engine::simd_target();
    EXPECT_FALSE(engine::use_simd_target("ABACUS"));
    EXPECT_EQ(engine::simd_target(), best);
}

}  // namespace
}  // namespace marchland::bench
