#pragma once

#include "engine/entity.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace marchland::engine {

/// Something that an entity says once, to whoever sees it or to some by name: a blow, a shout, a
/// letter. docs/visibility.md says who is sent it, and when.
struct EntityEvent {
    Blob payload;              ///< up to kEventBytesMax; null: no bytes
    std::vector<EntityId> to;  ///< empty: whoever sees the source; else those named, seen or not
};

inline constexpr std::size_t kEventBytesMax = 1024;
inline constexpr std::size_t kEventTargetsMax = 64;
/// Of one entity, from one port.
inline constexpr std::size_t kEventsPerTickMax = 16;
/// Of one entity whose port changed in the tick, maybe more than once: what is above is not taken.
inline constexpr std::size_t kEventsOfAllPortsMax = 64;

/// Is it within the limits? Whoever fills Inputs has checked.
inline bool is_sound(const EntityEvent& event) {
    return event.to.size() <= kEventTargetsMax &&
           (event.payload == nullptr || event.payload->size() <= kEventBytesMax);
}

/// An event, as a frame tells it.
struct EventDelivered {
    EntityId source{};
    Tick tick = kNever;  ///< in which it was sent: earlier than the frame's if frames were left out
    std::span<const std::byte> payload;
};

struct KeptEvent {
    Tick tick = kNever;
    std::uint32_t number = 0;  ///< counts what its source sent in that tick, from 0
    Blob payload;

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_of(payload); }
    /// In the memory's model: the payload and something for the rest.
    [[nodiscard]] std::size_t cost() const { return bytes().size() + 64; }
};

/// What one life of an entity sent lately to those who see it. Kept for watchers that take no frame
/// in every tick; older events give way to newer ones, but none to one of its own tick. Immutable: a
/// shard and its neighbours' ghosts point at one.
///
/// Invariants
///  1. `events` is in ascending (tick, number).
///  2. All events of the newest tick are here, whatever they cost: so whoever takes a frame in every
///     tick misses nothing. With the older ones, if any, they cost at most kBytesMax.
///  3. All events after `lost_tick` are here, and none that was sent before it.
struct EventLog {
    static constexpr std::size_t kBytesMax = 16'384;

    std::vector<KeptEvent> events;
    Tick lost_tick = kNever;  ///< of the newest event that gave way

    [[nodiscard]] Tick newest_tick() const { return events.empty() ? kNever : events.back().tick; }
};

using EventLogPtr = std::shared_ptr<const EventLog>;

/// The log with more events, in order and later than all in it. `log` may be null: none yet.
EventLogPtr with(const EventLogPtr& log, std::span<const KeptEvent> events);

/// An event to some by name.
struct NamedEvent {
    /// Beside events themselves, what somebody has to know who was not here when they were said.
    enum class Kind : std::uint8_t {
        sent,      ///< to those it names
        counted,   ///< it gave way wherever it was kept, and counts among what was said
        gave_way,  ///< up to this one, all that name `to`; where it names nobody, all
    };

    EntityId source{};
    Tick birth = kNever;  ///< of the source
    KeptEvent event;
    std::shared_ptr<const std::vector<EntityId>> to;
    Kind kind = Kind::sent;
};

/// Events by whom they name, for those that take no frame in every tick. Whoever is named may be
/// anywhere in the zone, and go anywhere before it takes a frame: so every shard keeps all of them.
///
/// What is kept follows from what was said, never from when or in which order it was received here: so
/// every shard keeps the same. By tick, source, birth and number,
///
///    of the zone        the newest kNamingsMax namings (an event to three is three), and all of the
///                       newest tick; what is older gives way for good
///    of one who is named  of these, the newest that cost EventLog::kBytesMax, and all of the newest
///                       tick in which it was named
///
/// So whoever takes a frame in every tick misses nothing.
///
/// Of what was said before the window that the owner keeps by calling forget_before, nothing is.
///
/// Bounds   Payloads up to kNamingsMax * kBlobBytesMax, 64 MiB, and the newest tick's; some 200 bytes
///          beside each naming, also of one whose payload gave way.
/// Cost     add O(targets * log of what is kept), where events come in their order; one that comes
///          later than it ought to moves what is kept of those after it. find O(1).
class NamedEvents {
public:
    static constexpr std::size_t kNamingsMax = 65'536;

    struct Kept {
        EntityId source{};
        Tick birth = kNever;
        KeptEvent event;
    };
    struct Mailbag {
        std::vector<Kept> events;  ///< by tick, source, birth and number, each once
        Tick lost_tick = kNever;   ///< of the newest that gave way to others that name the same
    };

    explicit NamedEvents(std::size_t namings_max = kNamingsMax) : namings_max_(namings_max) {}

    /// One that is here already is not added again.
    void add(const NamedEvent& named);
    /// Null: nothing is kept for it.
    [[nodiscard]] const Mailbag* find(EntityId target) const;
    /// Of the newest event ever added.
    [[nodiscard]] Tick newest_tick() const { return newest_tick_; }
    /// Of the newest event that gave way to others in the zone: whom it named is forgotten.
    [[nodiscard]] Tick lost_tick() const { return tick_of(lost_); }
    /// Nobody will ask for events from before `tick`, nor whether some were lost: they are forgotten.
    void forget_before(Tick tick);
    using IsAsked = std::function<bool(EntityId source, Tick birth)>;
    /// All that somebody needs to know what this one knows, in the order in which it is to be added; or of
    /// that what those told of whom it is asked. What gave way belongs to each part: without it an event comes
    /// to one from whom it was taken here.
    /// Cost: O(what gave way + what is kept), and a search for each event that is asked for.
    [[nodiscard]] std::vector<NamedEvent> remembered(const IsAsked& is_asked = {}) const;

private:
    using Key = std::pair<std::pair<Tick, EntityId>, std::pair<Tick, std::uint32_t>>;
    using Targets = std::shared_ptr<const std::vector<EntityId>>;

    struct Bag {
        Mailbag mail;
        Key lost{};            ///< the newest that gave way
        std::size_t cost = 0;  ///< of mail.events
    };
    static Key key_of(const NamedEvent& named);
    static Key key_of(const Kept& kept);
    static Tick tick_of(const Key& key) { return key.first.first; }
    static NamedEvent with_key(const Key& key, Targets to, NamedEvent::Kind kind);
    static void put(Bag& bag, const Kept& kept);
    static std::size_t first_kept(const Bag& bag);
    static void let_go(Bag& bag, const Key& key);
    static void drop_up_to(Bag& bag, const Key& key);
    void let_go(const NamedEvent& named);
    void make_room();
    void drop_up_to(const Key& key, const Targets& targets);
    [[nodiscard]] const Kept* find_kept(const Key& key, const Targets& targets) const;

    const std::size_t namings_max_;
    std::unordered_map<EntityId, Bag> bags_;  ///< each holds an event, or knows that one gave way
    /// Of the newest that gave way in a bag in which nothing is left; kNever: there is none.
    Tick emptied_tick_ = kNever;
    std::map<Key, Targets> said_;  ///< all after lost_ and in the window
    std::size_t namings_ = 0;      ///< in said_
    Key lost_{};
    Tick newest_tick_ = kNever;
    Tick forgotten_before_ = kNever;
};

}  // namespace marchland::engine
