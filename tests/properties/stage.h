#pragma once

#include "engine/ids.h"
#include "shards/layout/layout.h"
#include "shards/zone_options.h"
#include "tests/properties/dice.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace marchland::tests {

/// The ways to cut a map that the properties are checked under.
enum class LayoutKind {
    one_shard,
    two_by_two,
    four_by_four,
    row_of_eight,
    thin_strips,  ///< a view spans several of them
    random_cuts,  ///< irregular rectangles: a rectangle cut in two, again and again
    sixty_four,   ///< as many, irregular too
};

inline const std::vector<LayoutKind> kAllLayoutKinds{
    LayoutKind::one_shard,    LayoutKind::two_by_two,  LayoutKind::four_by_four,
    LayoutKind::row_of_eight, LayoutKind::thin_strips, LayoutKind::random_cuts,
    LayoutKind::sixty_four};

std::string name_of(LayoutKind kind);

/// Where a history plays: a map, its distances, and how it is cut.
struct Stage {
    shards::ZoneOptions options;
    shards::Layout layout;
};

std::ostream& operator<<(std::ostream& out, const Stage& stage);

/// The layout is in force from `tick` on.
struct Relayout {
    engine::Tick tick = engine::kNever;
    shards::Layout layout;
};
/// Ascending ticks, at most one change in each.
using Relayouts = std::vector<Relayout>;

std::ostream& operator<<(std::ostream& out, const Relayout& change);

/// A map of some scale (a few hundred millimetres, where every step meets a bound; a usual zone;
/// all of int32), cut in the given way.
Stage make_stage(LayoutKind kind, Dice& dice);

/// A few changes at random moments before `ticks`, each to a layout of any kind; names recur, so
/// that shards stay, move, come and go.
Relayouts make_relayouts(const Stage& stage, engine::Tick ticks, Dice& dice);

/// The same map in one piece.
Stage in_one_shard(const Stage& stage);

/// The same map, cut into columns * rows.
Stage in_grid(const Stage& stage, std::uint32_t columns, std::uint32_t rows);

}  // namespace marchland::tests
