#pragma once

#include "engine/aoi_event.h"
#include "engine/aoi_options.h"
#include "engine/aoi_status.h"
#include "engine/entity.h"
#include "engine/index/nearest.h"
#include "engine/index/slot_list.h"
#include "engine/interest_system.h"
#include "engine/view.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace marchland::engine {

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

/// Who sees whom, as a library: entities come, move and go; tick() says what that means for each
/// watcher. One thread, no shards, no network; docs/library.md shows a program.
///
///     add, move, set_view ... -> tick() -> events: per watcher its leaves, enters, moves, states
///
/// In `engine` and not in a namespace above, because all that it takes and gives (Position, View,
/// EntityId, LeaveReason) is from there: one name for one thing.
///
/// Units    Millimetres, int32. Visibility is docs/visibility.md, exact; every watcher, every tick, with
///          whatever AoiOptions::crowd leaves out.
/// Errors   What a caller does wrong is refused with a status, and then nothing has changed.
/// Calls    From inside a callback everything may be asked and nothing changed: changes and tick()
///          are refused with AoiError::inside_callback. To destroy the Aoi there ends the program.
/// Order    Events: ascending watcher; of each watcher leaves, enters, moves, states; of each ascending
///          target. The same calls give the same events, whatever the index.
/// Threads  One at a time, queries too: they share their scratch memory.
/// Cost     Of a change O(1), but for what the index makes of an add and a remove; of a query that of
///          the index (docs/indexes.md); of a tick docs/library.md. A tick allocates nothing once its
///          memory has its size.
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
    /// crowd at one point, where one by one may be.
    AoiStatus load(std::span<const AoiEntity> entities);
    /// Its watchers are told that it is gone; it is told nothing more itself.
    AoiStatus remove(EntityId id);
    /// The last move of a tick counts. One back to where the tick began is none.
    AoiStatus move(EntityId id, Position to);
    /// A move whose event says that it jumped. Who sees whom depends on the place alone. With a
    /// teleport in a tick, all moves of that tick, before it and after it, are told as one jump to
    /// where the entity is at its end.
    AoiStatus teleport(EntityId id, Position to);
    AoiStatus set_view(EntityId id, const View& view);
    AoiStatus set_facing(EntityId id, Angle facing);
    AoiStatus set_notify(EntityId id, const NotifyRange& notify);
    AoiStatus set_layers(EntityId id, LayerMask layers, LayerMask layers_seen);
    /// Whoever sees it is told, unless these are the bytes that it has. Of several in a tick the last
    /// is told, also where it brings back what the tick began with.
    AoiStatus set_state(EntityId id, Blob state);

    /// Ends the tick: afterwards events() has what every watcher is to be told.
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

    [[nodiscard]] AoiStatus what_is_wrong_with(const AoiEntity& entity) const;
    [[nodiscard]] AoiStatus what_is_wrong_with(std::span<const AoiEntity> entities) const;
    [[nodiscard]] AoiStatus what_is_wrong_with_move(EntityId id, Position to) const;
    [[nodiscard]] AoiStatus what_is_wrong_with_change(EntityId id) const;
    [[nodiscard]] Slot slot_of(EntityId id) const;
    [[nodiscard]] bool has_jumped(Slot slot, bool was_held) const;
    [[nodiscard]] bool shows_state(Slot slot) const;
    void collect_events();
    void append_events(const Frame& frame);
    void put_in_order_of_watchers();
    void forget_who_lost_its_view();
    void keep_found_in_order(LayerMask layers, std::vector<EntityId>& out) const;

    const AoiOptions options_;
    InterestSystem interest_;
    SlotList blinded_;               ///< they watch, and have had no view since this tick
    std::vector<Tick> jumped_tick_;  ///< by slot, may be shorter: of the last teleport
    std::vector<AoiEvent> events_;
    /// States that events_ may show and no entity has any more.
    std::vector<Blob> former_states_;
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
