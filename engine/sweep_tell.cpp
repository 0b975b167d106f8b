// The quick ways for a tick in which little happened: whom to ask, and one move alone.

#include "engine/sweep.h"

namespace marchland::engine {
namespace {

/// Fewer than one in this many changed: it pays to ask whom that concerns.
constexpr std::size_t kConcernedShare = 64;
/// More than one in this many look further than the cells are wide, and need not: cells that are cut
/// anew suit them better.
constexpr std::size_t kOutgrownShare = 4;

Position place_of(const Rows::Row& row) {
    return {row.x, row.y, 0};
}

Position place_before(const Rows::Row& row) {
    return {row.x_before, row.y_before, 0};
}

}  // namespace

bool Sweep::tell_single_move(const Scene& scene, std::span<Watcher> watchers, Hand& hand,
                             const FrameSink& sink) {
    if (!is_single_move(scene)) {
        return false;
    }
    const Work work{scene, watchers, true, hand, sink};
    const Slot mover = rows_.changed().front();
    if (is_on_) {
        tell_near_sighted(work, mover);
    }
    is_settled_ = true;
    tell_far_sighted(work, mover);
    built_tick_ = scene.now;
    is_changed_since_build_ = false;
    note_all_told(scene.now);
    return true;
}

void Sweep::tell_near_sighted(const Work& work, Slot mover) {
    const Scene& scene = work.scene;
    const Cell from = vicinities_.home_of(mover);
    const bool has_crossed = !vicinities_.is_at_home(mover, rows_.at(mover));
    if (has_crossed) {
        // Who saw it, and then who sees it now and did not look at where it was.
        work.hand.frames.load(rows_, vicinities_, vicinities_.around(from, scene),
                              SweepFrames::Load::all);
        tell_seers(work, mover, std::nullopt);
        vicinities_.settle(scene.entities, rows_, scene.now);
    }
    work.hand.frames.load(rows_, vicinities_, vicinities_.around(mover, scene),
                          SweepFrames::Load::all);
    tell_mover(work, mover, has_crossed);
    tell_seers(work, mover, has_crossed ? std::optional(from) : std::nullopt);
}

/// What it sees from where it is now.
void Sweep::tell_mover(const Work& work, Slot mover, bool has_crossed) {
    const bool is_watching =
        to_number(mover) < work.watchers.size() && work.watchers[to_number(mover)].is_watching;
    if (!is_watching || far_sighted_.contains(mover)) {
        return;
    }
    Watcher& watcher = work.watchers[to_number(mover)];
    Looker looker = looker_of(mover);
    looker.follows = follows_last_tick(work.scene);
    looker.has_crossed = has_crossed;
    if (is_jump(rows_.at(mover)) || is_near_beacons(work.scene, mover, watcher)) {
        catch_up(watcher);
        tell(work, work.hand.general.build(work.scene, mover, watcher, true,
                                           work.hand.frames.near(looker)));
    } else {
        tell(work, work.hand.frames.build(work.scene, rows_, vicinities_, looker, watcher));
    }
}

/// Those among the loaded, but for those who look at `told` too: they know already.
void Sweep::tell_seers(const Work& work, Slot mover, std::optional<Cell> told) {
    const bool follows = follows_last_tick(work.scene);
    const auto is_told = [&](Slot slot) {
        return far_sighted_.contains(slot) || (told && vicinities_.home_of(slot).is_beside(*told));
    };
    const SweepFrames::Seers seers = work.hand.frames.who_sees(work.scene, rows_, sights_, mover);
    for (const Slot slot : seers.surely) {
        if (!is_told(slot)) {
            work.sink({work.scene.now, slot, {}, {}, {&mover, 1}, follows});
        }
    }
    for (const Slot slot : seers.unsure) {
        if (!is_told(slot)) {
            Looker looker = looker_of(slot);
            looker.follows = follows;
            tell(work, work.hand.frames.build_of_one(work.scene, rows_, vicinities_, looker,
                                                     work.watchers[to_number(slot)], mover));
        }
    }
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
    far_sighted_.visit_near(place_before(rows_.at(mover)), note);
    far_sighted_.visit_near(place_of(rows_.at(mover)), note);
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
            tell(work, work.hand.frames.build_of_any(work.scene, rows_, vicinities_, looker,
                                                     watcher, mover));
        }
    }
}

/// As they stand now: visit_near tells of them from here on.
void Sweep::place_far_sighted(Tick now) {
    for (const Slot slot : is_far_behind_ ? far_sighted_.slots() : rows_.changed()) {
        if (far_sighted_.contains(slot)) {
            far_sighted_.follow(slot, place_of(rows_.at(slot)));
        }
    }
    is_far_behind_ = false;
    far_placed_tick_ = now;
}

bool Sweep::is_near_beacons(const Scene& scene, Slot slot, const Watcher& watcher) const {
    return watcher.was_near_beacons || scene.beacons.is_near(place_of(rows_.at(slot)));
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
    return !is_on_ ||
           (rows_.has_moved(mover) && row.is_unsettled == 0 && vicinities_.is_settled(mover));
}

std::optional<std::span<const Slot>> Sweep::concerned(const Scene& scene,
                                                      std::span<const Watcher> watchers,
                                                      std::size_t watching) {
    const std::size_t changes = rows_.changed().size() + to_ask_.size() + changed_areas_.size();
    if (changes * kConcernedShare >= scene.entities.size() || !are_all_told() ||
        are_cells_outgrown(scene.now, watching)) {
        return std::nullopt;
    }
    place_far_sighted(scene.now);
    concerned_.clear();
    is_concerned_.resize(scene.entities.slot_count());
    for (const Slot slot : to_ask_.slots()) {
        concern(slot, watchers);
    }
    for (const Slot slot : rows_.changed()) {
        concern_changed(scene, slot, watchers);
    }
    for (const Area& area : changed_areas_) {
        concern_around(scene, area, watchers);
    }
    if (is_on_) {
        concern_cells(scene, watchers);
    }
    is_settled_ = true;
    for (const Slot slot : concerned_) {
        is_concerned_[to_number(slot)] = false;
    }
    return concerned_;
}

bool Sweep::are_cells_outgrown(Tick now, std::size_t watching) const {
    return far_sighted_.that_fit_cells() * kOutgrownShare > watching &&
           now >= fitted_tick_ + kFitTicks;
}

/// If it watches, and once.
void Sweep::concern(Slot slot, std::span<const Watcher> watchers) {
    const bool is_watching =
        to_number(slot) < watchers.size() && watchers[to_number(slot)].is_watching;
    if (is_watching && !is_concerned_[to_number(slot)]) {
        is_concerned_[to_number(slot)] = true;
        concerned_.push_back(slot);
    }
}

void Sweep::concern_around(const Scene& scene, const Area& area,
                           std::span<const Watcher> watchers) {
    far_sighted_.visit_near(area.at, [&](Slot slot) { concern(slot, watchers); });
    if (area.reach_mm > 0) {
        found_.clear();
        scene.index.up_to_date(scene.entities).query(square_around(area.at, area.reach_mm), found_);
        for (const Slot slot : found_) {
            concern(slot, watchers);
        }
    }
}

/// Where it was before, if it was erased, is among the areas.
void Sweep::concern_changed(const Scene& scene, Slot slot, std::span<const Watcher> watchers) {
    if (!scene.entities.is_live(slot)) {
        return;
    }
    concern(slot, watchers);
    const std::int32_t range_mm = scene.entities.at(slot).notify.leave_radius_mm;
    concern_around(scene, {place_before(rows_.at(slot)), range_mm}, watchers);
    concern_around(scene, {place_of(rows_.at(slot)), range_mm}, watchers);
}

/// Those that look no further than to the cells around theirs.
void Sweep::concern_cells(const Scene& scene, std::span<const Watcher> watchers) {
    changed_cells_.clear();
    vicinities_.list_changed_cells(scene.entities, rows_, changed_cells_);
    vicinities_.settle(scene.entities, rows_, scene.now);
    for (const Cell cell : changed_cells_) {
        for (const Slot slot : vicinities_.at(vicinities_.around(cell, scene)).members) {
            if (!far_sighted_.contains(slot)) {
                concern(slot, watchers);
            }
        }
    }
}

}  // namespace marchland::engine
