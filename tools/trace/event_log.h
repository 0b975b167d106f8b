#pragma once

#include "engine/entity_store.h"
#include "engine/frame.h"
#include "engine/ids.h"
#include "tools/trace/fnv1a.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::trace {

/// What one watcher was told in one tick, each list in ascending id.
struct WatcherEvents {
    std::vector<engine::EntityId> enters;
    std::vector<engine::EntityId> leaves;
    std::vector<engine::EntityId> moves;

    [[nodiscard]] bool is_empty() const {
        return enters.empty() && leaves.empty() && moves.empty();
    }
    void clear() {
        enters.clear();
        leaves.clear();
        moves.clear();
    }
};

/// Adds what a frame tells its watcher.
void append_events(const engine::Frame& frame, const engine::EntityStore& entities,
                   WatcherEvents& to);

/// Counts and digests the events of a run as lines `tick,watcher,E|L|M,target\n`, all numbers
/// decimal, in ascending (tick, watcher, E before L before M, target).
///
/// Order  The caller's duty: ticks and, within a tick, watchers come in ascending order.
class EventLog {
public:
    using LineSink = std::function<void(std::string_view lines)>;

    EventLog() = default;
    /// `sink` gets the lines as well, a watcher's in one call.
    explicit EventLog(LineSink sink) : sink_(std::move(sink)) {}

    void add(std::size_t tick_index, engine::EntityId watcher, const WatcherEvents& events);

    [[nodiscard]] std::uint64_t enter_count() const { return enter_count_; }
    [[nodiscard]] std::uint64_t leave_count() const { return leave_count_; }
    [[nodiscard]] std::uint64_t move_count() const { return move_count_; }
    [[nodiscard]] std::uint64_t digest() const { return digest_.value(); }

private:
    void append(std::string_view prefix, char kind, std::span<const engine::EntityId> targets);

    LineSink sink_;
    Fnv1a64 digest_;
    std::uint64_t enter_count_ = 0;
    std::uint64_t leave_count_ = 0;
    std::uint64_t move_count_ = 0;
    std::string lines_;  ///< of one watcher; scratch memory
};

}  // namespace marchland::trace
