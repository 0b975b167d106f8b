// The quick ways for a tick in which little happened: whom to ask, and one move alone.

#include "engine/sweep.h"

#include <cstdlib>

namespace marchland::engine {
namespace {

/// Fewer than one in this many changed: it pays to ask whom that concerns.
constexpr std::size_t kConcernedShare = 64;
/// Likewise for watchers that the cells are too narrow for.
constexpr std::size_t kFarSightedShare = 64;

/// May a move have changed what somebody there sees, who looks no further than this along x and y?
bool is_in_reach(Position from, std::int64_t reach_mm, const Entity& mover) {
    const auto is_near = [&](Position at) {
        return std::abs(std::int64_t{at.x} - from.x) <= reach_mm &&
               std::abs(std::int64_t{at.y} - from.y) <= reach_mm;
    };
    return is_near(mover.position) || is_near(mover.previous);
}

}  // namespace

bool Sweep::tell_single_move(const Scene& scene, std::span<Watcher> watchers, Hand& hand,
                             const FrameSink& sink) {
    if (!is_single_move() || !are_far_sighted_few(scene) || !scene.beacons.is_empty() ||
        !scene.entities.is_live(rows_.changed().front())) {
        return false;
    }
    const Work work{scene, watchers, true, hand, sink};
    const Slot mover = rows_.changed().front();
    const Cell from = vicinities_.home_of(mover);
    const bool has_crossed = !vicinities_.is_at_home(mover, rows_.at(mover));
    if (has_crossed) {
        // Who saw it, and then who sees it now and did not look at where it was.
        hand.frames.load(rows_, vicinities_, vicinities_.around(from, scene),
                         SweepFrames::Load::all);
        tell_seers(work, mover, std::nullopt);
        vicinities_.settle(scene.entities, rows_, scene.now);
    }
    is_settled_ = true;
    hand.frames.load(rows_, vicinities_, vicinities_.around(mover, scene), SweepFrames::Load::all);
    tell_mover(work, mover, has_crossed);
    tell_seers(work, mover, has_crossed ? std::optional(from) : std::nullopt);
    tell_far_sighted(work, mover);
    built_tick_ = scene.now;
    is_changed_since_build_ = false;
    note_all_told(scene.now);
    return true;
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
    if (is_jump(rows_.at(mover))) {
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
    const SweepFrames::Seers seers = work.hand.frames.who_sees(rows_, sights_, mover);
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

/// Those that the move may concern. The mover itself looks from somewhere else now, and who turned
/// looks elsewhere.
void Sweep::tell_far_sighted(const Work& work, Slot mover) {
    const Entity& moved = work.scene.entities.at(mover);
    for (const Slot slot : far_sighted_.slots()) {
        const Entity& entity = work.scene.entities.at(slot);
        if (slot == mover || turned_.contains(slot) ||
            is_in_reach(entity.position, leave_reach_mm(entity.view), moved)) {
            Watcher& watcher = work.watchers[to_number(slot)];
            catch_up(watcher);
            tell(work, work.hand.general.build(work.scene, slot, watcher, true));
        }
    }
}

bool Sweep::are_far_sighted_few(const Scene& scene) const {
    return far_sighted_.size() * kFarSightedShare <= scene.entities.size();
}

bool Sweep::is_single_move() const {
    if (!is_on_ || rows_.changed().size() != 1 || !are_all_told()) {
        return false;
    }
    const Slot mover = rows_.changed().front();
    const Rows::Row& row = rows_.at(mover);
    const bool has_moved = row.x != row.x_before || row.y != row.y_before;
    return has_moved && row.is_unsettled == 0 && vicinities_.is_settled(mover);
}

std::optional<std::span<const Slot>> Sweep::concerned(const Scene& scene,
                                                      std::span<const Watcher> watchers) {
    const bool are_few = rows_.changed().size() * kConcernedShare < scene.entities.size();
    if (!is_on_ || !are_few || !are_all_told() || !are_far_sighted_few(scene) ||
        !scene.beacons.is_empty()) {
        return std::nullopt;
    }
    changed_cells_.clear();
    vicinities_.list_changed_cells(scene.entities, rows_, changed_cells_);
    vicinities_.settle(scene.entities, rows_, scene.now);
    is_settled_ = true;
    concerned_.clear();
    is_concerned_.resize(scene.entities.slot_count());
    for (const Slot slot : far_sighted_.slots()) {
        is_concerned_[to_number(slot)] = true;
        concerned_.push_back(slot);
    }
    for (const Cell cell : changed_cells_) {
        for (const Slot slot : vicinities_.at(vicinities_.around(cell, scene)).members) {
            const bool is_watching =
                to_number(slot) < watchers.size() && watchers[to_number(slot)].is_watching;
            if (is_watching && !is_concerned_[to_number(slot)]) {
                is_concerned_[to_number(slot)] = true;
                concerned_.push_back(slot);
            }
        }
    }
    for (const Slot slot : concerned_) {
        is_concerned_[to_number(slot)] = false;
    }
    return concerned_;
}

}  // namespace marchland::engine
