#pragma once

#include "engine/entity_store.h"
#include "engine/frame/frame.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marchland::trace {

/// FNV-1a, 64 bits: a digest that tells two streams of lines apart, not one against an attacker.
///
/// Cost    About 1.5 ns a byte: each waits for the multiplication of the one before.
/// Source  Fowler, Noll, Vo; draft-eastlake-fnv.
class Fnv1a64 {
public:
    void add(std::string_view bytes) {
        for (const char byte : bytes) {
            value_ ^= static_cast<unsigned char>(byte);
            value_ *= 0x100000001b3U;
        }
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// What one watcher's frame of one tick holds, each list in ascending id.
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

/// Adds what a frame holds.
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
