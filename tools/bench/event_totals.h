#pragma once

#include <cstdint>
#include <span>

namespace marchland::bench {

/// `seen` is no event: who is in view, as a query alone finds it.
enum class EventKind : std::uint8_t { enter = 1, leave = 2, move = 3, seen = 4 };

/// A number for a watcher and a kind, without pattern (the finalizer of splitmix64).
constexpr std::uint64_t weight_of(std::uint32_t watcher, EventKind kind) {
    std::uint64_t z = (std::uint64_t{watcher} << 3U) + static_cast<std::uint64_t>(kind);
    z = (z + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

/// How many events there were, and a sum over all of them that does not depend on their order:
///
///   checksum = sum over watchers and kinds of weight_of(watcher, kind) * sum of (target + 1)
///
/// Cheap enough to run inside the timed section, where it reads every list once as a server would
/// that writes it out: an addition per event, a multiplication per list.
struct EventTotals {
    std::uint64_t enter = 0;
    std::uint64_t leave = 0;
    std::uint64_t move = 0;
    std::uint64_t seen = 0;
    std::uint64_t checksum = 0;

    friend bool operator==(const EventTotals&, const EventTotals&) = default;

    EventTotals& operator+=(const EventTotals& other) {
        enter += other.enter;
        leave += other.leave;
        move += other.move;
        seen += other.seen;
        checksum += other.checksum;
        return *this;
    }

    /// `count` events of one watcher and kind, whose targets sum up to `target_sum`.
    void add(std::uint32_t watcher, EventKind kind, std::uint64_t count, std::uint64_t target_sum) {
        if (count == 0) return;
        count_of(kind) += count;
        checksum += weight_of(watcher, kind) * (target_sum + count);
    }

private:
    std::uint64_t& count_of(EventKind kind) {
        switch (kind) {
            case EventKind::enter:
                return enter;
            case EventKind::leave:
                return leave;
            case EventKind::move:
                return move;
            case EventKind::seen:
                break;
        }
        return seen;
    }
};

}  // namespace marchland::bench
