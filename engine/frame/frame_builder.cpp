#include "engine/frame/frame_builder.h"

#include "engine/assert.h"
#include "engine/view_bounds.h"

#include <algorithm>
#include <bit>

namespace marchland::engine {
namespace {

/// So many words are tested together: they and the columns stay in the L1 cache.
constexpr std::size_t kTestedWordsMax = 512;

/// Near enough by the watcher's view or by the entity's own range, layers aside.
bool is_in_leave_range(const Entity& watcher, const Entity& entity, Dimensions dimensions) {
    const ViewBounds view_bounds(watcher, dimensions);
    if (view_bounds.is_blind()) {
        return false;
    }
    return view_bounds.goes_on_at(entity.position) ||
           (is_notify_source(entity.notify) &&
            is_within(watcher.position, entity.position, entity.notify.leave_radius_mm,
                      dimensions));
}

}  // namespace

void FrameBuilder::make_room(std::size_t members, std::size_t watchers) {
    const std::size_t words = words_for(members);
    if (now_.size() < words) {
        for (std::vector<std::uint64_t>* const bits :
             {&entering_, &staying_, &now_, &moved_, &could_see_}) {
            bits->resize(words);
        }
    }
    if (in_enter_.size() < words * watchers) {
        in_enter_.resize(words * watchers);
        in_leave_.resize(words * watchers);
    }
    if (enters_.size() < 64 * words + Candidates::kRoom) {
        enters_.resize(64 * words + Candidates::kRoom);
        moves_.resize(64 * words + Candidates::kRoom);
    }
}

void FrameBuilder::build(const World& world, std::span<const Target> targets, InterestCell& cell,
                         Position corner, std::span<const std::uint32_t> rows, bool complete,
                         const FrameSink& sink) {
    MARCHLAND_ASSERT(!rows.empty());
    // Heights are taken from that of one of them.
    corner.z = targets[to_number(cell.watchers.front().slot)].z;
    candidates_.load(targets, cell.slots, corner, world.dimensions, world.now);
    states_.open(world, cell.slots);
    const std::size_t words = candidates_.words();
    const std::size_t together = std::clamp<std::size_t>(kTestedWordsMax / words, 1, rows.size());
    make_room(cell.slots.size(), together);
    while (!rows.empty()) {
        const auto tested = rows.first(std::min(together, rows.size()));
        rows = rows.subspan(tested.size());
        test(world, cell, tested);
        std::size_t first_word = 0;
        for (const std::uint32_t row : tested) {
            lost_ = {};
            Watcher& watcher = cell.watchers[row];
            if (!watcher.orphans.empty()) {
                find_orphans_again(world, cell, row);
            }
            const Frame frame = build_frame(
                world, watcher, {cell.slots, cell.ids, watcher.self, cell.known_of(row)},
                first_word, complete);
            watcher.forget_orphans();
            sink(frame);
            first_word += words;
        }
    }
}

/// Those that are members again, and live the life that was known, are known members; the others
/// are lost, and their records will be looked at. Other rows of the cell may be built meanwhile.
void FrameBuilder::find_orphans_again(const World& world, InterestCell& cell, std::size_t row) {
    Watcher& watcher = cell.watchers[row];
    if (watcher.are_orphans_lost) {
        lost_ = watcher.orphans;
        for (const KnownEntity& orphan : lost_) {
            world.entities.prefetch(orphan.slot);
        }
        return;
    }
    lost_orphans_.clear();
    std::uint64_t* const known = cell.known_of(row);
    auto at = cell.ids.begin();
    for (const KnownEntity& orphan : watcher.orphans) {
        at = std::lower_bound(at, cell.ids.end(), orphan.known.id);
        const auto place = static_cast<std::size_t>(at - cell.ids.begin());
        if (at != cell.ids.end() && *at == orphan.known.id &&
            world.entities.at(cell.slots[place]).birth == orphan.known.birth) {
            set_bit(known, place);
        } else {
            lost_orphans_.push_back(orphan);
            world.entities.prefetch(orphan.slot);
        }
    }
    lost_ = lost_orphans_;
}

void FrameBuilder::build(const World& world, std::span<const Target> targets, LooseWatcher& loose,
                         bool complete, const FrameSink& sink) {
    gather_candidates(world, loose);
    const Slot slot = loose.watcher.slot;
    candidates_.load(targets, own_slots_, world.entities.at(slot).position, world.dimensions,
                     world.now);
    make_room(own_slots_.size(), 1);
    states_.open(world, own_slots_);
    const auto self = static_cast<std::uint32_t>(
        std::find(own_slots_.begin(), own_slots_.end(), slot) - own_slots_.begin());
    probes_.assign(1, probe_of(loose.watcher, self));
    candidates_.test(probes_, in_enter_.data(), in_leave_.data());
    test_shape(world, loose.watcher, own_slots_, 0);
    const Frame frame = build_frame(world, loose.watcher,
                                    {own_slots_, own_ids_, self, own_known_.data()}, 0, complete);
    loose.known.clear();
    for_each_place(own_known_.data(), candidates_.words(), [&](std::uint32_t place) {
        const Entity& entity = world.entities.at(own_slots_[place]);
        loose.known.push_back({{entity.id, entity.birth}, own_slots_[place]});
    });
    sink(frame);
}

/// What is in the enter range, what shows itself from afar, what is known, and the watcher itself.
/// Fills own_slots_, own_ids_, own_known_ and lost_.
void FrameBuilder::gather_candidates(const World& world, const LooseWatcher& loose) {
    const Slot slot = loose.watcher.slot;
    const ViewBounds view_bounds(world.entities.at(slot), world.dimensions);
    found_.clear();
    if (!view_bounds.is_blind()) {
        world.index->query(view_bounds.enter_bounds(), found_);
        world.notify_sources.visit_near(
            world.entities.at(slot).position,
            [this](Slot notify_source) { found_.push_back(notify_source); });
    }
    found_.push_back(slot);
    lost_orphans_.clear();
    for (const KnownEntity& known : loose.known) {
        const std::optional<Slot> at = world.entities.find(known.known.id, known.slot);
        if (at && world.entities.at(*at).birth == known.known.birth) {
            found_.push_back(*at);
        } else {
            lost_orphans_.push_back(known);
        }
    }
    lost_ = lost_orphans_;
    sorted_.clear();
    for (const Slot found : found_) {
        sorted_.emplace_back(world.entities.at(found).id, found);
    }
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    own_slots_.clear();
    own_ids_.clear();
    own_known_.assign(words_for(sorted_.size()), 0);
    auto known = loose.known.begin();
    for (const auto& [id, found] : sorted_) {
        while (known != loose.known.end() && known->known.id < id) {
            ++known;
        }
        if (known != loose.known.end() && known->known.id == id &&
            known->known.birth == world.entities.at(found).birth) {
            set_bit(own_known_.data(), own_slots_.size());
        }
        own_slots_.push_back(found);
        own_ids_.push_back(id);
    }
}

/// `first_word`: where its words begin, of those that were tested together.
Frame FrameBuilder::build_frame(const World& world, Watcher& watcher, const Members& members,
                                std::size_t first_word, bool complete) {
    const std::size_t words = candidates_.words();
    const Tick synced = watcher.synced_tick;
    const std::uint64_t* const was = members.known;

    for (std::size_t word = 0; word < words; ++word) {
        now_[word] = in_enter_[first_word + word] | (was[word] & in_leave_[first_word + word]);
    }
    clear_bit(now_.data(), members.self);

    Frame frame;
    frame.tick = world.now;
    frame.build = world.build;
    frame.watcher = watcher.slot;
    if (limits_.has_cap()) {
        std::copy_n(now_.begin(), words, could_see_.begin());
        frame.is_capped = limits_.keep_nearest(world, watcher, candidates_, was, now_.data());
    }

    const bool follows = synced + 1 == world.now;
    std::uint64_t any_leaves = 0;
    for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t stays = now_[word] & was[word];
        entering_[word] = now_[word] & ~was[word];
        staying_[word] = stays;
        moved_[word] = follows ? stays & candidates_.moved(word)
                               : moved_since(world, members, word, stays, synced);
        any_leaves |= was[word] & ~now_[word];
    }
    leaves_.clear();
    gone_.clear();
    if (any_leaves != 0 || !lost_.empty()) {
        list_leaves(world, watcher, members, frame.is_capped);
    }
    frame.follows_last_tick = follows;
    frame.is_keyframe = watcher.keyframe_due || limits_.are_too_many(leaves_.size());
    watcher.keyframe_due = false;
    fill(world, frame, watcher, members, complete);
    if (watcher.past == Watcher::Past::forgotten) {
        frame.messages_lost = true;
        watcher.past = Watcher::Past::known;
    }
    watcher.framed_tick = world.now;
    if (complete) {
        watcher.synced_tick = world.now;
    }
    return frame;
}

/// With what is new: leaves_, gone_, entering_, staying_ and moved_. Or with all that is seen.
void FrameBuilder::fill(const World& world, Frame& frame, Watcher& watcher, const Members& members,
                        bool complete) {
    const std::size_t words = candidates_.words();
    messages_.find(world, watcher, members.slots, staying_.data(), gone_);
    if (frame.is_keyframe) {
        std::copy_n(now_.begin(), words, entering_.begin());
        std::fill_n(staying_.begin(), words, 0);
        std::fill_n(moved_.begin(), words, 0);
    } else {
        frame.leaves = leaves_;
    }
    states_.find(world, frame, watcher, members.slots, staying_.data());
    const FrameLimits::Stayed stayed{candidates_,     members.self,  members.ids,
                                     staying_.data(), moved_.data(), watcher};
    Room room;
    if (limits_.may_hold_back()) {
        limits_.begin_frame(world, frame, room);
        limits_.take_stale(world, frame, stayed, room);
    }
    messages_.take(room);
    states_.take(world, room);
    frame.is_filling = !limits_.take_enters(world, frame, candidates_, entering_.data(), room);
    std::uint64_t* const known = members.known;
    std::uint64_t any_enters = 0;
    for (std::size_t word = 0; word < words; ++word) {
        any_enters |= entering_[word];
        now_[word] = entering_[word] & ~known[word];  // in a keyframe, some were known
        known[word] = staying_[word] | entering_[word];
    }
    if (any_enters != 0) {
        frame.enters = candidates_.list(entering_.data(), enters_.data());
        messages_.take_entered(world, members.slots, now_.data(), room);
    }
    if (limits_.may_hold_back() && !limits_.take_all_moves(frame, stayed, room)) {
        limits_.take_moves(world, frame, stayed, room, complete);
    } else {
        frame.moves = candidates_.list(moved_.data(), moves_.data());
        frame.move_bits = {moved_.data(), words};
    }
    frame.known_bits = {known, words};
    messages_.finish(world, frame, watcher, complete);
    states_.finish(world, frame, watcher, complete);
    if (!room.is_unlimited()) {
        limits_.charge(world, frame, room);
    }
}

/// Fills in_enter_ and in_leave_.
void FrameBuilder::test(const World& world, const InterestCell& cell,
                        std::span<const std::uint32_t> rows) {
    probes_.clear();
    bool are_circles = true;
    for (const std::uint32_t row : rows) {
        const Watcher& watcher = cell.watchers[row];
        probes_.push_back(probe_of(watcher, watcher.self));
        are_circles = are_circles && watcher.shape == Shape::circle;
    }
    candidates_.test(probes_, in_enter_.data(), in_leave_.data());
    if (are_circles) {
        return;
    }
    std::size_t first_word = 0;
    for (const std::uint32_t row : rows) {
        test_shape(world, cell.watchers[row], cell.slots, first_word);
        first_word += candidates_.words();
    }
}

Probe FrameBuilder::probe_of(const Watcher& watcher, std::size_t self) {
    const bool is_circle = watcher.shape == Shape::circle;
    // Who sees nothing is given all layers: so it does not make those that are tested with it be
    // tested for layers.
    return {self, is_circle ? watcher.radius_mm : -1, is_circle ? watcher.leave_radius_mm : -1,
            watcher.shape == Shape::none ? ~kNoLayers : watcher.layers_seen};
}

/// Of all shapes but circles: exactly, one by one, those in a square around the leave range.
void FrameBuilder::test_shape(const World& world, const Watcher& watcher,
                              std::span<const Slot> slots, std::size_t first_word) {
    if (watcher.shape == Shape::circle) {
        return;
    }
    std::uint64_t* const enter = in_enter_.data() + first_word;
    std::uint64_t* const leave = in_leave_.data() + first_word;
    if (watcher.shape == Shape::none) {
        std::fill_n(enter, candidates_.words(), 0);
        std::fill_n(leave, candidates_.words(), 0);
        return;
    }
    const Entity& self = world.entities.at(watcher.slot);
    const ViewBounds view_bounds(self, world.dimensions);
    const Rect around = square_around(self.position, leave_reach_mm(self.view));
    for (std::size_t place = 0; place < slots.size(); ++place) {
        if (!candidates_.is_about_in(around, place)) {
            continue;
        }
        const Entity& entity = world.entities.at(slots[place]);
        if (!around.contains(entity.position) || !shares_layer(self, entity)) {
            continue;
        }
        if (view_bounds.begins_at(entity.position)) {
            set_bit(enter, place);
        }
        if (view_bounds.goes_on_at(entity.position)) {
            set_bit(leave, place);
        }
    }
}

std::uint64_t FrameBuilder::moved_since(const World& world, const Members& members,
                                        std::size_t word, std::uint64_t of, Tick synced) const {
    const Tick ticks = world.now - synced;
    const bool is_counted = ticks <= Candidates::kStillTicksMax;
    std::uint64_t moved = 0;
    for (; of != 0; of &= of - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(of));
        const std::size_t place = 64 * word + bit;
        const bool has_moved = is_counted
                                   ? candidates_.still_ticks(place) < ticks
                                   : world.entities.at(members.slots[place]).moved_tick > synced;
        moved |= std::uint64_t{has_moved} << bit;
    }
    return moved;
}

/// Both those that are lost and those that are candidates still are in ascending id.
void FrameBuilder::list_leaves(const World& world, const Watcher& watcher, const Members& members,
                               bool is_capped) {
    auto lost = lost_.begin();
    const auto add = [&](const Known& known, const Entity* entity) {
        leaves_.push_back({known.id, reason_of(world, watcher, known, entity)});
        if (leaves_.back().reason == LeaveReason::gone) {
            gone_.push_back(known);
        }
    };
    const auto add_lost = [&]() {
        const Known& known = lost->known;
        const std::optional<Slot> slot = world.entities.find(known.id, lost->slot);
        add(known, slot ? &world.entities.at(*slot) : nullptr);
        ++lost;
    };
    for (std::size_t word = 0; word < candidates_.words(); ++word) {
        for (std::uint64_t left = members.known[word] & ~now_[word]; left != 0; left &= left - 1) {
            const std::size_t place = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
            const EntityId id = members.ids[place];
            while (lost != lost_.end() && lost->known.id < id) {
                add_lost();
            }
            if (is_capped && is_set(could_see_.data(), place)) {
                leaves_.push_back({id, LeaveReason::capped});
            } else if (candidates_.shares_layer(place, watcher.layers_seen) &&
                       !world.departures.contains(id)) {
                leaves_.push_back({id, LeaveReason::out_of_range});  // its record is not read
            } else {
                const Entity& entity = world.entities.at(members.slots[place]);
                add({id, entity.birth}, &entity);
            }
        }
    }
    while (lost != lost_.end()) {
        add_lost();
    }
}

/// Why is one that was known no longer seen, and not for the cap? `entity`: who bears the id now;
/// null: nobody here. Whoever shares a layer with the watcher would be seen if it were in range.
LeaveReason FrameBuilder::reason_of(const World& world, const Watcher& watcher, const Known& known,
                                    const Entity* entity) {
    const bool lives_again = entity != nullptr && entity->birth != known.birth;
    if (lives_again || world.departures.contains({known.id, known.birth})) {
        return LeaveReason::gone;
    }
    const bool is_hidden =
        entity != nullptr && (entity->layers & watcher.layers_seen) == kNoLayers &&
        is_in_leave_range(world.entities.at(watcher.slot), *entity, world.dimensions);
    return is_hidden ? LeaveReason::hidden : LeaveReason::out_of_range;
}

}  // namespace marchland::engine
