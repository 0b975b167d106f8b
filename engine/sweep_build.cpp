// A tick of many: for whom cells are cut, who is taken, and the frames, cell by cell.

#include "engine/sweep.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>

namespace marchland::engine {
namespace {

/// Cells are wide enough for all but one watcher in this many.
constexpr std::size_t kFarSightedShare = 8;
/// For those, too, if they look at most this much further than the rest: 9 / 8. Their frames cost more
/// than a quarter longer scans for everybody.
constexpr std::int64_t kWidening = 8;
/// Frames are wanted in fewer than one cell of this many: not worth an order.
constexpr std::size_t kOrderedShare = 16;
/// So many watchers ahead of the one whose frame is built, memory is asked for what it will read.
constexpr std::size_t kLookAhead = 8;
/// More than one in this many changed: to pack all anew costs less than to follow them.
constexpr std::size_t kPackedShare = 16;

}  // namespace

void Sweep::prepare(const Scene& scene, std::span<const Slot> asked, bool are_usual) {
    if (is_on_) {
        catch_up_cells(scene.entities);
        if (!is_settled_) {
            vicinities_.settle(scene.entities, rows_, scene.now);
        }
    }
    is_settled_ = true;
    const bool is_little =
        are_all_told() && rows_.changed().size() * kPackedShare < scene.entities.size();
    is_packed_ = is_packed_ && (is_little || !are_usual);
    follow_packed(scene.entities);
    is_built_twice_ = is_built_twice_ || (built_tick_ == scene.now && is_changed_since_build_);
    if (are_usual && (!is_on_ || scene.now >= fitted_tick_ + kFitTicks)) {
        fit(scene, asked);
    }
}

/// Cells that are too narrow leave watchers to FrameBuilder, cells that are too wide make all scans
/// long; a little of either is better than to cut anew.
void Sweep::fit(const Scene& scene, std::span<const Slot> asked) {
    fitted_tick_ = scene.now;
    reaches_.clear();
    for (const Slot slot : asked) {
        const std::int32_t reach_mm = sights_[to_number(slot)].reach_mm;
        if (reach_mm <= Vicinities::kEdgeMaxMm) {
            reaches_.push_back(reach_mm);
        }
    }
    if (reaches_.empty()) {
        return;
    }
    const auto wanted =
        reaches_.end() - 1 - static_cast<std::ptrdiff_t>(reaches_.size() / kFarSightedShare);
    std::nth_element(reaches_.begin(), wanted, reaches_.end());
    const std::int32_t widest_mm = *std::max_element(wanted, reaches_.end());
    const bool holds_all = widest_mm <= *wanted + std::int64_t{*wanted} / kWidening;
    const std::int32_t edge_mm = std::max(holds_all ? widest_mm : *wanted, 1);
    const bool fits = edge_mm <= vicinities_.edge_mm() && edge_mm >= vicinities_.edge_mm() / 4 * 3;
    if (!is_on_ || !fits) {
        vicinities_.reset(edge_mm, scene.entities);
        is_on_ = true;
        is_packed_ = false;
        far_sighted_.clear();
        for (std::uint32_t number = 0; number < sights_.size(); ++number) {
            if (is_far_sighted(sights_[number])) {
                add_far_sighted(Slot{number}, scene.entities.at(Slot{number}));
            }
        }
    }
}

bool Sweep::take(const Scene& scene, Slot slot, Watcher& watcher, bool complete) {
    const Sight& sight = sights_[to_number(slot)];
    if (!is_on_ || is_far_sighted(sight)) {
        return false;
    }
    catch_up(watcher);
    const Vicinities::Number number = vicinities_.around(slot, scene);
    group_of_.resize(std::max(group_of_.size(), vicinities_.size()), kNone);
    if (group_of_[number] == kNone) {
        group_of_[number] = static_cast<std::uint32_t>(groups_.size());
        groups_.push_back({.vicinity = number});
    }
    const Rows::Row& row = rows_.at(slot);
    const bool usual = complete && is_usual(scene, row, watcher);
    const bool is_still = usual && vicinities_.few_changed() && row.is_changed == 0 &&
                          (sight.is_circle || !turned_.contains(slot));
    Group& group = groups_[group_of_[number]];
    ++group.size;
    group.still_count += is_still ? 1U : 0U;
    asked_.push_back({.slot = slot,
                      .group = group_of_[number],
                      .follows = watcher.synced_tick + 1 == scene.now,
                      .has_crossed = vicinities_.has_crossed(slot, scene.now),
                      .is_unusual = !usual,
                      .is_still = is_still});
    watcher.framed_tick = scene.now;
    if (usual) {
        watcher.synced_tick = scene.now;
    }
    return true;
}

bool Sweep::is_jump(const Rows::Row& row) const {
    const auto is_far = [&](std::int32_t from, std::int32_t to) {
        return std::abs(std::int64_t{from} - to) > vicinities_.edge_mm();
    };
    return is_far(row.x_before, row.x) || is_far(row.y_before, row.y);
}

bool Sweep::is_usual(const Scene& scene, const Rows::Row& row, const Watcher& watcher) const {
    const bool was_told_all =
        watcher.framed_tick != kNever && watcher.synced_tick + 1 == scene.now &&
        (watcher.framed_tick == watcher.synced_tick || all_told_tick_ == last_tick_);
    return was_told_all && trusted_tick_ == last_tick_ &&
           (row.is_unsettled & Rows::kUnsettled) == 0 && !is_jump(row);
}

Looker Sweep::looker_of(Slot slot) const {
    const Rows::Row& row = rows_.at(slot);
    Looker looker{.slot = slot,
                  .x = row.x,
                  .y = row.y,
                  .x_before = row.x_before,
                  .y_before = row.y_before,
                  .sight = sights_[to_number(slot)]};
    if (!looker.sight.is_circle && turned_.contains(slot)) {
        looker.has_turned = true;
        looker.facing_before = facings_before_[to_number(slot)];
    }
    return looker;
}

Looker Sweep::looker_of(const Taken& taken) const {
    Looker looker = looker_of(taken.slot);
    looker.follows = taken.follows;
    looker.has_crossed = taken.has_crossed;
    looker.is_unusual = taken.is_unusual;
    return looker;
}

/// A row is read for nine cells: it should stay in the cache from the first to the last of them.
void Sweep::order_groups() {
    in_order_.clear();
    if (groups_.size() * kOrderedShare < vicinities_.size()) {
        in_order_.resize(groups_.size());
        std::iota(in_order_.begin(), in_order_.end(), 0U);
        return;
    }
    for (const Vicinities::Number number : vicinities_.by_rows()) {
        if (number < group_of_.size() && group_of_[number] != kNone) {
            in_order_.push_back(group_of_[number]);
        }
    }
}

/// A counting sort: what follows walks through memory in one direction.
void Sweep::line_up() {
    std::uint32_t end = 0;
    for (const std::uint32_t number : in_order_) {
        Group& group = groups_[number];
        group.still_end = end;
        group.end = end + group.still_count;
        end += group.size;
    }
    taken_.resize(asked_.size());
    for (const Taken& taken : asked_) {
        Group& group = groups_[taken.group];
        taken_[taken.is_still ? group.still_end++ : group.end++] = taken;
    }
    asked_.clear();
}

std::size_t Sweep::divide(std::size_t parts_wanted) {
    order_groups();
    line_up();
    part_ends_.clear();
    const std::size_t size_wanted = taken_.size() / parts_wanted + 1;
    std::size_t size = 0;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        size += groups_[in_order_[group]].size;
        if (size >= size_wanted || group + 1 == groups_.size()) {
            part_ends_.push_back(group + 1);
            size = 0;
        }
    }
    return part_ends_.size();
}

// What only asks memory for something g++ 12 takes for a function that does nothing, and drops it:
// so these two are always_inline.

/// For what loading the next groups will read.
[[gnu::always_inline]] inline void Sweep::look_ahead_of_group(std::size_t at) const {
    constexpr std::size_t kLine = 64;
    if (at + 2 < in_order_.size()) {
        const auto& vicinity = vicinities_.at(groups_[in_order_[at + 2]].vicinity);
        __builtin_prefetch(&vicinity);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(&vicinity) + kLine);
    }
    if (at + 1 < in_order_.size()) {
        const auto& members = vicinities_.at(groups_[in_order_[at + 1]].vicinity).members;
        for (std::size_t i = 0; i < members.size(); i += kLine / sizeof(Slot)) {
            __builtin_prefetch(&members[i]);
        }
    }
}

/// For what the frames of the next watchers will read, in whichever group; but not beyond the part, for
/// others may be writing there.
[[gnu::always_inline]] inline void Sweep::look_ahead_of_watcher(const Work& work, const Taken& from,
                                                                std::size_t part_end) const {
    const auto left = static_cast<std::size_t>(taken_.data() + part_end - &from);
    if (left > kLookAhead) {
        const std::uint32_t next = to_number((&from + kLookAhead)->slot);
        __builtin_prefetch(&sights_[next]);
        __builtin_prefetch(&rows_.at(Slot{next}));
        __builtin_prefetch(&work.watchers[next]);
    }
    if (left > kLookCloser) {
        const std::uint32_t next = to_number((&from + kLookCloser)->slot);
        __builtin_prefetch(work.watchers[next].band.data());
    }
}

void Sweep::build(const Scene& scene, std::span<Watcher> watchers, bool complete, std::size_t part,
                  Hand& hand, const FrameSink& sink) const {
    const Work work{scene, watchers, complete, hand, sink};
    const std::size_t taken_end = groups_[in_order_[part_ends_[part] - 1]].end;
    for (std::size_t at = part == 0 ? 0 : part_ends_[part - 1]; at < part_ends_[part]; ++at) {
        const Group& group = groups_[in_order_[at]];
        look_ahead_of_group(at);
        open(work, group.vicinity);
        build_still(work, group);
        build_movers(work, group, taken_end);
    }
}

void Sweep::open(const Work& work, Vicinities::Number number) const {
    work.hand.cell.open(vicinities_, number);
    work.hand.cell.find_beacons(work.scene, rows_, former_beacons_);
}

void Sweep::end_build(Tick now) {
    for (const Group& group : groups_) {
        group_of_[group.vicinity] = kNone;
    }
    groups_.clear();
    taken_.clear();
    built_tick_ = now;
    is_changed_since_build_ = false;
}

void Sweep::build_still(const Work& work, const Group& group) const {
    const bool is_quiet = vicinities_.at(group.vicinity).active_tick != work.scene.now &&
                          !work.hand.cell.have_beacons_changed();
    if (!is_quiet && group.still_count != 0) {
        work.hand.cell.load(work.scene, rows_, SweptCell::Load::changed);
    }
    for (const Taken& taken : still_of(group)) {
        if (is_quiet) {
            work.sink({work.scene.now, taken.slot, {}, {}, {}, taken.follows});
        } else {
            work.sink(work.hand.frames.build(work.scene, rows_, work.hand.cell, looker_of(taken),
                                             work.watchers[to_number(taken.slot)]));
        }
    }
}

void Sweep::build_movers(const Work& work, const Group& group, std::size_t part_end) const {
    const std::span<const Taken> movers = movers_of(group);
    if (!movers.empty()) {
        work.hand.cell.load(work.scene, rows_, SweptCell::Load::all);
    }
    for (std::size_t i = 0; i < movers.size(); ++i) {
        look_ahead_of_watcher(work, movers[i], part_end);
        const Looker looker = looker_of(movers[i]);
        Watcher& watcher = work.watchers[to_number(looker.slot)];
        work.sink(looker.is_unusual
                      ? build_unusual(work, looker, watcher)
                      : work.hand.frames.build(work.scene, rows_, work.hand.cell, looker, watcher));
    }
}

Frame Sweep::build_unusual(const Work& work, const Looker& looker, Watcher& watcher) {
    const Tick told_until = watcher.synced_tick;
    FrameBuilder& general = work.hand.general;
    const Frame built = general.build(work.scene, looker.slot, watcher, work.complete,
                                      work.hand.frames.near(work.hand.cell, looker));
    return work.hand.news.add(work.scene, built, watcher, told_until, work.complete,
                              general.gone());
}

}  // namespace marchland::engine
