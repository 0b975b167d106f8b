#pragma once

#include "engine/angle.h"
#include "engine/entity.h"
#include "engine/far_sighted.h"
#include "engine/former_beacons.h"
#include "engine/frame.h"
#include "engine/frame_builder.h"
#include "engine/frame_news.h"
#include "engine/ids.h"
#include "engine/keyframe.h"
#include "engine/packed_cells.h"
#include "engine/rows.h"
#include "engine/scan.h"
#include "engine/scene.h"
#include "engine/sights.h"
#include "engine/slot_list.h"
#include "engine/sweep_frames.h"
#include "engine/swept_cell.h"
#include "engine/vicinities.h"
#include "engine/watcher.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace marchland::engine {

/// The quick way to build frames, for the usual watcher: one that was told everything when the last
/// tick ended, has changed neither its view nor the layers it
/// sees, and has not jumped. All of a cell's watchers scan what is
/// around the cell (SweepFrames); FrameBuilder does everybody else. Both give the same frames.
///
/// Cells are as wide as the leave radius of nearly all watchers; the few that look much further are
/// not taken, so that they do not make everybody's cells wide. Whom few changes concern is asked of
/// the cells, and for those that are not taken of FarSighted (sweep_tell.cpp). One move alone is held
/// against PackedCells (sweep_single_move.cpp), which are made for it, kept while little happens, and of no
/// use to a tick of everybody: vicinities are then behind, and catch up with the strays when they are asked.
///
/// Threads  One at a time, but for build(): several parts of it may run side by side.
/// Cost     A scan of the vicinity for each watcher, and next to nothing where nothing changed. No
///          allocation once the lists have their sizes.
class Sweep {
public:
    explicit Sweep(Dimensions dimensions) : dimensions_(dimensions), rows_(dimensions) {}

    // What happens to the entities, as it happens.
    void begin_tick(const EntityStore& entities, Tick last);
    void insert(Slot slot, const Entity& entity);
    void erase(Slot slot, const EntityStore& entities);  ///< before the slot is free
    void move(Slot slot, Position to);
    void set_layers(Slot slot, LayerMask layers);
    void watch(Slot slot, const Entity& entity, Watcher& watcher);
    void unwatch(Slot slot);
    /// The view of a watcher, or the layers it sees.
    void set_sight(Slot slot, const Entity& entity);
    /// A watcher of which that matters faced this way before, and does not now.
    void turn(Slot slot, Angle facing_before);
    /// There is more to tell this watcher than what happens where it looks: next time it is asked.
    void ask(Slot slot);
    /// `entity` is as it was.
    void set_notify(Slot slot, const Entity& entity, const NotifyRange& notify);
    /// A beacon goes to where others see it, or from there: it is as it was.
    void note_former_beacon(Slot slot, const Entity& entity) { former_beacons_.note(slot, entity); }
    /// Something happened to the entity that its place and layers do not tell.
    void settle_later(Slot slot);
    /// Its state changed, or it told something.
    void note_news(Slot slot);

    /// Before the frames of these watchers are built, all of which then are. `are_usual`: they are
    /// asked for no reason of their own, so cells may be cut to suit them.
    void prepare(const Scene& scene, std::span<const Slot> asked, bool are_usual);
    /// Adds this watcher to those that build() does. False for one that looks further than the
    /// cells are wide, or at nothing: it is for the caller to do with FrameBuilder.
    bool take(const Scene& scene, Slot slot, Watcher& watcher, bool complete);
    /// The frames of those taken are built part by part, cells that lie close together in one. How
    /// many parts there are: about as many as wanted, none if nobody was taken.
    std::size_t divide(std::size_t parts_wanted);
    /// What builds frames: each of those that work side by side has its own.
    struct Hand {
        SweptCell cell;
        SweepFrames frames;
        // For the unusual.
        FrameBuilder general;
        FrameNews news;
        Keyframe keyframe;
    };
    /// Several parts may be built side by side. `watchers` is by slot.
    void build(const Scene& scene, std::span<Watcher> watchers, bool complete, std::size_t part,
               Hand& hand, const FrameSink& sink) const;
    /// After all parts.
    void end_build(Tick now);

    /// If one entity moved in this tick and nothing else happened, and every watcher was told all of
    /// the last tick: builds the frames that are not empty, from one look around the mover.
    bool tell_single_move(const Scene& scene, std::span<Watcher> watchers, Hand& hand,
                          const FrameSink& sink);
    /// Whom the changes of this tick may concern, each once; nothing if that is nearly everybody, or
    /// if somebody may have been left out of the last tick. `watching`: all who do.
    std::optional<std::span<const Slot>> concerned(const Scene& scene,
                                                   std::span<const Watcher> watchers,
                                                   std::span<const Slot> watching);
    /// All watchers were told everything of this tick.
    void note_all_told(Tick now) {
        all_told_tick_ = now;
        has_untold_ = false;
        to_ask_.clear();
        changed_areas_.clear();
    }
    /// Where all are told at once, nobody writes that down for each: this does, for one of them.
    void catch_up(Watcher& watcher) const {
        if (all_told_tick_ > watcher.told_before) {
            watcher.synced_tick = std::max(watcher.synced_tick, all_told_tick_);
        }
    }

private:
    /// Ticks until the width of the cells is considered again.
    static constexpr Tick kFitTicks = 16;
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    /// So many watchers ahead of the one whose frame is built, memory is asked for what its record points at.
    static constexpr std::size_t kLookCloser = 3;

    /// One of those taken, and what take() found out about it.
    struct Taken {
        Slot slot{};
        std::uint32_t group = 0;
        bool follows = false;
        bool has_crossed = false;
        bool is_unusual = false;
        bool is_still = false;
    };
    /// The watchers of one cell, side by side in taken_ after line_up(): while few entities change,
    /// those that do not move come first, for they have little to look at.
    struct Group {
        Vicinities::Number vicinity = 0;
        std::uint32_t size = 0;
        std::uint32_t still_count = 0;
        std::uint32_t still_end = 0;
        std::uint32_t end = 0;
    };
    void order_groups();
    void line_up();
    void note_change();
    void fit(const Scene& scene, std::span<const Slot> asked);
    /// What build() was given.
    struct Work {
        const Scene& scene;
        std::span<Watcher> watchers;
        bool complete;
        Hand& hand;
        const FrameSink& sink;
    };
    /// Something changed that may be seen this far around a place.
    struct Area {
        Position at;
        std::int32_t reach_mm = 0;
    };
    static constexpr std::size_t kAreasMax = 1'024;
    void note_area(const Area& area);
    /// The notification range of an entity is or was so wide, this far on.
    void note_range(Slot slot, std::int32_t leave_radius_mm);
    void place_far_sighted(Tick now);
    [[nodiscard]] bool are_cells_outgrown(Tick now, std::size_t watching) const;
    void concern(Slot slot, std::span<const Watcher> watchers);
    void concern_around(const Scene& scene, const Area& area, std::span<const Watcher> watchers,
                        std::span<const Slot> watching);
    void concern_changed(const Scene& scene, Slot slot, std::span<const Watcher> watchers,
                         std::span<const Slot> watching);
    void concern_cells(const Scene& scene, std::span<const Watcher> watchers);
    void follow_packed(const EntityStore& entities);
    void note_stray(Slot slot);
    void settle_cells(const EntityStore& entities, Tick now);
    void catch_up_cells(const EntityStore& entities);
    // One move alone.
    void pack(const EntityStore& entities);
    void tell_near_sighted(const Work& work, Slot mover);
    void tell_mover(const Work& work, Slot mover);
    void tell_seers(const Work& work, Slot mover);
    void scan_around(Slot mover);
    void look_ahead_of_unsure(const Work& work) const;
    [[nodiscard]] const Sight& near_sight_of(Slot slot) const;
    void tell_far_sighted(const Work& work, Slot mover);
    static void tell(const Work& work, const Frame& frame);
    [[nodiscard]] bool follows_last_tick(const Scene& scene) const {
        return last_tick_ + 1 == scene.now;
    }
    [[nodiscard]] std::span<const Taken> still_of(const Group& group) const {
        return {taken_.data() + (group.still_end - group.still_count), group.still_count};
    }
    [[nodiscard]] std::span<const Taken> movers_of(const Group& group) const {
        const std::uint32_t count = group.size - group.still_count;
        return {taken_.data() + (group.end - count), count};
    }
    void build_still(const Work& work, const Group& group) const;
    void look_ahead_of_group(std::size_t at) const;
    void look_ahead_of_watcher(const Work& work, const Taken& from, std::size_t part_end) const;
    /// `part_end`: of the taken that this hand builds.
    void build_movers(const Work& work, const Group& group, std::size_t part_end) const;
    static Frame build_unusual(const Work& work, const Looker& looker, Watcher& watcher);
    [[nodiscard]] bool is_far_sighted(const Sight& sight) const {
        return !is_on_ || sight.reach_mm > vicinities_.edge_mm();
    }
    void add_far_sighted(Slot slot, const Entity& entity);
    [[nodiscard]] Looker looker_of(Slot slot) const;
    [[nodiscard]] Looker looker_of(const Taken& taken) const;
    /// Was everyone told everything of the last tick?
    [[nodiscard]] bool are_all_told() const {
        return !has_untold_ && all_told_tick_ == last_tick_ && trusted_tick_ == last_tick_;
    }
    [[nodiscard]] bool is_single_move(const Scene& scene) const;
    /// Further than to a neighbouring cell, perhaps.
    [[nodiscard]] bool is_jump(const Rows::Row& row) const;
    [[nodiscard]] bool is_usual(const Scene& scene, const Rows::Row& row,
                                const Watcher& watcher) const;
    void open(const Work& work, Vicinities::Number number) const;
    [[nodiscard]] bool is_near_beacons(const Scene& scene, Slot slot) const;

    const Dimensions dimensions_;
    Rows rows_;
    Vicinities vicinities_;
    FormerBeacons former_beacons_;  ///< of this tick

    bool is_on_ = false;       ///< vicinities_ follow the entities
    bool is_settled_ = false;  ///< nothing changed since vicinities_ were settled
    /// One move was all in this tick: it was told, and led out of a cell. vicinities_ has not heard of it.
    bool has_strayed_ = false;
    SlotList strays_;  ///< the same, of ticks before
    PackedCells packed_;
    bool is_packed_ = false;  ///< packed_ is as everyone was told last
    bool is_changed_since_build_ = true;
    bool is_built_twice_ = false;  ///< in this tick, and something changed in between
    Tick built_tick_ = kNever;     ///< the last in which frames were built
    Tick trusted_tick_ = kNever;   ///< the last, if its frames saw what was true at its end
    Tick all_told_tick_ = kNever;  ///< the last in which everyone was told everything
    bool has_untold_ = true;       ///< but more happened since than could be noted
    Tick last_tick_ = kNever;
    Tick fitted_tick_ = kNever;

    std::vector<Sight> sights_;          ///< by slot; of those that do not watch: nothing
    SlotList turned_;                    ///< in this tick
    std::vector<Angle> facings_before_;  ///< by slot; of those that turned
    FarSighted far_sighted_;             ///< watchers that take() refuses
    Tick far_placed_tick_ = kNever;      ///< when they were followed last
    bool is_far_behind_ = false;         ///< and they moved since, in ticks before this one
    // Since everyone was told everything:
    SlotList to_ask_;                  ///< watchers that have changed themselves
    std::vector<Area> changed_areas_;  ///< of those erased, and of notification ranges
    std::vector<Group> groups_;
    std::vector<std::uint32_t> in_order_;  ///< of groups_: neighbours close together
    std::vector<std::size_t> part_ends_;   ///< of in_order_; exclusive
    std::vector<std::uint32_t> group_of_;  ///< by vicinity; kNone between builds
    std::vector<Taken> asked_;             ///< those taken, in the order in which they were asked
    std::vector<Taken> taken_;             ///< the same, group by group
    std::vector<std::int32_t> reaches_;
    std::vector<Cell> changed_cells_;
    std::vector<Slot> found_;
    std::vector<PackedCells::Piece> pieces_;
    Met met_;
    std::size_t found_count_ = 0;  ///< in all ranges that changed in this tick
    std::vector<Slot> concerned_;
    std::vector<bool> is_concerned_;  ///< by slot; all false between calls
};

}  // namespace marchland::engine
