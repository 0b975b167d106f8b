#pragma once

namespace marchland::engine {

/// Larger, as a share, than what rounding to float can do to a squared distance or to the difference
/// of two places: six roundings of at most 2^-24 each. Whatever a float comparison is to decide has to
/// be so far from the bound; the rest is for integers.
inline constexpr double kGuardBand = 1.0 / (1 << 19);

}  // namespace marchland::engine
