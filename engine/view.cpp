#include "engine/view.h"

#include <array>
#include <cstddef>

namespace marchland::engine {
namespace {

// Fractions with 60 binary digits after the point. An octant's sine and cosine come from their
// series in integers, so that no compiler, library or rounding mode has an effect.

__extension__ using Wide = unsigned __int128;

constexpr unsigned kDigits = 60;
constexpr unsigned kDirectionDigits = 30;
constexpr std::uint64_t kOne = std::uint64_t{1} << kDigits;
constexpr std::uint64_t kPi = 3'622'009'729'038'561'421;
constexpr unsigned kTerms = 10;  ///< for an eighth of a turn: the next one is below the last digit

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(Wide{a} * b >> kDigits);
}

constexpr std::int32_t rounded(std::uint64_t value) {
    constexpr unsigned kDropped = kDigits - kDirectionDigits;
    return static_cast<std::int32_t>((value + (std::uint64_t{1} << (kDropped - 1))) >> kDropped);
}

/// Of at most an eighth of a turn, in both: 1 - x^2/(1*2) * (1 - x^2/(3*4) * ( ... )).
constexpr std::uint64_t cosine(std::uint64_t radians) {
    const std::uint64_t square = times(radians, radians);
    std::uint64_t series = kOne;
    for (unsigned term = kTerms; term > 0; --term) {
        series = kOne - times(square, series) / ((2 * term - 1) * (2 * term));
    }
    return series;
}

/// x * (1 - x^2/(2*3) * (1 - x^2/(4*5) * ( ... ))).
constexpr std::uint64_t sine(std::uint64_t radians) {
    const std::uint64_t square = times(radians, radians);
    std::uint64_t series = kOne;
    for (unsigned term = kTerms; term > 0; --term) {
        series = kOne - times(square, series) / ((2 * term) * (2 * term + 1));
    }
    return times(radians, series);
}

constexpr std::uint64_t radians_of(Angle angle) {
    return static_cast<std::uint64_t>(Wide{kPi} * angle / kHalfTurn);
}

/// The series of so many angles, so far apart, the first of them 0. An eighth of a turn is the sum of
/// one angle of each of two tables, so that a direction costs four products and no series.
template <std::size_t kCount, Angle kApart>
struct Table {
    std::array<std::uint64_t, kCount> cosines{};
    std::array<std::uint64_t, kCount> sines{};

    constexpr Table() {
        for (std::size_t i = 0; i < kCount; ++i) {
            const std::uint64_t radians = radians_of(static_cast<Angle>(i * kApart));
            cosines[i] = cosine(radians);
            sines[i] = sine(radians);
        }
    }
};
constexpr Angle kFineAngles = 128;
constexpr Table<kFineAngles, 1> kFine;
constexpr Table<kQuarterTurn / 2 / kFineAngles + 1, kFineAngles> kCoarse;

/// Of at most an eighth of a turn: the cosine and the sine of a sum.
constexpr Direction in_first_eighth(Angle angle) {
    const std::size_t coarse = angle / kFineAngles;
    const std::size_t fine = angle % kFineAngles;
    return {rounded(times(kCoarse.cosines[coarse], kFine.cosines[fine]) -
                    times(kCoarse.sines[coarse], kFine.sines[fine])),
            rounded(times(kCoarse.sines[coarse], kFine.cosines[fine]) +
                    times(kCoarse.cosines[coarse], kFine.sines[fine]))};
}

constexpr Direction in_first_quarter(Angle angle) {
    if (angle <= kQuarterTurn / 2) {
        return in_first_eighth(angle);
    }
    const Direction mirrored = in_first_eighth(static_cast<Angle>(kQuarterTurn - angle));
    return {mirrored.y, mirrored.x};
}

}  // namespace

Direction direction_of(Angle angle) {
    const Direction first = in_first_quarter(angle % kQuarterTurn);
    switch (angle / kQuarterTurn) {
        case 0:
            return first;
        case 1:
            return {-first.y, first.x};
        case 2:
            return {-first.x, -first.y};
        default:
            return {first.y, -first.x};
    }
}

const char* flaw_of(const View& view, Dimensions dimensions) {
    const auto is_in_order = [](std::int32_t enter, std::int32_t leave) {
        return 0 <= enter && enter <= leave;
    };
    if (view.shape > Shape::cylinder) {
        return "is of no known shape";
    }
    if (view.shape == Shape::cylinder && dimensions == Dimensions::two) {
        return "is a cylinder, in a zone without height";
    }
    if (!is_in_order(view.radius_mm, view.leave_radius_mm)) {
        return "needs 0 <= radius <= leave radius";
    }
    if (!is_in_order(view.half_y_mm, view.leave_half_y_mm) ||
        !is_in_order(view.half_z_mm, view.leave_half_z_mm)) {
        return "needs 0 <= half length <= half length of the leave range";
    }
    if (!is_in_order(view.half_opening, view.leave_half_opening) ||
        view.leave_half_opening > kHalfTurn) {
        return "needs half opening <= leave half opening <= half a turn";
    }
    return nullptr;
}

}  // namespace marchland::engine
