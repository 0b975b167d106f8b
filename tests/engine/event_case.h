#pragma once

#include "engine/aoi.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::engine::testing {

/// What happens to the world of a case: one call of an Aoi.
using Change = std::function<AoiStatus(Aoi&)>;

Change add(std::uint64_t id, Position at, View view = {});
/// A marker that is in the layers of `layers`.
Change add_in(std::uint64_t id, Position at, LayerMask layers);
Change remove(std::uint64_t id);
Change move(std::uint64_t id, Position to);
Change teleport(std::uint64_t id, Position to);
Change view(std::uint64_t id, View view);
Change facing(std::uint64_t id, Angle facing);
Change notify(std::uint64_t id, NotifyRange notify);
Change layers(std::uint64_t id, LayerMask layers, LayerMask layers_seen);
/// The bytes of this text; none: none.
Blob state_of(std::string_view text);
Change state(std::uint64_t id, std::string_view text);

/// One tick: what happens in it, and the lines (sent_events.h) that are sent at its end.
struct CaseTick {
    std::vector<Change> changes;
    std::vector<std::string> sent;
};

/// A small story, what is to be sent in it, and why anybody would want to know.
struct EventCase {
    std::string name;
    std::string what_for;
    std::vector<CaseTick> ticks;
    Dimensions dimensions = Dimensions::two;
    Rect bounds{-1'000, -1'000, 1'000, 1'000};
    std::int32_t cell_mm = 50;
};

/// For the names of failed tests.
inline void PrintTo(const EventCase& event_case, std::ostream* out) {
    *out << event_case.name << ": " << event_case.what_for;
}

/// Each index that an Aoi can be made with, the loose quadtree besides.
struct IndexChoice {
    std::string name;
    bool is_loose = false;
};
std::vector<IndexChoice> index_choices();

/// What an Aoi over this index sends, tick by tick. A change that is refused is in its tick as
/// "refused: " and its text.
std::vector<std::vector<std::string>> play(const EventCase& event_case, const IndexChoice& index);

/// The project's own table.
const std::vector<EventCase>& own_cases();

}  // namespace marchland::engine::testing
