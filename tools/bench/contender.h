#pragma once

#include "engine/assert.h"
#include "engine/entity.h"
#include "engine/index/index.h"
#include "tools/bench/workload.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

/// Who answers the question of who sees whom, to be timed: hash_grid.cpp, space_contenders.cpp.
namespace marchland::bench {

enum class EventKind : std::uint8_t { enter = 1, leave = 2, move = 3 };

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
    std::uint64_t checksum = 0;

    friend bool operator==(const EventTotals&, const EventTotals&) = default;

    EventTotals& operator+=(const EventTotals& other) {
        enter += other.enter;
        leave += other.leave;
        move += other.move;
        checksum += other.checksum;
        return *this;
    }

    /// `count` events of one watcher and kind, whose targets sum up to `target_sum`.
    void add(std::uint32_t watcher, EventKind kind, std::uint64_t count, std::uint64_t target_sum) {
        if (count == 0) return;
        constexpr std::array kCounts = {&EventTotals::enter, &EventTotals::leave,
                                        &EventTotals::move};
        this->*kCounts[static_cast<std::size_t>(kind) - 1] += count;
        checksum += weight_of(watcher, kind) * (target_sum + count);
    }
};

/// It starts at the positions that it is made with, and has sent everyone's first frame before the
/// first call. Both calls give every event of what they are given, as sorted lists per watcher,
/// read them once into the totals, and leave it as it will be found by the next call. Targets and
/// watchers are the numbers of a Movement's entities.
class Contender {
public:
    Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;
    virtual ~Contender() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;

    /// Do the workload's limits hold for it?
    [[nodiscard]] virtual bool is_limited() const { return false; }

    /// Of its records, cells' lists and known sets, for each entity; nothing where it is not
    /// counted.
    [[nodiscard]] virtual std::optional<double> bytes_per_entity() const { return {}; }

    /// How many threads work in run_tick.
    [[nodiscard]] virtual unsigned threads() const { return 1; }

    /// A whole tick: each goes where `to` says, then each watcher's visible set is compared with
    /// that of the tick before. `move` are those who stay in view at another position.
    virtual EventTotals run_tick(std::span<const engine::Position> to) = 0;

    /// One move after the other. Each has its events at once: for the mover who enters and leaves
    /// its view; for everyone around that the mover enters, leaves, or moves in theirs.
    /// Those that only do whole ticks leave it as it is: it asserts.
    virtual EventTotals run_moves(std::span<const Move>) {
        MARCHLAND_ASSERT(false);
        return {};
    }
};

using Positions = std::span<const engine::Position>;

/// A hash table of cells with a visible set per watcher, a sorted array: whoever is in range is
/// queried and sorted, and what is only in the new or only in the old set are the events. For usual
/// workloads: see is_usual().
std::unique_ptr<Contender> make_hash_grid(const Workload& workload, Positions at);

/// engine::InterestSystem as a shard uses it: moves, then frames. One move at a time is a tick of
/// its own for each. `index` is one of engine::index_names().
std::unique_ptr<Contender> make_interest(std::string_view index, const Workload& workload,
                                         Positions at);

/// Two engine::InterestSystem, each with half of the map, on a thread each: what two shards cost
/// without their queues, gates and clients. Only whole ticks, and only usual workloads.
std::unique_ptr<Contender> make_halves(std::string_view index, const Workload& workload,
                                       Positions at);

/// The name of the contender that is the library.
inline constexpr std::string_view kAoi = "aoi";

/// engine::Aoi as a program without shards uses it: moves by id, then tick() and its events. With
/// its index by default. One move at a time is a tick of its own for each.
std::unique_ptr<Contender> make_aoi(const Workload& workload, Positions at);

/// An entity of a workload: its number is its id.
engine::Entity entity_at(std::uint32_t number, engine::Position at, const Senses& senses);

/// For all that make an index for a workload.
engine::IndexOptions index_options(const Workload& workload);

}  // namespace marchland::bench
