#include "tests/engine/event_case.h"

#include "engine/index/index.h"
#include "tests/engine/sent_events.h"

#include <cstddef>
#include <memory>
#include <span>

namespace marchland::engine::testing {

Change add(std::uint64_t id, Position at, View view) {
    return [=](Aoi& aoi) { return aoi.add({.id = EntityId{id}, .position = at, .view = view}); };
}

Change add_in(std::uint64_t id, Position at, LayerMask layers) {
    return
        [=](Aoi& aoi) { return aoi.add({.id = EntityId{id}, .position = at, .layers = layers}); };
}

Change remove(std::uint64_t id) {
    return [=](Aoi& aoi) { return aoi.remove(EntityId{id}); };
}

Change move(std::uint64_t id, Position to) {
    return [=](Aoi& aoi) { return aoi.move(EntityId{id}, to); };
}

Change teleport(std::uint64_t id, Position to) {
    return [=](Aoi& aoi) { return aoi.teleport(EntityId{id}, to); };
}

Change view(std::uint64_t id, View view) {
    return [=](Aoi& aoi) { return aoi.set_view(EntityId{id}, view); };
}

Change facing(std::uint64_t id, Angle facing) {
    return [=](Aoi& aoi) { return aoi.set_facing(EntityId{id}, facing); };
}

Change notify(std::uint64_t id, NotifyRange notify) {
    return [=](Aoi& aoi) { return aoi.set_notify(EntityId{id}, notify); };
}

Change layers(std::uint64_t id, LayerMask layers, LayerMask layers_seen) {
    return [=](Aoi& aoi) { return aoi.set_layers(EntityId{id}, layers, layers_seen); };
}

Blob state_of(std::string_view text) {
    if (text.empty()) {
        return nullptr;
    }
    const auto bytes = std::as_bytes(std::span(text));
    return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

Change state(std::uint64_t id, std::string_view text) {
    return [id, bytes = state_of(text)](Aoi& aoi) { return aoi.set_state(EntityId{id}, bytes); };
}

std::vector<IndexChoice> index_choices() {
    std::vector<IndexChoice> choices;
    for (const std::string_view name : index_names()) {
        choices.push_back({std::string(name)});
    }
    choices.push_back({"quadtree", true});
    return choices;
}

std::vector<std::vector<std::string>> play(const EventCase& event_case, const IndexChoice& index) {
    AoiOptions options;
    options.index_name = index.name;
    options.index.bounds = event_case.bounds;
    options.index.dimensions = event_case.dimensions;
    options.index.cell_mm = event_case.cell_mm;
    options.index.quadtree_is_loose = index.is_loose;
    const auto [aoi, status] = Aoi::make(options);
    if (!status) {
        return {{"refused: " + status.text()}};
    }
    std::vector<std::vector<std::string>> ticks;
    for (const CaseTick& tick : event_case.ticks) {
        std::vector<std::string> lines;
        for (const Change& change : tick.changes) {
            if (const AoiStatus changed = change(*aoi); !changed) {
                lines.push_back("refused: " + changed.text());
            }
        }
        const AoiStatus ticked = aoi->tick();
        const std::vector<std::string> events =
            ticked ? sent(aoi->events()) : std::vector<std::string>{"refused: " + ticked.text()};
        lines.insert(lines.end(), events.begin(), events.end());
        ticks.push_back(lines);
    }
    return ticks;
}

}  // namespace marchland::engine::testing
