#include "tools/bots/truth_checker.h"

#include "engine/assert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace marchland::bots {

PositionHistory::PositionHistory(std::size_t players_max, std::size_t ticks_max,
                                 const ZoneFacts& zone)
    : rows_(ticks_max), last_frames_(players_max), zone_(zone) {
    MARCHLAND_ASSERT(ticks_max > 0);
    for (Row& row : rows_) {
        row.positions.resize(players_max);
        row.is_certain.resize(players_max);
    }
}

void PositionHistory::open_up_to(engine::Tick tick) {
    MARCHLAND_ASSERT(tick >= newest_);
    // After a gap wider than the ring every row is cleared once, and no more often.
    engine::Tick next = newest_ + 1;
    if (tick - newest_ > rows_.size()) {
        next = tick - rows_.size() + 1;
    }
    for (; next <= tick; ++next) {
        Row& row = rows_[next % rows_.size()];
        row.tick = next;
        std::fill(row.is_certain.begin(), row.is_certain.end(), std::uint8_t{0});
    }
    newest_ = tick;
}

void PositionHistory::record(PlayerIndex player, engine::Tick tick, std::uint32_t move_ack,
                             std::optional<engine::Position> position, engine::Step velocity) {
    LastFrame& last = last_frames_[to_number(player)];
    const bool is_same = last.tick != engine::kNever && last.move_ack == move_ack;
    if (!is_same) {
        const bool is_of_this_tick = velocity == engine::Step{} || last.tick + 1 == tick;
        last.made_tick = is_of_this_tick ? tick : engine::kNever;
    }
    if (position && last.made_tick != engine::kNever) {
        engine::Tick first = is_same ? last.tick + 1 : tick;
        // What the ring has forgotten need not be filled.
        first = std::max(first, newest_ - std::min<engine::Tick>(newest_, rows_.size()));
        for (engine::Tick each = first; each <= tick; ++each) {
            set(player, each, gone_on(*position, velocity, each - last.made_tick));
        }
    }
    last = {tick, move_ack, last.made_tick};
}

/// As the server does it, but for its speed limit, which no walker meets.
engine::Position PositionHistory::gone_on(engine::Position from, engine::Step velocity,
                                          engine::Tick ticks) const {
    if (velocity == engine::Step{}) {
        return from;
    }
    for (engine::Tick gone = 0; gone < std::min(ticks, zone_.predicted_ticks_max); ++gone) {
        const engine::Position next = engine::after_steps(from, velocity, 1);
        if (!zone_.world.contains(next)) {
            break;
        }
        from = next;
    }
    return from;
}

const PositionHistory::Row* PositionHistory::row(engine::Tick tick) const {
    const Row& row = rows_[tick % rows_.size()];
    return tick != engine::kNever && row.tick == tick ? &row : nullptr;
}

void PositionHistory::set(PlayerIndex player, engine::Tick tick, engine::Position position) {
    Row& row = rows_[tick % rows_.size()];
    if (row.tick == tick) {
        row.positions[to_number(player)] = position;
        row.is_certain[to_number(player)] = 1;
    }
}

namespace {

/// Every how many ticks are moves sent at this distance, as slow as an overloaded server may make
/// them?
std::uint32_t ticks_between_updates(const engine::CrowdLimits& limits, engine::Position watcher,
                                    engine::Position target, engine::Dimensions dimensions) {
    std::uint32_t every_ticks = 1;
    for (const engine::UpdateRing& ring : limits.rings) {
        if (ring.every_ticks == 0 ||
            engine::is_within(watcher, target, ring.beyond_mm, dimensions)) {
            break;
        }
        every_ticks = ring.every_ticks * engine::kRingSlowdownMax;
    }
    return limits.has_budget() ? std::min(every_ticks, limits.stale_ticks_max) : every_ticks;
}

template <typename T>
std::span<const T> stretch(const std::vector<T>& list, std::size_t begin, std::size_t end) {
    return std::span(list).subspan(begin, end - begin);
}

bool holds(std::span<const engine::EntityId> ids, engine::EntityId id) {
    return std::binary_search(ids.begin(), ids.end(), id);
}

const KnownEntity* find(std::span<const KnownEntity> known, engine::EntityId id) {
    const auto at = std::lower_bound(
        known.begin(), known.end(), id,
        [](const KnownEntity& entity, engine::EntityId wanted) { return entity.id < wanted; });
    return at != known.end() && at->id == id ? &*at : nullptr;
}

std::string text_of(engine::Position p) {
    return fmt::format("({}, {}, {}) mm", p.x, p.y, p.z);
}

double distance_mm(engine::Position a, engine::Position b, engine::Dimensions dimensions) {
    const double dx = static_cast<double>(a.x) - b.x;
    const double dy = static_cast<double>(a.y) - b.y;
    const double dz =
        dimensions == engine::Dimensions::three ? static_cast<double>(a.z) - b.z : 0.0;
    return std::sqrt(dx * dx + dy * dy + dz * dz);
}

/// Where more moves are stale at once than fit into a frame, the last of them wait longer: so many
/// times.
constexpr engine::Tick kStaleWaits = 3;

/// Ticks before the one that is judged whose positions are needed. A longer wait is not checked to
/// its end: it would take a row of all players for each of its ticks.
std::size_t waits_remembered(const engine::CrowdLimits& crowd) {
    constexpr std::size_t kRememberedMax = 256;
    std::size_t wait_ticks = crowd.has_budget() ? kStaleWaits * crowd.stale_ticks_max : 0;
    for (const engine::UpdateRing& ring : crowd.rings) {
        wait_ticks = std::max<std::size_t>(wait_ticks, ring.every_ticks);
    }
    return std::min(wait_ticks, kRememberedMax);
}

}  // namespace

TruthChecker::TruthChecker(const TruthOptions& options, const Roster& roster, ViolationLog& log)
    : options_(options),
      roster_(roster),
      log_(log),
      history_(
          roster.players_max(),
          static_cast<std::size_t>(options.lag_ticks) + 2 + waits_remembered(options.zone.crowd),
          options.zone),
      evidence_(static_cast<std::size_t>(options.lag_ticks) + 2),
      views_(roster.players_max()),
      unseen_from_(roster.players_max(), engine::kNever) {}

void TruthChecker::on_joined(PlayerIndex player, const engine::View& view) {
    views_[to_number(player)] = view;
}

void TruthChecker::on_gone(PlayerIndex player, engine::Tick tick) {
    unseen_from_[to_number(player)] = tick + options_.lag_ticks;
}

bool TruthChecker::wants(PlayerIndex watcher, engine::Tick tick, bool after_gap) const {
    const std::size_t players = roster_.players_max();
    const std::size_t in_turn = options_.watchers_max != 0 ? options_.watchers_max : players;
    const std::size_t watchers = std::min(in_turn, options_.pairs_per_tick_max / players);
    if (watchers == 0 || tick <= judged_) {
        return false;
    }
    const Evidence& evidence = evidence_[tick % evidence_.size()];
    if (evidence.tick == tick && evidence.after.size() >= options_.pairs_per_tick_max) {
        return false;
    }
    if (after_gap) {
        return true;
    }
    const std::size_t first = static_cast<std::size_t>(tick) * watchers % in_turn;
    return to_number(watcher) < in_turn &&
           (to_number(watcher) + in_turn - first) % in_turn < watchers;
}

void TruthChecker::keep_before(std::span<const KnownEntity> known) {
    before_.clear();
    for (const KnownEntity& entity : known) {
        before_.push_back(entity.id);
    }
}

void TruthChecker::keep_after(PlayerIndex watcher, engine::Tick tick,
                              std::span<const KnownEntity> known,
                              std::span<const engine::Leave> leaves, LeftOut left_out) {
    advance_to(tick);
    Evidence& evidence = evidence_of(tick);
    if (evidence.tick != tick) {
        return;
    }
    evidence.before.insert(evidence.before.end(), before_.begin(), before_.end());
    evidence.after.insert(evidence.after.end(), known.begin(), known.end());
    std::copy_if(leaves.begin(), leaves.end(), std::back_inserter(evidence.leaves),
                 [](const engine::Leave& leave) {
                     return leave.reason != engine::LeaveReason::out_of_range;
                 });
    evidence.sights.push_back(
        {watcher, evidence.before.size(), evidence.after.size(), evidence.leaves.size(), left_out});
}

void TruthChecker::record_position(PlayerIndex player, engine::Tick tick, std::uint32_t move_ack,
                                   std::optional<engine::Position> position,
                                   engine::Step velocity) {
    advance_to(tick);
    history_.record(player, tick, move_ack, position, velocity);
}

void TruthChecker::finish() {
    const engine::Tick newest = history_.newest();
    for (engine::Tick tick = judged_ + 1; tick <= newest; ++tick) {
        judge(tick);
    }
    judged_ = newest;
}

void TruthChecker::note_late(engine::Tick tick) {
    advance_to(tick);
    if (Evidence& evidence = evidence_of(tick); evidence.tick == tick) {
        evidence.is_late = true;
    }
}

void TruthChecker::advance_to(engine::Tick tick) {
    const engine::Tick newest = history_.newest();
    if (tick <= newest) {
        return;
    }
    // What is due is judged before its rows are used again.
    const engine::Tick due = tick - std::min(tick, options_.lag_ticks);
    for (engine::Tick each = judged_ + 1; each <= std::min(due, newest); ++each) {
        judge(each);
    }
    judged_ = std::max(judged_, due);
    history_.open_up_to(tick);
    for (engine::Tick each = judged_ + 1; each <= tick; ++each) {
        Evidence& evidence = evidence_of(each);
        if (evidence.tick != each) {
            evidence.tick = each;
            evidence.is_late = false;
            evidence.sights.clear();
            evidence.before.clear();
            evidence.after.clear();
            evidence.leaves.clear();
        }
    }
}

void TruthChecker::judge(engine::Tick tick) {
    const PositionHistory::Row* row = history_.row(tick);
    const Evidence& evidence = evidence_of(tick);
    if (row == nullptr || evidence.tick != tick || evidence.is_late) {
        return;
    }
    Sight from;  // where the stretches of the sight at hand begin
    for (const Sight& to : evidence.sights) {
        const std::size_t watcher = to_number(to.watcher);
        if (row->is_certain[watcher] != 0) {
            Case it{*row,
                    to.watcher,
                    row->positions[watcher],
                    views_[watcher],
                    stretch(evidence.before, from.before_end, to.before_end),
                    stretch(evidence.after, from.after_end, to.after_end),
                    stretch(evidence.leaves, from.leaves_end, to.leaves_end),
                    to.left_out};
            judge_cap(it);
            judge_who_is_seen(it);
            judge_what_is_seen(it);
            judge_reasons(it);
        }
        from = to;
    }
}

void TruthChecker::judge_who_is_seen(const Case& it) {
    for (std::size_t i = 0; i < it.row.positions.size(); ++i) {
        const auto target = static_cast<PlayerIndex>(i);
        if (it.row.is_certain[i] == 0 || target == it.watcher) {
            continue;
        }
        ++pairs_checked_;
        if (is_within_radius(it, it.row.positions[i], it.view.leave_radius_mm)) {
            judge_near(it, target);
        }
    }
}

void TruthChecker::judge_cap(Case& it) {
    const std::size_t seen_max = options_.zone.crowd.visible_max;
    if (seen_max == 0
            ? it.left_out.is_capped
            : it.after.size() > seen_max || (it.left_out.is_capped && !it.left_out.is_filling &&
                                             it.after.size() < seen_max)) {
        report(Violation::wrong_cap, it, it.watcher, nullptr);
    }
    if (!it.left_out.is_capped) {
        return;
    }
    for (const KnownEntity& seen : it.after) {
        const std::optional<PlayerIndex> target = roster_.player_of(seen.id);
        if (target && it.row.is_certain[to_number(*target)] != 0) {
            const Rank rank = rank_of(it, *target, seen.id);
            it.last_kept = it.last_kept ? std::max(*it.last_kept, rank) : rank;
        }
    }
}

/// For how many ticks, the newest among them, may a shown position have been the last true one?
engine::Tick TruthChecker::wait_ticks_max(const Case& it, engine::Position target) const {
    const engine::CrowdLimits& crowd = options_.zone.crowd;
    if (it.left_out.is_over_budget && crowd.has_budget()) {
        return kStaleWaits * crowd.stale_ticks_max;
    }
    return it.left_out.is_slowed
               ? ticks_between_updates(crowd, it.at, target, options_.zone.world.dimensions)
               : 1;
}

/// So many ticks before the frame.
bool TruthChecker::is_shown_near(const KnownEntity& received, engine::Tick age,
                                 engine::Position at) const {
    const auto& [x, y, z] = received.velocity;
    const engine::Step back{static_cast<std::int16_t>(-x), static_cast<std::int16_t>(-y),
                            static_cast<std::int16_t>(-z)};
    return engine::is_within(engine::after_steps(received.position, back, age), at,
                             options_.zone.prediction_error_mm, engine::Dimensions::three);
}

/// Where nobody knows where it was, it may have been there.
bool TruthChecker::was_there_lately(const Case& it, PlayerIndex target,
                                    const KnownEntity& received) const {
    const engine::Tick newest = it.row.tick;
    const engine::Tick wait_ticks = wait_ticks_max(it, it.row.positions[to_number(target)]);
    for (engine::Tick age = 1; age < wait_ticks; ++age) {
        const PositionHistory::Row* const row = history_.row(newest - std::min(newest, age));
        if (row == nullptr || row->is_certain[to_number(target)] == 0 ||
            is_shown_near(received, age, row->positions[to_number(target)])) {
            return true;
        }
    }
    return false;
}

TruthChecker::Rank TruthChecker::rank_of(const Case& it, PlayerIndex target,
                                         engine::EntityId id) const {
    const bool was_seen = holds(it.before, id);
    const engine::Position at = it.row.positions[to_number(target)];
    return {engine::weighted_square(it.at, at, was_seen, options_.zone.crowd,
                                    options_.zone.world.dimensions),
            !was_seen, id};
}

bool TruthChecker::may_be_capped(const Case& it, PlayerIndex target, engine::EntityId id) const {
    return it.left_out.is_capped && it.after.size() == options_.zone.crowd.visible_max &&
           (!it.last_kept || *it.last_kept < rank_of(it, target, id));
}

void TruthChecker::judge_near(const Case& it, PlayerIndex target) {
    const std::optional<engine::EntityId> id = roster_.entity_of(target);
    MARCHLAND_ASSERT(id);  // who was never on the roster has no certain position
    const engine::Position at = it.row.positions[to_number(target)];
    const bool must_be_seen = is_within_radius(it, at, it.view.radius_mm) || holds(it.before, *id);
    const bool is_seen = find(it.after, *id) != nullptr;
    // Of those that wait for room none was seen before, but for what the cap took away for them.
    const bool may_wait =
        it.left_out.is_filling && (it.left_out.is_capped || !holds(it.before, *id));
    if (must_be_seen && !is_seen && !may_wait && !may_be_capped(it, target, *id)) {
        report(Violation::missing, it, target, nullptr);
    } else if (is_seen && !must_be_seen) {
        report(Violation::must_not_see, it, target, find(it.after, *id));
    }
}

void TruthChecker::judge_what_is_seen(const Case& it) {
    for (const KnownEntity& received : it.after) {
        const std::optional<PlayerIndex> target = roster_.player_of(received.id);
        if (!target) {
            continue;
        }
        const engine::Tick unseen_from = unseen_from_[to_number(*target)];
        if (unseen_from != engine::kNever && it.row.tick >= unseen_from) {
            report(Violation::still_seen, it, *target, &received);
        }
        if (it.row.is_certain[to_number(*target)] == 0) {
            continue;
        }
        ++positions_checked_;
        const engine::Position at = it.row.positions[to_number(*target)];
        if (is_shown_near(received, 0, at)) {
            error_mm_max_ = std::max(error_mm_max_,
                                     distance_mm(received.position, at, engine::Dimensions::three));
        } else if (!was_there_lately(it, *target, received)) {
            report(Violation::wrong_position, it, *target, &received);
        }
        if (!is_within_radius(it, at, it.view.leave_radius_mm)) {
            report(Violation::must_not_see, it, *target, &received);
        }
    }
}

void TruthChecker::judge_reasons(const Case& it) {
    for (const engine::Leave& leave : it.leaves) {
        const std::optional<PlayerIndex> target = roster_.player_of(leave.id);
        // Whoever had its own frame of this tick is in the zone, and ids are never given again.
        const bool is_capped = leave.reason == engine::LeaveReason::capped && it.left_out.is_capped;
        if (target && it.row.is_certain[to_number(*target)] != 0 && !is_capped) {
            report(Violation::wrong_reason, it, *target, nullptr);
        }
    }
}

bool TruthChecker::is_within_radius(const Case& it, engine::Position target,
                                    std::int32_t radius_mm) const {
    return it.view.shape == engine::Shape::circle &&
           engine::is_within(it.at, target, radius_mm, options_.zone.world.dimensions);
}

void TruthChecker::report(Violation kind, const Case& it, PlayerIndex target,
                          const KnownEntity* received) {
    log_.report(kind, it.watcher, [&] {
        const engine::EntityId id = roster_.entity_of(target).value_or(engine::EntityId{});
        const engine::EntityId watcher_id =
            roster_.entity_of(it.watcher).value_or(engine::EntityId{});
        const engine::Position at = it.row.positions[to_number(target)];
        const bool is_certain = it.row.is_certain[to_number(target)] != 0;
        std::string text = fmt::format(
            "tick {}, watcher {} (player {}) at {}, radius {} mm, leave radius {} mm: entity {} "
            "(player {})",
            it.row.tick, to_number(watcher_id), to_number(it.watcher), text_of(it.at),
            it.view.radius_mm, it.view.leave_radius_mm, to_number(id), to_number(target));
        if (is_certain) {
            text += fmt::format(" at {}, {:.3f} mm away", text_of(at),
                                distance_mm(it.at, at, options_.zone.world.dimensions));
        }
        text += received != nullptr ? fmt::format(", shown at {}", text_of(received->position))
                                    : std::string(", not shown");
        text += holds(it.before, id) ? ", seen before" : ", not seen before";
        return text;
    });
}

}  // namespace marchland::bots
