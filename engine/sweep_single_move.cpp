// One move alone: everyone around is packed by cell, and one scan tells both whom the mover sees and who
// sees it.

#include "engine/columns.h"
#include "engine/lens.h"
#include "engine/sweep.h"

namespace marchland::engine {

bool Sweep::tell_single_move(const Scene& scene, std::span<Watcher> watchers, Hand& hand,
                             const FrameSink& sink) {
    if (!is_single_move(scene)) {
        return false;
    }
    const Work work{scene, watchers, true, hand, sink};
    const Slot mover = rows_.changed().front();
    is_settled_ = true;
    if (is_on_) {
        tell_near_sighted(work, mover);
    }
    tell_far_sighted(work, mover);
    built_tick_ = scene.now;
    is_changed_since_build_ = false;
    note_all_told(scene.now);
    return true;
}

bool Sweep::is_single_move(const Scene& scene) const {
    if (rows_.changed().size() != 1 || !are_all_told() || to_ask_.size() != 0 ||
        !changed_areas_.empty()) {
        return false;
    }
    const Slot mover = rows_.changed().front();
    const Rows::Row& row = rows_.at(mover);
    if (!scene.entities.is_live(mover) || (row.is_unsettled & Rows::kHasNews) != 0 ||
        scene.entities.at(mover).notify.leave_radius_mm > 0) {
        return false;
    }
    return !is_on_ || (rows_.has_moved(mover) && row.is_unsettled == 0);
}

void Sweep::tell_near_sighted(const Work& work, Slot mover) {
    pack(work.scene.entities);
    scan_around(mover);
    tell_seers(work, mover);
    tell_mover(work, mover);
    const Cell from = packed_.cell_around(mover);
    packed_.put(mover, rows_.place_of(mover), rows_.at(mover).layers, near_sight_of(mover));
    has_strayed_ = packed_.cell_around(mover) != from;
    is_settled_ = !has_strayed_;
}

/// As the last tick ended.
void Sweep::pack(const EntityStore& entities) {
    if (is_packed_ && !packed_.is_overgrown()) {
        return;
    }
    packed_.reset(vicinities_.edge_mm());
    for (std::uint32_t number = 0; number < entities.slot_count(); ++number) {
        const Slot slot{number};
        if (entities.is_live(slot)) {
            packed_.put(slot, rows_.place_before(slot), rows_.at(slot).layers, near_sight_of(slot));
        }
    }
    is_packed_ = true;
}

void Sweep::scan_around(Slot mover) {
    const Rows::Row& row = rows_.at(mover);
    packed_.list_around(mover, row, pieces_);
    Mover scanned{.self = mover, .layers = row.layers, .sight = near_sight_of(mover)};
    if (!rows_.heights().empty()) {
        scanned.z = rows_.place_of(mover).z;
        scanned.z_before = rows_.place_before(mover).z;
        if (!Lens::fits(scanned.z) || !Lens::fits(scanned.z_before)) {
            scanned.z = scanned.z_before = 0;
            for (PackedCells::Piece& piece : pieces_) {
                piece.x = Columns::kNowhere;
            }
        }
    }
    scan_pieces(pieces_, scanned, dimensions_, met_);
}

/// What it sees from where it is now. Last of those that look into pieces_.
void Sweep::tell_mover(const Work& work, Slot mover) {
    const bool is_watching =
        to_number(mover) < work.watchers.size() && work.watchers[to_number(mover)].is_watching;
    if (!is_watching || far_sighted_.contains(mover)) {
        return;
    }
    if (met_.unsure_seen_count != 0 || is_near_beacons(work.scene, mover)) {
        Looker looker = looker_of(mover);
        looker.follows = follows_last_tick(work.scene);
        const std::span<const Slot> unsure(met_.unsure_seen.data(), met_.unsure_seen_count);
        tell(work, work.hand.frames.build_of_mover(work.scene, rows_, looker,
                                                   work.watchers[to_number(mover)], unsure));
    }
}

/// For what telling the unsure will read: one after another, each would be waited for. As
/// look_ahead_of_group, always_inline.
[[gnu::always_inline]] inline void Sweep::look_ahead_of_unsure(const Work& work) const {
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < met_.unsure_seer_count; ++i) {
        const std::uint32_t number = to_number(met_.unsure_seers[i]);
        const Watcher& watcher = work.watchers[number];
        __builtin_prefetch(&watcher);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(&watcher) + kLine);
        __builtin_prefetch(&rows_.at(Slot{number}));
        __builtin_prefetch(&sights_[number]);
    }
    for (std::size_t i = 0; i < met_.unsure_seen_count; ++i) {
        work.scene.entities.prefetch(met_.unsure_seen[i]);
        __builtin_prefetch(&rows_.at(met_.unsure_seen[i]));
    }
}

void Sweep::tell_seers(const Work& work, Slot mover) {
    look_ahead_of_unsure(work);
    const bool follows = follows_last_tick(work.scene);
    Frame frame{work.scene.now, mover, {}, {}, {&mover, 1}, follows};
    for (std::size_t i = 0; i < met_.seer_count; ++i) {
        frame.watcher = met_.seers[i];
        work.sink(frame);
    }
    for (std::size_t i = 0; i < met_.unsure_seer_count; ++i) {
        const Slot slot = met_.unsure_seers[i];
        if (i + kLookCloser < met_.unsure_seer_count) {
            const Watcher& next = work.watchers[to_number(met_.unsure_seers[i + kLookCloser])];
            __builtin_prefetch(next.band.data());
            next.known.prefetch();
        }
        Looker looker = looker_of(slot);
        looker.follows = follows;
        tell(work, work.hand.frames.build_of_one(work.scene, rows_, looker,
                                                 work.watchers[to_number(slot)], mover));
    }
}

/// While no beacon changes, whoever was near none knows none but by its view.
bool Sweep::is_near_beacons(const Scene& scene, Slot slot) const {
    const Rows::Row& row = rows_.at(slot);
    return scene.beacons.is_near(row.flat_place_before()) ||
           scene.beacons.is_near(row.flat_place());
}

void Sweep::tell(const Work& work, const Frame& frame) {
    if (!frame.is_empty()) {
        work.sink(frame);
    }
}

/// The mover itself looks from somewhere else now; the others have that one to settle.
void Sweep::tell_far_sighted(const Work& work, Slot mover) {
    place_far_sighted(work.scene.now);
    is_concerned_.resize(work.scene.entities.slot_count());
    concerned_.clear();
    const auto note = [&](Slot slot) { concern(slot, work.watchers); };
    far_sighted_.visit_near(rows_.at(mover).flat_place_before(), note);
    far_sighted_.visit_near(rows_.at(mover).flat_place(), note);
    if (far_sighted_.contains(mover)) {
        note(mover);
    }
    for (const Slot slot : concerned_) {
        is_concerned_[to_number(slot)] = false;
        Watcher& watcher = work.watchers[to_number(slot)];
        catch_up(watcher);
        if (slot == mover) {
            tell(work, work.hand.general.build(work.scene, slot, watcher, true));
        } else {
            Looker looker = looker_of(slot);
            looker.follows = follows_last_tick(work.scene);
            tell(work, work.hand.frames.build_of_any(work.scene, rows_, looker, watcher, mover));
        }
    }
}

}  // namespace marchland::engine
