#pragma once

#include "engine/assert.h"
#include "engine/entity.h"
#include "engine/frame/crowd_limits.h"
#include "engine/frame/frame.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/index/index.h"
#include "engine/interest_system.h"
#include "engine/slot_map.h"
#include "engine/view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::engine {

/// How an Aoi is made. All but the bounds may stay as it is.
struct AoiOptions {
    static constexpr std::size_t kEntitiesMax = std::size_t{1} << 27U;
    static_assert(kEntitiesMax <= kSlotsMax);
    static constexpr std::size_t kCellsMax = std::size_t{1} << 24U;

    std::string index_name = "grid_cross_list";  ///< one of index_names()
    IndexOptions index;                          ///< bounds, dimensions, and what suits the index
    std::size_t entities_max = 1'000'000;        ///< from 1 to kEntitiesMax; more are refused
    CrowdLimits crowd;                           ///< of each watcher; none are set by default
};

/// The first option that is wrong and what it may be; empty where all is well.
std::string_view what_is_wrong_with(const AoiOptions& options);

enum class EventKind : std::uint8_t { enter, move, leave, state };

/// One thing that one watcher is to be sent at the end of a tick (docs/visibility.md).
struct AoiEvent {
    EventKind kind{};
    EntityId watcher{};
    EntityId target{};
    /// Where the target is. Of a leave all 0: where somebody is that the watcher does not see is
    /// nothing that should reach it by mistake.
    Position position;
    LeaveReason reason{};  ///< of a leave; else without meaning
    /// Of a move: by teleport(), so show it there, do not glide. Of one that limits held back: it
    /// teleported within the longest time that they may hold one back.
    bool jumped = false;
    /// Of an enter and a state: all bytes of the target's state, none if it has none. Valid until
    /// the next tick, whatever is changed until then.
    std::span<const std::byte> state = {};

    /// States by their bytes.
    friend bool operator==(const AoiEvent& a, const AoiEvent& b) {
        return a.kind == b.kind && a.watcher == b.watcher && a.target == b.target &&
               a.position == b.position && a.reason == b.reason && a.jumped == b.jumped &&
               std::ranges::equal(a.state, b.state);
    }
};

using EventSink = std::function<void(const AoiEvent&)>;

/// What an Aoi refuses to do. Whatever was refused changed nothing.
enum class AoiError : std::uint8_t {
    none,
    bad_options,      ///< see AoiStatus::detail
    unknown_id,       ///< no entity of that id is here
    id_in_use,        ///< an entity of that id is here already, or twice in one load
    outside_bounds,   ///< the position is not within the bounds
    bad_view,         ///< not sound, see flaw_of; the detail says what it needs
    bad_notify,       ///< a notification range that is not 0 <= radius_mm <= leave_radius_mm
    bad_state,        ///< of more than kBlobBytesMax bytes
    bad_area,         ///< of a query; the detail says what is wrong with it
    full,             ///< there are entities_max already, or would be
    inside_callback,  ///< a change from inside a callback of tick()
};

/// Did it go well, and if not, why not? True means yes:
///
///     if (const AoiStatus moved = aoi.move(id, to); !moved) { log(moved.text()); }
struct [[nodiscard]] AoiStatus {
    AoiError error = AoiError::none;
    EntityId id{};          ///< whose change was refused; without meaning where there is none
    std::size_t place = 0;  ///< of a load: which of its entities, from 0
    /// Of bad_options, id_in_use, bad_view, bad_area; for as long as the program.
    std::string_view detail = {};

    explicit operator bool() const { return error == AoiError::none; }

    /// A sentence for a log: "id 7 is not here". "ok" where all went well.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const AoiStatus&, const AoiStatus&) = default;
};

/// An entity as a user of the library describes it.
struct AoiEntity {
    EntityId id{};
    Position position = {};
    View view = {};  ///< none by default: it is seen, and sees nothing
    Angle facing = 0;
    NotifyRange notify = {};
    LayerMask layers = kDefaultLayer;
    LayerMask layers_seen = kDefaultLayer;
    /// 0 to 255: how much its moves count where AoiOptions::crowd has a byte budget.
    std::uint8_t importance = 1;
    /// Bytes of the game's own, up to kBlobBytesMax, for whoever sees it; null: none.
    Blob state = nullptr;
};

/// A circle in a flat world, a sphere in one of three dimensions.
struct Circle {
    Position center;
    std::int32_t radius_mm = 0;
};

/// What somebody at `from` who faces there would begin to see, notification ranges aside.
struct Look {
    Position from;
    View view;  ///< of any shape; only its enter range is asked for
    Angle facing = 0;
};

/// Who sees whom, as a library: entities come, move and go; tick() reports what that means for each
/// watcher. One thread, no shards, no network; docs/library.md shows a program.
///
///     add, move, set_view ... -> tick() -> events: per watcher its leaves, enters, moves, states
///
/// In `engine` and not in a namespace above, because all that it takes and gives (Position, View,
/// EntityId, LeaveReason) is from there: one name for one thing.
///
/// Units    Millimetres, int32. Visibility is docs/visibility.md, exact; every watcher, every tick,
///          with whatever AoiOptions::crowd leaves out.
/// Errors   What a caller does wrong is refused with a status, and then nothing has changed.
/// Calls    From inside a callback everything may be asked and nothing changed: changes and tick()
///          are refused with AoiError::inside_callback. To destroy the Aoi there ends the program.
/// Order    Events: ascending watcher; of each watcher leaves, enters, moves, states; of each
///          ascending target. The same calls give the same events, whatever the index.
/// Threads  One at a time, queries too: they share their scratch memory.
/// Cost     Of a change O(1), but for what the index makes of an add and a remove; of a query that
///          of the index (docs/indexes.md); of a tick docs/library.md. A tick allocates nothing
///          once its memory has its size.
class Aoi {
public:
    struct Made {
        std::unique_ptr<Aoi> aoi;  ///< null unless the status is ok
        AoiStatus status;
    };
    static Made make(const AoiOptions& options);

    ~Aoi();
    Aoi(const Aoi&) = delete;
    Aoi& operator=(const Aoi&) = delete;

    AoiStatus add(const AoiEntity& entity);
    /// Adds all of these or, if one of them is refused, none. No slower than N log N, also for a
    /// crowd at one point.
    AoiStatus load(std::span<const AoiEntity> entities);
    /// Its watchers are sent that it is gone; it is sent nothing more itself.
    AoiStatus remove(EntityId id);
    /// The last move of a tick counts. One back to where the tick began is none.
    AoiStatus move(EntityId id, Position to);
    /// A move whose event shows that it jumped. Who sees whom depends on the place alone. With a
    /// teleport in a tick, all moves of that tick, before it and after it, are sent as one jump to
    /// where the entity is at its end.
    AoiStatus teleport(EntityId id, Position to);
    AoiStatus set_view(EntityId id, const View& view);
    AoiStatus set_facing(EntityId id, Angle facing);
    AoiStatus set_notify(EntityId id, const NotifyRange& notify);
    AoiStatus set_layers(EntityId id, LayerMask layers, LayerMask layers_seen);
    /// Whoever sees it is sent them, unless these are the bytes that it has. Of several in a tick
    /// the last is sent, also where it brings back what the tick began with.
    AoiStatus set_state(EntityId id, Blob state);

    /// Ends the tick: afterwards events() has what every watcher is to be sent.
    AoiStatus tick() { return tick(EventSink{}); }
    /// The same, and calls `on_event` for each event. The tick is over by then: whatever is asked
    /// from a callback is answered as of its end.
    AoiStatus tick(const EventSink& on_event);
    /// Of the last tick; valid until the next one.
    [[nodiscard]] std::span<const AoiEvent> events() const { return events_; }

    [[nodiscard]] std::size_t size() const { return interest_.entities().size(); }
    [[nodiscard]] bool contains(EntityId id) const;
    [[nodiscard]] std::optional<Position> position_of(EntityId id) const;
    /// Null also where it is not here.
    [[nodiscard]] Blob state_of(EntityId id) const;

    static constexpr LayerMask kAllLayers = std::numeric_limits<LayerMask>::max();

    // Queries replace `out` by the ids of all entities in the area, bounds inclusive, ascending.
    // They see those that are in one of `layers`: one that is in no layer is found by nobody.
    AoiStatus query(const Circle& area, std::vector<EntityId>& out,
                    LayerMask layers = kAllLayers) const;
    /// In a world of three dimensions: whatever its height.
    AoiStatus query(const Rect& area, std::vector<EntityId>& out,
                    LayerMask layers = kAllLayers) const;
    AoiStatus query(const Look& look, std::vector<EntityId>& out,
                    LayerMask layers = kAllLayers) const;
    /// The `count` nearest, or all if there are fewer: by distance, then by id. Whoever asks from
    /// where an entity stands finds that one, too.
    void nearest(Position from, std::size_t count, std::vector<EntityId>& out,
                 LayerMask layers = kAllLayers) const;

private:
    explicit Aoi(const AoiOptions& options);

    // They leave the id out: the caller sets it.
    [[nodiscard]] AoiStatus what_is_wrong_with(Position at) const;
    [[nodiscard]] AoiStatus what_is_wrong_with(const View& view) const;
    [[nodiscard]] static AoiStatus what_is_wrong_with(const NotifyRange& notify);
    [[nodiscard]] static AoiStatus what_is_wrong_with(const Blob& state);
    [[nodiscard]] AoiStatus what_is_wrong_with(const AoiEntity& entity) const;
    [[nodiscard]] AoiStatus what_is_wrong_with(std::span<const AoiEntity> entities) const;
    void insert(const AoiEntity& entity);
    template <typename Make>
    AoiStatus change(EntityId id, AoiStatus wrong, Make&& make);
    [[nodiscard]] bool has_jumped(Slot slot, bool was_held) const;
    void collect_events();
    void append_events(const Frame& frame);
    AoiEvent with_state(EventKind kind, EntityId watcher, const Entity& target);
    void put_in_order_of_watchers();
    void forget_who_lost_its_view();
    template <typename Holds>
    void find(const Rect& area, LayerMask layers, std::vector<EntityId>& out, Holds&& holds) const;

    const AoiOptions options_;
    InterestSystem interest_;
    SlotMap<std::monostate> blinded_;  ///< they watch, and have had no view since this tick
    SlotTicks jumped_tick_;            ///< of the last teleport
    std::vector<AoiEvent> events_;
    std::vector<Blob> shown_states_;  ///< those that events_ point to
    /// The events of one watcher: a stretch of events_ while they are collected.
    struct Stretch {
        EntityId watcher{};
        std::size_t first = 0;
        std::size_t last = 0;  ///< exclusive
    };
    std::vector<Stretch> stretches_;
    std::vector<AoiEvent> unordered_events_;  ///< scratch memory
    bool is_in_callback_ = false;
    mutable std::vector<Slot> found_;
    mutable NearestSearch nearest_;
};

}  // namespace marchland::engine
