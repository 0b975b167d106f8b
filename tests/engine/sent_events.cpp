#include "tests/engine/sent_events.h"

#include "tests/engine/sent_frame.h"

#include <cstddef>

namespace marchland::engine::testing {
namespace {

std::string state_of(const AoiEvent& event) {
    std::string text(event.state.empty() ? 0 : 1, ' ');
    for (const std::byte byte : event.state) {
        text.push_back(static_cast<char>(byte));
    }
    return text;
}

std::string line(const AoiEvent& event) {
    const std::string watcher = std::to_string(to_number(event.watcher));
    const std::string target = std::to_string(to_number(event.target));
    switch (event.kind) {
        case EventKind::enter:
            return watcher + " enter " + target + state_of(event);
        case EventKind::move:
            return watcher + " move " + target + (event.jumped ? " jumped" : "");
        case EventKind::state:
            return watcher + " state " + target + state_of(event);
        default:
            return watcher + " leave " + target + ' ' + name_of(event.reason);
    }
}

}  // namespace

std::vector<std::string> sent(std::span<const AoiEvent> events) {
    std::vector<std::string> lines;
    for (const AoiEvent& event : events) {
        lines.push_back(line(event));
    }
    return lines;
}

}  // namespace marchland::engine::testing
