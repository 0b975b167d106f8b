#include "engine/sweep_frames.h"

#include "engine/lens.h"

#include <algorithm>

namespace marchland::engine {

Frame SweepFrames::build(const Scene& scene, const Rows& rows, const SweptCell& cell,
                         const Looker& looker, Watcher& watcher) {
    leaves_.clear();
    enters_.clear();
    settled_moves_.clear();
    entered_.clear();
    const Look look{scene, rows, looker, watcher, cell.is_all_loaded()};
    scan_around(look, cell.columns());
    // All that it knows: the departed do not tell all that left.
    const bool checks_known = looker.has_crossed || cell.is_new(scene.now);
    const bool has_news = scene.news.newest_tick() == scene.now;
    if (has_news) [[unlikely]] {
        news_.begin();
    }
    if (scanned_.unsure_count != 0 || checks_known) {
        take_up_band(look);
        settle(look, cell, checks_known);
        put_down_band(look);
        std::sort(leaves_.begin(), leaves_.end(),
                  [](const Leave& a, const Leave& b) { return a.id < b.id; });
        if (!leaves_.empty() || !entered_.empty()) {
            watcher.known.add(entered_);
        }
    }
    if (!has_news) [[likely]] {
        return {scene.now, looker.slot, leaves_, enters_, moves(), looker.follows};
    }
    Frame frame{scene.now, looker.slot, leaves_, enters_, moves(), looker.follows};
    news_.put_into(frame);
    return frame;
}

/// Whoever looks through a circle in the plane does without: its sight says it all.
void SweepFrames::open_eyes(const Look& look) {
    eyes_.reset();
    const Looker& looker = look.looker;
    if (looker.sight.is_circle) {
        return;
    }
    const Entity& watcher = look.scene.entities.at(looker.slot);
    const Dimensions dimensions = look.scene.dimensions;
    const Position from = look.rows.place_before(looker.slot);
    const Outlook now(watcher, dimensions);
    eyes_.emplace(Eyes{now, looker.has_turned
                                ? Outlook(watcher, from, looker.facing_before, dimensions)
                                : now.seen_from(from)});
}

void SweepFrames::scan_around(const Look& look, const Columns& columns) {
    const Looker& looker = look.looker;
    open_eyes(look);
    if (eyes_) {
        return scan_through_lens(look, columns);
    }
    const Gaze gaze{looker.slot,
                    columns.across(looker.x),
                    columns.upward(looker.y),
                    columns.across(looker.x_before),
                    columns.upward(looker.y_before),
                    looker.sight};
    scan(columns, gaze, scanned_);
}

void SweepFrames::scan_through_lens(const Look& look, const Columns& columns) {
    const Looker& looker = look.looker;
    const std::int32_t z = look.rows.place_of(looker.slot).z;
    const std::int32_t z_before = look.rows.place_before(looker.slot).z;
    const bool fits = Lens::fits(z) && Lens::fits(z_before);
    const LensGaze gaze{.self = looker.slot,
                        .x = fits ? columns.across(looker.x) : Columns::kNowhere,
                        .y = fits ? columns.upward(looker.y) : Columns::kNowhere,
                        .x_before = columns.across(looker.x_before),
                        .y_before = columns.upward(looker.y_before),
                        .z = fits ? z : 0,
                        .z_before = fits ? z_before : 0,
                        .layers_seen = looker.sight.layers_seen};
    scan(columns, gaze, lens_of(eyes_->now, eyes_->before, look.scene.dimensions), scanned_);
}

/// Those that the scan found and those that were settled, in the order of the columns.
std::span<const Slot> SweepFrames::moves() {
    const std::span<const Slot> moved(scanned_.moved.data(), scanned_.moved_count);
    if (settled_moves_.empty()) {
        return moved;
    }
    moves_.clear();
    std::size_t from = 0;
    for (const SettledMove& settled : settled_moves_) {
        const auto next = moved.subspan(from, settled.moved_before - from);
        moves_.insert(moves_.end(), next.begin(), next.end());
        moves_.push_back(settled.slot);
        from = settled.moved_before;
    }
    const auto rest = moved.subspan(from);
    moves_.insert(moves_.end(), rest.begin(), rest.end());
    return moves_;
}

std::span<const Slot> SweepFrames::near(const SweptCell& cell, const Looker& looker) {
    const Columns& columns = cell.columns();
    // As if it came from very far away: whoever is near now is unsure, and nobody has been before.
    constexpr float kFarAway = 1e12F;
    scan(columns,
         {looker.slot, columns.across(looker.x), columns.upward(looker.y), kFarAway, kFarAway,
          looker.sight},
         scanned_);
    near_.clear();
    for (std::size_t i = 0; i < scanned_.unsure_count; ++i) {
        if (scanned_.unsure[i].entry < cell.slots().size()) {
            near_.push_back(cell.slots()[scanned_.unsure[i].entry]);
        }
    }
    return near_;
}

/// Whoever is between the two ranges is among the unsure, or among its beacons, so they tell the whole band.
Frame SweepFrames::build_of_mover(const Scene& scene, const Rows& rows, const Looker& looker,
                                  Watcher& watcher, std::span<const Slot> unsure) {
    begin_one();
    const Look look{scene, rows, looker, watcher, true};
    open_eyes(look);
    take_up_band(look);
    settle_beacons_of_mover(look);
    for (const Slot slot : unsure) {
        if (!std::binary_search(beacons_.begin(), beacons_.end(), slot)) {
            settle_plain(look, {slot, {}}, 0);
        }
    }
    put_in_order();
    return end_one(look);
}

/// What was settled in no order.
void SweepFrames::put_in_order() {
    std::sort(leaves_.begin(), leaves_.end(),
              [](const Leave& a, const Leave& b) { return a.id < b.id; });
    std::sort(entered_.begin(), entered_.end(),
              [](const Sighting& a, const Sighting& b) { return a.known.id < b.known.id; });
    std::transform(entered_.begin(), entered_.end(), enters_.begin(),
                   [](const Sighting& sighting) { return sighting.slot; });
}

Frame SweepFrames::build_of_one(const Scene& scene, const Rows& rows, const Looker& looker,
                                Watcher& watcher, Slot mover) {
    begin_one();
    const Look look{scene, rows, looker, watcher, false};
    open_eyes(look);
    take_up_band(look);
    settle_plain(look, {mover, {}}, 0);
    return end_one(look);
}

Frame SweepFrames::build_of_any(const Scene& scene, const Rows& rows, const Looker& looker,
                                Watcher& watcher, Slot mover) {
    begin_one();
    const Look look{scene, rows, looker, watcher, false};
    take_up_band(look);
    settle_member(look, mover, 0);
    return end_one(look);
}

/// As if only the mover were in the columns.
void SweepFrames::begin_one() {
    leaves_.clear();
    enters_.clear();
    settled_moves_.clear();
    entered_.clear();
    scanned_.moved_count = 0;
    news_.begin();
}

Frame SweepFrames::end_one(const Look& look) {
    put_down_band(look);
    look.watcher.known.add(entered_);
    Frame frame{look.scene.now, look.looker.slot, leaves_, enters_, moves(), look.looker.follows};
    if (look.scene.news.newest_tick() == look.scene.now) [[unlikely]] {
        news_.put_into(frame);
    }
    return frame;
}

}  // namespace marchland::engine
