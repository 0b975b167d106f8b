#pragma once

#include "engine/ids.h"
#include "net/messages.h"
#include "tools/bots/figures.h"
#include "tools/bots/zone.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::bots {

/// One entity as a client knows it.
struct KnownEntity {
    engine::EntityId id{};
    engine::Position position;     ///< at the end of the newest frame's tick
    std::uint32_t moved_tick = 0;  ///< low 32 bits of the tick of its last move; 0 before the first
    engine::Step velocity = {};    ///< with which it goes on
};

/// Applies one client's stream, and checks that it is well formed: contract point 2. What it is
/// sent is applied as far as it makes sense, so that one fault is one violation and not a flood.
///
/// Shapes   known() is in strictly ascending id.
/// Cost     A frame O(known): its moves and known() are in the same order; a leave or enter
///          O(log known) and a memmove. Nothing is allocated once known() has had its largest size.
class StreamChecker {
public:
    /// `zone` and `log` outlive it.
    StreamChecker(engine::EntityId self, const ZoneFacts& zone, ViolationLog& log,
                  PlayerIndex player = {})
        : self_(self), zone_(zone), log_(&log), player_(player) {}

    /// Leaves, then enters, then moves; a keyframe begins anew. `newest_seq_sent`: no move beyond
    /// it can be acknowledged.
    void apply(const net::FrameMessage& frame, std::uint32_t newest_seq_sent);

    /// The stream goes on over another connection, on which nothing is acknowledged yet.
    void resume() { move_ack_ = 0; }

    /// Of the newest frame; kNever before the first.
    [[nodiscard]] engine::Tick tick() const { return tick_; }
    [[nodiscard]] std::span<const KnownEntity> known() const { return known_; }
    [[nodiscard]] bool moved_in_last_frame(const KnownEntity& entity) const {
        return entity.moved_tick == static_cast<std::uint32_t>(tick_);
    }

private:
    enum class List : std::uint8_t { none, leaves, enters, moves };

    void begin(const net::FrameMessage& frame, std::uint32_t newest_seq_sent);
    void leave(engine::EntityId id);
    void enter(const net::Entered& entered);
    [[nodiscard]] bool may_be_shown_at(engine::Position position) const;
    void move(const net::Moved& move, bool by_rank);
    void check_none_moved_on_enter(const net::FrameMessage& frame);

    /// Where `id` stands in known_, or would stand.
    [[nodiscard]] std::size_t place_of(engine::EntityId id) const;
    [[nodiscard]] bool is_known(std::size_t place, engine::EntityId id) const {
        return place < known_.size() && known_[place].id == id;
    }
    void check_order(engine::EntityId id, List list);
    void report(Violation kind, engine::EntityId id, const char* what);

    const engine::EntityId self_;
    const ZoneFacts& zone_;
    ViolationLog* log_;
    const PlayerIndex player_;  ///< whose stream it is, for the log

    std::vector<KnownEntity> known_;
    engine::Tick tick_ = engine::kNever;
    bool is_stale_ = false;  ///< the frame that is being read
    std::uint32_t move_ack_ = 0;

    // Scratch, while a frame is applied.
    List list_ = List::none;  ///< which list the last id was in
    engine::EntityId last_in_list_{};
    std::size_t cursor_ = 0;  ///< the next who moves is not before this place in known_
};

}  // namespace marchland::bots
