#pragma once

#include "net/messages.h"
#include "tools/bots/figures.h"
#include "tools/bots/sent_moves.h"
#include "tools/bots/stream_checker.h"
#include "tools/bots/truth_checker.h"
#include "tools/bots/zone.h"
#include "tools/clients/cpp/own_way.h"
#include "tools/random/random.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace marchland::bots {

/// Judges what the server sends our players: each stream by itself, all of them against the truth,
/// and how late it comes. Knows nothing of sockets.
class Referee {
public:
    /// `log` outlives it. `pairs_per_tick_max`: see TruthOptions; `lag_ticks` likewise, where 0 is
    /// a second.
    Referee(const ZoneFacts& zone, std::size_t players_max, std::size_t pairs_per_tick_max,
            ViolationLog& log, engine::Tick lag_ticks = 0, std::size_t looked_into = SIZE_MAX);

    /// Only the first so many players' streams are looked into: of the others' frames only the
    /// heads.
    [[nodiscard]] bool looks_into(PlayerIndex player) const {
        return to_number(player) < looked_into_;
    }

    /// The player reads badly from now on, and on purpose: how late its frames are says nothing.
    void expect_slow(PlayerIndex player) { is_slow_[to_number(player)] = 1; }

    /// The player is in the zone. False when it cannot be, and has to go.
    /// Where the zone puts somebody who asks to be there.
    [[nodiscard]] engine::Position placed(engine::Position wanted) const;

    bool on_welcome(PlayerIndex player, const net::Welcome& welcome, Instant now);
    /// The player is back over another connection. False when it is not who it was.
    bool on_resumed(PlayerIndex player, const net::Welcome& welcome);
    void on_frame(PlayerIndex player, const net::FrameMessage& frame, Instant now);
    /// The server has taken the player's Leave: its stream has ended in order. Others that are seen
    /// by frames which were on their way by then are right: in which tick it was gone for certain,
    /// the next move that is sent and acknowledged says. Whose connection was lost is not gone: its
    /// entity waits to be resumed, and only the server knows how long.
    void on_left(PlayerIndex player, Instant now);
    /// Something that was seen elsewhere: a message that has no place, or none for too long.
    void on_violation(PlayerIndex player, Violation kind, const std::string& what);

    /// Of the newest frame that the player has applied.
    [[nodiscard]] engine::Tick last_tick(PlayerIndex player) const {
        return witnesses_[to_number(player)]->stream.tick();
    }
    /// What the zone expects of who sends few moves.
    [[nodiscard]] client::OwnWay way() const {
        return {zone_.prediction_error_mm, zone_.predicted_ticks_max};
    }
    /// The seq that the player's next move will have, which on_move_sent then records.
    [[nodiscard]] std::uint32_t next_seq(PlayerIndex player) const;
    /// The number of the newest correction on the player's connection, 0 before the first.
    [[nodiscard]] std::uint32_t correction_seen(PlayerIndex player) const {
        return witnesses_[to_number(player)]->correction_seen;
    }
    void on_move_sent(PlayerIndex player, engine::Position position, Instant now,
                      engine::Step velocity = {});

    /// Judges what is still open: the run is over.
    void finish() { truth_.finish(); }

    [[nodiscard]] const TruthChecker& truth() const { return truth_; }
    [[nodiscard]] const ViolationLog& violations() const { return log_; }
    /// From a player's send to another's decoding of the frame that has the place where that move
    /// led. Where entities go on by themselves, only moves since its frame before count: of others
    /// none says since when it is shown there.
    [[nodiscard]] const LatencyHistogram& latency() const { return latency_; }
    /// The same of the players of each group, once measure_groups has said who is in which.
    [[nodiscard]] const std::vector<LatencyHistogram>& latency_by_group() const {
        return latency_by_group_;
    }
    void measure_groups(std::vector<std::uint8_t> group_of, std::size_t groups);
    /// Both begin again.
    void measure_anew();
    /// The same, since somebody cleared it last.
    [[nodiscard]] LatencyHistogram& recent_latency() { return recent_latency_; }
    [[nodiscard]] Traffic& traffic() { return traffic_; }

private:
    /// All that is known of a player in the zone. On the heap: players come as they join.
    struct Witness {
        StreamChecker stream;
        SentMoves moves;
        std::uint32_t correction_seen = 0;  ///< number of the newest on this connection
    };

    void note_who_is_gone(const SentMoves::Sent& acked, engine::Tick tick);
    void measure_latency(PlayerIndex player, engine::Tick before, Instant now);

    void apply(PlayerIndex player, const net::FrameMessage& frame, Instant now);
    void count(const net::FrameMessage& frame, bool is_slow, bool is_after_gap, bool is_sampled);

    const ZoneFacts zone_;
    const engine::Tick lag_ticks_;
    const std::size_t looked_into_;
    ViolationLog& log_;
    Roster roster_;
    TruthChecker truth_;
    std::vector<std::unique_ptr<Witness>> witnesses_;  ///< by player; null before it joined
    struct Left {
        PlayerIndex player{};
        Instant at;
    };
    std::deque<Left> left_;              ///< and nobody knows the tick yet; the first one first
    std::vector<std::uint8_t> is_slow_;  ///< by player
    tools::Random random_{1};            ///< which shown position is measured
    LatencyHistogram latency_;
    std::vector<std::uint8_t> group_of_;  ///< by player; empty: groups are not measured
    std::vector<LatencyHistogram> latency_by_group_;
    LatencyHistogram recent_latency_;
    Traffic traffic_;
};

}  // namespace marchland::bots
