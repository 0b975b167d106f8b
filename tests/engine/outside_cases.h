#pragma once

#include "tests/engine/event_case.h"

#include <string>
#include <variant>
#include <vector>

namespace marchland::engine::testing {

/// Cases that other systems' test suites pin down, from a JSON file that is no part of the project:
///
///     [{"name": "...", "radius": 5, "steps": [[["add", 0, 0, 0], ["add", 1, 3, 4]], ...],
///       "expect": [[["enter", 0, 1], ["enter", 1, 0]], ...]}, ...]
///
/// A step is a tick. Its changes are ["add", id, x, y] with, when they are given, z and a role ("w"
/// watches and is not seen, "m" is seen and does not watch; both by default), ["move", id, x, y],
/// the same with z, and ["del", id]. Numbers are whole or decimal; a thousandth is a millimetre.
/// "leave_radius" is the radius by default, "dims" ("dimensions") 2 unless a z, a sphere or a cube
/// says otherwise.
/// "shape" is circle, sphere, or a square or cube of twice the radius.
/// Of what is sent, moves are compared only in a case that expects some, and reasons never.
///
/// Text    The first thing that is not understood, instead of cases: nothing is passed over, for a
///         change that is left out would make another case of it.
std::variant<std::vector<EventCase>, std::string> read_outside_cases(const std::string& json);

/// What an Aoi sent, in the way of these files: without reasons, with moves or without, sorted.
std::vector<std::string> as_outside_cases_tell(std::vector<std::string> sent, bool with_moves);

/// Does the case expect moves?
bool expects_moves(const EventCase& event_case);

}  // namespace marchland::engine::testing
