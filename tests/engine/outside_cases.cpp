#include "tests/engine/outside_cases.h"

#include <flatbuffers/flexbuffers.h>
#include <flatbuffers/idl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace marchland::engine::testing {
namespace {

constexpr double kMillimetresAUnit = 1'000;

/// Thrown and caught in this file only.
struct NotUnderstood : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string text_of(const flexbuffers::Reference& value) {
    return value.IsString() ? value.AsString().str() : value.ToString();
}

std::int32_t millimetres(const flexbuffers::Reference& value) {
    const double wanted = value.IsNumeric() ? value.AsDouble() * kMillimetresAUnit : NAN;
    if (!(std::abs(wanted) <= double{std::numeric_limits<std::int32_t>::max()})) {
        throw NotUnderstood("not a length: " + text_of(value));
    }
    return static_cast<std::int32_t>(std::lround(wanted));
}

std::uint64_t id_in(const flexbuffers::Vector& list, std::size_t place) {
    if (place >= list.size() || !list[place].IsIntOrUint()) {
        throw NotUnderstood("no id");
    }
    return list[place].AsUInt64();
}

/// x, y and, if there is a number behind them, z, from the third place on.
Position position_in(const flexbuffers::Vector& change) {
    if (change.size() < 4) {
        throw NotUnderstood("no position");
    }
    const bool has_z = change.size() > 4 && change[4].IsNumeric();
    return {millimetres(change[2]), millimetres(change[3]), has_z ? millimetres(change[4]) : 0};
}

Change add_with_role(std::uint64_t id, Position at, View view, const flexbuffers::Reference& last) {
    const std::string role = last.IsString() ? last.AsString().str() : "wm";
    const bool watches = role.find('w') != std::string::npos;
    const bool is_seen = role.find('m') != std::string::npos;
    if (role.find_first_not_of("wm") != std::string::npos) {
        throw NotUnderstood("unknown role: " + role);
    }
    const AoiEntity entity{.id = EntityId{id},
                           .position = at,
                           .view = watches ? view : View{},
                           .layers = is_seen ? kDefaultLayer : kNoLayers};
    return [entity](Aoi& aoi) { return aoi.add(entity); };
}

/// A change, and whether its z is not 0.
struct ReadChange {
    Change change;
    bool has_height = false;
};

ReadChange read_change(const flexbuffers::Vector& list, View view) {
    const std::string what = list.size() == 0 ? "" : text_of(list[0]);
    const std::uint64_t id = id_in(list, 1);
    if (what == "del" || what == "remove") {
        return {remove(id)};
    }
    const Position at = position_in(list);
    if (what == "add") {
        return {add_with_role(id, at, view, list[list.size() - 1]), at.z != 0};
    }
    if (what == "move") {
        return {move(id, at), at.z != 0};
    }
    if (what == "teleport") {
        return {teleport(id, at), at.z != 0};
    }
    throw NotUnderstood("unknown change: " + what);
}

std::string read_line(const flexbuffers::Vector& sent) {
    const std::string what = sent.size() == 0 ? "" : text_of(sent[0]);
    if (what != "enter" && what != "leave" && what != "move") {
        throw NotUnderstood("unknown event: " + what);
    }
    return std::to_string(id_in(sent, 1)) + ' ' + what + ' ' + std::to_string(id_in(sent, 2));
}

View read_view(const flexbuffers::Map& map) {
    const std::string shape = map["shape"].IsNull() ? "circle" : text_of(map["shape"]);
    if (!map["inclusive"].IsNull() && !map["inclusive"].AsBool()) {
        throw NotUnderstood("a bound that is not inclusive");
    }
    const std::int32_t radius_mm = millimetres(map["radius"]);
    const flexbuffers::Reference leave = map["leave_radius"];
    const std::int32_t leave_mm = leave.IsNull() ? radius_mm : millimetres(leave);
    if (shape == "circle" || shape == "sphere") {
        return View::circle(radius_mm, leave_mm);
    }
    if (shape == "square" || shape == "cube") {
        return View::box({radius_mm, radius_mm, radius_mm}, {leave_mm, leave_mm, leave_mm});
    }
    throw NotUnderstood("unknown shape: " + shape);
}

Dimensions read_dimensions(const flexbuffers::Map& map, bool has_height) {
    const flexbuffers::Reference given = map[map["dims"].IsNull() ? "dimensions" : "dims"];
    if (given.IsNull()) {
        const std::string shape = text_of(map["shape"]);
        return has_height || shape == "sphere" || shape == "cube" ? Dimensions::three
                                                                  : Dimensions::two;
    }
    return given.AsInt64() == 3 ? Dimensions::three : Dimensions::two;
}

EventCase read_case(const flexbuffers::Map& map) {
    EventCase event_case;
    event_case.name = text_of(map["name"]);
    event_case.what_for = text_of(map["source"]) + ": " + text_of(map["note"]);
    constexpr std::int32_t kEnd = std::numeric_limits<std::int32_t>::max();
    event_case.bounds = {-kEnd, -kEnd, kEnd, kEnd};
    const View view = read_view(map);
    event_case.cell_mm = std::max(view.radius_mm, 1);
    const flexbuffers::Vector steps = map["steps"].AsVector();
    const flexbuffers::Vector expect = map["expect"].AsVector();
    if (steps.size() == 0 || steps.size() != expect.size()) {
        throw NotUnderstood("there is to be as much in expect as in steps, and something");
    }
    bool has_height = false;
    for (std::size_t step = 0; step < steps.size(); ++step) {
        CaseTick tick;
        const flexbuffers::Vector changes = steps[step].AsVector();
        for (std::size_t number = 0; number < changes.size(); ++number) {
            const ReadChange read = read_change(changes[number].AsVector(), view);
            tick.changes.push_back(read.change);
            has_height = has_height || read.has_height;
        }
        const flexbuffers::Vector sent = expect[step].AsVector();
        for (std::size_t number = 0; number < sent.size(); ++number) {
            tick.sent.push_back(read_line(sent[number].AsVector()));
        }
        std::sort(tick.sent.begin(), tick.sent.end());
        event_case.ticks.push_back(tick);
    }
    event_case.dimensions = read_dimensions(map, has_height);
    return event_case;
}

}  // namespace

std::variant<std::vector<EventCase>, std::string> read_outside_cases(const std::string& json) {
    flatbuffers::Parser parser;
    flexbuffers::Builder builder;
    if (!parser.ParseFlexBuffer(json.c_str(), nullptr, &builder)) {
        return parser.error_;
    }
    const flexbuffers::Reference root = flexbuffers::GetRoot(builder.GetBuffer());
    const flexbuffers::Vector list = root.AsVector();
    std::vector<EventCase> cases;
    for (std::size_t number = 0; number < list.size(); ++number) {
        const flexbuffers::Map map = list[number].AsMap();
        try {
            cases.push_back(read_case(map));
        } catch (const NotUnderstood& problem) {
            return text_of(map["name"]) + ": " + problem.what();
        }
    }
    return cases;
}

std::vector<std::string> as_outside_cases_tell(std::vector<std::string> sent, bool with_moves) {
    if (!with_moves) {
        std::erase_if(sent, [](const std::string& line) { return line.find("move") != line.npos; });
    }
    for (std::string& line : sent) {
        // The third word is the last.
        line.resize(std::min(line.size(), line.find(' ', line.find(' ', line.find(' ') + 1) + 1)));
    }
    std::sort(sent.begin(), sent.end());
    return sent;
}

bool expects_moves(const EventCase& event_case) {
    return std::any_of(event_case.ticks.begin(), event_case.ticks.end(), [](const CaseTick& tick) {
        return std::any_of(tick.sent.begin(), tick.sent.end(),
                           [](const std::string& line) { return line.find("move") != line.npos; });
    });
}

}  // namespace marchland::engine::testing
