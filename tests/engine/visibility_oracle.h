#pragma once

#include "engine/entity.h"
#include "engine/frame/crowd_limits.h"
#include "engine/frame/departures.h"
#include "tests/engine/sent_frame.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace marchland::engine::testing {

/// docs/visibility.md, written down as plainly as can be: maps, sets and all pairs, with its own
/// distances and its own memory of who moved when. It shares no line with what it judges.
///
/// An entity that is `away` lives on in the zone, but not where frames are built: a ghost that went
/// out of reach. It moves there too, and may come back.
class VisibilityOracle {
public:
    explicit VisibilityOracle(Dimensions dimensions, const CrowdLimits& limits = {},
                              StateSlots slots = {})
        : dimensions_(dimensions), limits_(limits), slots_(std::move(slots)) {}

    void begin_tick(Tick now);
    void slow_rings(std::uint32_t times) { ring_slowdown_ = times; }
    void lower_budgets(std::uint32_t frame_bytes_max) { lower_budget_ = frame_bytes_max; }

    void insert(const Entity& entity);
    void erase(EntityId id);
    void move(EntityId id, Position to) { lives_.at(id).entity.position = to; }
    void set_view(EntityId id, View view) { lives_.at(id).entity.view = view; }
    void set_facing(EntityId id, Angle facing) { lives_.at(id).entity.facing = facing; }
    void set_notify(EntityId id, NotifyRange notify) { lives_.at(id).entity.notify = notify; }
    void set_layers(EntityId id, LayerMask layers, LayerMask layers_seen);
    void set_state(EntityId id, const StateWrite& write);
    /// Empty `to`: to who sees it. Returns how many the entity had sent in this tick.
    std::uint32_t say(EntityId id, const Blob& payload);
    void ask_keyframe(EntityId id) { watches_.at(id).keyframe_due = true; }
    void set_away(EntityId id, bool is_away) { lives_.at(id).is_away = is_away; }

    void record_departure(EntityId id);
    void forget_before(Tick tick);
    [[nodiscard]] Tick forgotten_before() const { return forgotten_before_; }
    /// Somebody has still to be sent what happened in this tick, who will not be sent all anew.
    [[nodiscard]] Tick needed_from() const;

    void watch(EntityId id) { watches_[id] = {}; }
    /// The first tick of which no frame was sent to it.
    [[nodiscard]] Tick owed_from(EntityId id) const;
    /// It came with what it knows, from another InterestSystem or back from nowhere.
    void house_anew(EntityId id);
    /// Of what was said to it some may be sent again, and of others that is forgotten.
    [[nodiscard]] bool may_lack_what_is_forgotten(EntityId id) const {
        return watches_.at(id).synced_tick + 1 < forgotten_before_;
    }
    void unwatch(EntityId id) { watches_.erase(id); }

    SentFrame build_frame(EntityId watcher, bool complete);

    [[nodiscard]] bool is_alive(EntityId id) const { return lives_.contains(id); }
    [[nodiscard]] bool is_away(EntityId id) const { return lives_.at(id).is_away; }
    [[nodiscard]] bool is_watched(EntityId id) const { return watches_.contains(id); }
    /// Those for which frames can be built, in ascending id.
    [[nodiscard]] std::vector<EntityId> watched_here() const;
    [[nodiscard]] Tick birth_of(EntityId id) const { return lives_.at(id).entity.birth; }
    [[nodiscard]] Position position_of(EntityId id) const { return lives_.at(id).entity.position; }
    /// Where it was at the end of the last tick, or where it was born in this one.
    [[nodiscard]] Position began_at(EntityId id) const { return lives_.at(id).began_at; }
    /// The last tick that ended with it elsewhere than it had begun; kNever if none.
    [[nodiscard]] Tick moved_tick(EntityId id) const;
    [[nodiscard]] View view_of(EntityId id) const { return lives_.at(id).entity.view; }
    /// Is the other in the watcher's enter range, whatever layers and notification ranges?
    [[nodiscard]] bool is_in_view(EntityId watcher, EntityId other) const;
    [[nodiscard]] Tick now() const { return now_; }

private:
    struct Life {
        Entity entity;  ///< its `previous` and ticks are not looked at
        Position began_at;
        std::vector<Tick> moved_ticks;  ///< those that are over
        bool is_away = false;
        /// By number, all that were ever set: the value, and when it changed last.
        std::map<std::uint8_t, std::pair<StateWrite, Tick>> state = {};
    };
    /// What a watcher lacks of an entity's slots, by number.
    struct Lack {
        std::set<std::uint8_t> slots;
        Tick since = kNever;  ///< the frame that had no room for them; kNever: none
    };
    struct Watch {
        std::map<EntityId, Tick> known;        ///< id to birth
        std::map<EntityId, Tick> right_until;  ///< the last tick whose end w knows e's place of
        Tick synced_tick = kNever;
        Tick framed_tick = kNever;  ///< also where changes were missing
        bool keyframe_due = false;
        bool is_newly_housed = true;  ///< until its first frame there
        /// Places in said_, or they were passed over for good.
        std::set<std::size_t> sent_messages;
        // What did not fit.
        std::set<std::size_t> waiting_messages;  ///< places in said_
        std::map<EntityId, Lack> lacks;
        std::int64_t credit_bytes = 0;
        Tick credit_tick = kNever;
    };
    /// One after the other is sent, until all bytes are used.
    struct Budget {
        bool is_set = false;
        std::int64_t bytes = 0;
        std::int64_t used = 0;
        bool send(std::int64_t cost);
    };
    struct Said {
        EntityId source{};
        Tick birth = kNever;
        Tick tick = kNever;
        std::uint32_t number = 0;
        std::vector<std::byte> payload;
    };

    /// More is forgotten than it was sent: its next frame here has all anew, and says that messages
    /// are lost.
    [[nodiscard]] bool has_missed_what_is_forgotten(EntityId id) const;
    [[nodiscard]] bool is_in_range(const Entity& watcher, const Entity& entity, bool leave) const;
    [[nodiscard]] bool is_visible(const Entity& watcher, const Watch& watch,
                                  const Life& life) const;
    [[nodiscard]] LeaveReason reason(const Entity& watcher, EntityId id, Tick birth) const;
    [[nodiscard]] bool has_departed(EntityId id, Tick birth) const;
    using Ids = std::map<EntityId, Tick>;  ///< id to birth
    Budget budget_for(Watch& watch, std::size_t leaves) const;
    /// Those of `sources` that the watcher is sent; `are_new`: it begins to see them.
    std::vector<std::size_t> find_messages(const Entity& watcher, Watch& watch, const Ids& sources,
                                           const Ids& visible, bool are_new, bool has_missed) const;
    void send_messages(std::vector<std::size_t> places, Watch& watch, Budget& budget,
                       std::set<std::size_t>& sent) const;
    void drop_oldest_messages(Watch& watch, SentFrame& frame) const;
    void send_states(const Entity& watcher, Ids stayed, Watch& watch, bool complete, Budget& budget,
                     SentFrame& frame) const;
    void send_enters(const Entity& watcher, Ids& entering, Watch& watch, Budget& budget,
                     SentFrame& frame) const;
    [[nodiscard]] bool may_have(const Entity& watcher, const Entity& entity,
                                std::uint8_t slot) const;
    [[nodiscard]] SentState state_for(const Entity& watcher, EntityId id,
                                      const std::set<std::uint8_t>& slots) const;
    [[nodiscard]] std::set<std::uint8_t> set_slots(EntityId id) const;
    [[nodiscard]] bool is_for(const Said& said, const Entity& watcher, const Watch& watch,
                              const Ids& visible) const;
    /// Of those that stayed and moved since: is it to be sent now, or does it wait for its slot?
    struct Due {
        EntityId id{};
        Tick right_until = kNever;
    };
    [[nodiscard]] bool is_stale(Tick right_until) const;
    std::vector<Due> find_due(const Entity& watcher, const Watch& watch, const Ids& stayed,
                              SentFrame& frame) const;
    std::vector<EntityId> send_moves(const Entity& watcher, const Watch& watch,
                                     std::vector<Due> moves, bool are_stale, Budget& budget,
                                     SentFrame& frame) const;
    [[nodiscard]] bool is_due(const Entity& watcher, EntityId other, Tick right_until) const;
    void cap(const Entity& watcher, const Watch& watch, std::map<EntityId, Tick>& visible) const;

    const Dimensions dimensions_;
    const CrowdLimits limits_;
    const StateSlots slots_;
    Tick now_ = kNever;
    Tick ring_slowdown_ = 1;
    std::uint32_t lower_budget_ = 0;
    Tick forgotten_before_ = kNever;
    std::map<EntityId, Life> lives_;
    std::map<EntityId, Watch> watches_;
    std::vector<std::pair<engine::Life, Tick>> departures_;
    std::vector<Said> said_;
};

}  // namespace marchland::engine::testing
