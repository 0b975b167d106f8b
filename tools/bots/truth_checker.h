#pragma once

#include "engine/entity.h"
#include "engine/frame/crowd_limits.h"
#include "engine/frame/frame.h"
#include "engine/frame/frame_limits.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "tools/bots/figures.h"
#include "tools/bots/stream_checker.h"
#include "tools/bots/zone.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace marchland::bots {

/// Which entity is which of our players? Whatever is not in here belongs to somebody else, and
/// nothing is known of where it is.
class Roster {
public:
    explicit Roster(std::size_t players_max) : entity_of_(players_max) {
        player_of_.reserve(players_max);
    }

    /// False when some player has this entity already: the server gave one id twice.
    bool add(PlayerIndex player, engine::EntityId entity) {
        if (!player_of_.emplace(entity, player).second) {
            return false;
        }
        entity_of_.at(to_number(player)) = entity;
        return true;
    }

    [[nodiscard]] std::size_t players_max() const { return entity_of_.size(); }

    /// Nothing for a player that has not joined yet.
    [[nodiscard]] std::optional<engine::EntityId> entity_of(PlayerIndex player) const {
        return entity_of_[to_number(player)];
    }

    /// Nothing for an entity that is not ours.
    [[nodiscard]] std::optional<PlayerIndex> player_of(engine::EntityId entity) const {
        const auto found = player_of_.find(entity);
        return found == player_of_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    std::vector<std::optional<engine::EntityId>> entity_of_;
    std::unordered_map<engine::EntityId, PlayerIndex> player_of_;
};

/// Where was each of our players at the end of each of the last ticks? Nobody guesses: a player is
/// at the place of the move that the server acknowledged in its frame of that tick. Between two
/// frames with the same acknowledgement it stood still, or went on with the velocity of the move,
/// where it is known in which tick that was made; between two with different ones, only the server
/// knows, and so it is not certain.
///
/// Shapes   A ring of `ticks_max` rows of `players_max` places.
/// Bounds   What comes of a tick that is no longer held is ignored.
/// Cost     record O(ticks since the player's last frame), at most ticks_max.
class PositionHistory {
public:
    struct Row {
        engine::Tick tick = engine::kNever;
        std::vector<engine::Position> positions;  ///< by player; means something where certain
        std::vector<std::uint8_t> is_certain;     ///< by player
    };

    PositionHistory(std::size_t players_max, std::size_t ticks_max, const ZoneFacts& zone = {});

    /// Makes room for the ticks up to `tick`, which is at least newest(): the oldest are forgotten.
    void open_up_to(engine::Tick tick);

    /// `player` has had its frame of `tick`. `position` is empty when nobody knows any more where
    /// the acknowledged move led.
    void record(PlayerIndex player, engine::Tick tick, std::uint32_t move_ack,
                std::optional<engine::Position> position, engine::Step velocity = {});

    /// Whatever comes next says nothing of where `player` was until then.
    void interrupt(PlayerIndex player) { last_frames_[to_number(player)] = {}; }

    /// Null for a tick that is not held.
    [[nodiscard]] const Row* row(engine::Tick tick) const;
    [[nodiscard]] engine::Tick newest() const { return newest_; }
    [[nodiscard]] std::size_t ticks_max() const { return rows_.size(); }

private:
    struct LastFrame {
        engine::Tick tick = engine::kNever;
        std::uint32_t move_ack = 0;
        engine::Tick made_tick = engine::kNever;  ///< of the acknowledged move; kNever: not known
    };

    [[nodiscard]] engine::Position gone_on(engine::Position from, engine::Step velocity,
                                           engine::Tick ticks) const;
    void set(PlayerIndex player, engine::Tick tick, engine::Position position);

    std::vector<Row> rows_;  ///< tick t at t modulo ticks_max
    std::vector<LastFrame> last_frames_;
    const ZoneFacts zone_;
    engine::Tick newest_ = engine::kNever;
};

struct TruthOptions {
    ZoneFacts zone = {};
    /// A tick is checked when frames of one this much newer have come: until then, players that are
    /// behind may still say where they were.
    engine::Tick lag_ticks = 20;
    /// Pairs of watcher and target that one tick may cost: which watchers are looked at moves on
    /// from tick to tick, so that all have their turn. 0: nothing is checked.
    std::size_t pairs_per_tick_max = 200'000;
    /// The first so many players are looked at as watchers; 0: all. Targets are all of them.
    std::size_t watchers_max = 0;
};

/// What a frame says that it leaves out.
struct LeftOut {
    bool is_capped = false;
    bool is_slowed = false;
    bool is_over_budget = false;
    bool is_filling = false;
};

/// Does each watcher see exactly what it must? Compares what watchers were sent with the true
/// positions of all our players, pair by pair: contract point 1, by brute force.
///
///   tick t    a watcher's set before and after its frame are kept, and everybody's position
///   t + lag   seen after  ==  within radius, or seen before and within leave radius
///             shown position within the zone's bound of the true position; who is in the zone did
///             not leave as gone or hidden (all of ours are in one layer), and who left it a while
///             ago is not seen
///
/// Where the zone has a cap, one that must be seen may be missing if the frame says that it is
/// capped, holds as many as the cap allows, and all of ours that it holds come before the missing
/// one. Where it has update rings or a byte budget, a shown position may be one of the last ticks':
/// of as many as moves may wait at that distance, if the frame says that some do.
///
/// The check starts from what the watcher knew before, so it judges each step exactly, inside
/// the ring between the two radii as well; the sets before are judged by the steps that led there.
///
/// Left out are targets whose position at t is not certain, watchers whose own is not, entities
/// that are not ours, and ticks in which some frame says that a border is stale. pairs_checked()
/// shows what is left.
///
/// Cost     Bounded by pairs_per_tick_max, in time and memory (the sets are kept for lag_ticks).
class TruthChecker {
public:
    /// `roster` and `log` outlive it.
    TruthChecker(const TruthOptions& options, const Roster& roster, ViolationLog& log);

    /// The player is on the roster now, and sees this much.
    void on_joined(PlayerIndex player, const engine::View& view);
    /// The player's entity was out of the zone in that tick: whoever still sees it lag_ticks later
    /// is wrong.
    void on_gone(PlayerIndex player, engine::Tick tick);

    /// Is this watcher to be looked at in this tick? All have their turn, and whoever comes back
    /// `after_gap` at once, as long as there is room. Then keep_before goes before its frame is
    /// applied and keep_after behind it. At most one watcher at a time is in between.
    [[nodiscard]] bool wants(PlayerIndex watcher, engine::Tick tick, bool after_gap = false) const;
    void keep_before(std::span<const KnownEntity> known);
    void keep_after(PlayerIndex watcher, engine::Tick tick, std::span<const KnownEntity> known,
                    std::span<const engine::Leave> leaves, LeftOut left_out);

    /// Some shard was late in that tick: who jumped out of its ground may be unknown elsewhere,
    /// too, and no frame of the tick is judged.
    void note_late(engine::Tick tick);

    /// For each frame of each player: where it was, see PositionHistory. Judges ticks that are due.
    void record_position(PlayerIndex player, engine::Tick tick, std::uint32_t move_ack,
                         std::optional<engine::Position> position, engine::Step velocity = {});

    /// The player was put elsewhere, or was away: between its frames it may have been anywhere.
    void interrupt(PlayerIndex player) { history_.interrupt(player); }

    /// Judges the ticks that are left: no further frames will come.
    void finish();

    /// Pairs of a watcher and a target, both with certain positions, that were compared.
    [[nodiscard]] std::uint64_t pairs_checked() const { return pairs_checked_; }
    /// How many of these the watcher saw: shown positions that were compared.
    [[nodiscard]] std::uint64_t positions_checked() const { return positions_checked_; }
    /// The furthest of these, of those for whom no move was held back, from where it was.
    [[nodiscard]] double error_mm_max() const { return error_mm_max_; }

private:
    /// One watcher at one tick. Its sets are stretches of the evidence's lists.
    struct Sight {
        PlayerIndex watcher{};
        std::size_t before_end = 0;
        std::size_t after_end = 0;
        std::size_t leaves_end = 0;
        LeftOut left_out;
    };
    /// Where somebody stands in the order of the cap: docs/visibility.md.
    using Rank = std::tuple<engine::WeightedSquare, bool, engine::EntityId>;
    /// What was kept of one tick. `before` and `after` are in ascending id within each sight.
    struct Evidence {
        engine::Tick tick = engine::kNever;
        bool is_late = false;
        std::vector<Sight> sights;
        std::vector<engine::EntityId> before;
        std::vector<KnownEntity> after;
        std::vector<engine::Leave> leaves;  ///< but those out of range, which the sets show
    };
    /// One watcher's part of it, laid out for judging.
    struct Case {
        const PositionHistory::Row& row;
        PlayerIndex watcher;
        engine::Position at;
        engine::View view;
        std::span<const engine::EntityId> before;
        std::span<const KnownEntity> after;
        std::span<const engine::Leave> leaves;
        LeftOut left_out;
        std::optional<Rank> last_kept = {};  ///< of those of ours that are seen, the last in rank
    };

    [[nodiscard]] Evidence& evidence_of(engine::Tick tick) {
        return evidence_[tick % evidence_.size()];
    }
    void advance_to(engine::Tick tick);
    void judge(engine::Tick tick);
    void judge_who_is_seen(const Case& it);
    void judge_what_is_seen(const Case& it);
    void judge_reasons(const Case& it);
    void judge_cap(Case& it);
    [[nodiscard]] Rank rank_of(const Case& it, PlayerIndex target, engine::EntityId id) const;
    [[nodiscard]] bool may_be_capped(const Case& it, PlayerIndex target, engine::EntityId id) const;
    [[nodiscard]] engine::Tick wait_ticks_max(const Case& it, engine::Position target) const;
    [[nodiscard]] bool is_shown_near(const KnownEntity& received, engine::Tick age,
                                     engine::Position at) const;
    [[nodiscard]] bool was_there_lately(const Case& it, PlayerIndex target,
                                        const KnownEntity& received) const;
    void judge_near(const Case& it, PlayerIndex target);
    [[nodiscard]] bool is_within_radius(const Case& it, engine::Position target,
                                        std::int32_t radius_mm) const;
    /// `received`: what the watcher knows of the target; null when nothing.
    void report(Violation kind, const Case& it, PlayerIndex target, const KnownEntity* received);

    const TruthOptions options_;
    const Roster& roster_;
    ViolationLog& log_;

    PositionHistory history_;
    std::vector<Evidence> evidence_;   ///< of the ticks not judged yet: t at t modulo their number
    std::vector<engine::View> views_;  ///< by player
    std::vector<engine::Tick> unseen_from_;  ///< by player; kNever while it is in the zone
    std::vector<engine::EntityId> before_;   ///< between keep_before and keep_after
    engine::Tick judged_ = engine::kNever;   ///< every tick up to this one has been judged
    std::uint64_t pairs_checked_ = 0;
    std::uint64_t positions_checked_ = 0;
    double error_mm_max_ = 0;
};

}  // namespace marchland::bots
