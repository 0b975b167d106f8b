#include "tools/trace/event_log.h"

#include <fmt/format.h>

namespace marchland::trace {
namespace {

void append_number(std::string& text, std::uint64_t number) {
    const fmt::format_int digits(number);
    text.append(digits.data(), digits.size());
}

}  // namespace

void append_events(const engine::Frame& frame, const engine::EntityStore& entities,
                   WatcherEvents& to) {
    for (const engine::Slot slot : frame.enters) {
        to.enters.push_back(entities.at(slot).id);
    }
    for (const engine::Leave& leave : frame.leaves) {
        to.leaves.push_back(leave.id);
    }
    for (const engine::Slot slot : frame.moves) {
        to.moves.push_back(entities.at(slot).id);
    }
}

void EventLog::add(std::size_t tick_index, engine::EntityId watcher, const WatcherEvents& events) {
    enter_count_ += events.enters.size();
    leave_count_ += events.leaves.size();
    move_count_ += events.moves.size();

    if (events.is_empty()) return;
    std::string prefix;
    append_number(prefix, tick_index);
    prefix += ',';
    append_number(prefix, engine::to_number(watcher));
    prefix += ',';
    lines_.clear();
    append(prefix, 'E', events.enters);
    append(prefix, 'L', events.leaves);
    append(prefix, 'M', events.moves);
    digest_.add(lines_);
    if (sink_) sink_(lines_);
}

void EventLog::append(std::string_view prefix, char kind,
                      std::span<const engine::EntityId> targets) {
    for (const engine::EntityId target : targets) {
        lines_ += prefix;
        lines_ += kind;
        lines_ += ',';
        append_number(lines_, engine::to_number(target));
        lines_ += '\n';
    }
}

}  // namespace marchland::trace
