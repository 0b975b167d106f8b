#pragma once

#include "engine/geometry.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

/// Between the metres that people write and the millimetres that the engine counts in. Exact in
/// both directions: a distance is never rounded.
namespace marchland::config {

/// What an int32 of millimetres can hold: about 2,147 km each way.
inline constexpr std::int64_t kMillimetresMin = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int64_t kMillimetresMax = std::numeric_limits<std::int32_t>::max();

/// "-443", "0.5": the shortest decimal that means exactly this. It is also a TOML number.
std::string metres_text(std::int64_t mm);

/// The millimetres that `metres` means, if they are whole and fit an int32.
std::optional<std::int64_t> whole_millimetres(double metres);

/// A number for an error's text, without an exponent as long as it stays readable.
std::string decimal_text(double number);

/// A rectangle of the engine covers whole millimetres, both ends inclusive. In a file, neighbours
/// share an edge: the `max` of one is the `min` of the next, and belongs to the next. The world's
/// own last edge has no next, so it belongs to the world.
///
///   file, metres        [0, 100)  [100, 200]        world 0 to 200
///   engine, millimetres 0..99'999 100'000..200'000
engine::Rect to_inclusive(const engine::Rect& edges, const engine::Rect& world);
engine::Rect to_edges(const engine::Rect& inclusive, const engine::Rect& world);

/// "x -443 to 0, y 0 to 12.5", in metres.
std::string edges_text(const engine::Rect& edges);

}  // namespace marchland::config
