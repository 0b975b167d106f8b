#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "tools/bots/zone.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::bots {

/// The moves that a player sent lately: where it is at a tick follows from the seq that the server
/// acknowledges for that tick, and how late others are shown it from when the move was sent.
///
/// Shapes   A ring of `capacity`; seq counts from 1, and seq 0 is the place of its birth.
/// Bounds   What is older than `capacity` moves is forgotten: find() says so.
class SentMoves {
public:
    static constexpr std::size_t kUsualCapacity = 64;  ///< 3 s at 20 Hz

    struct Sent {
        engine::Position position;
        std::uint32_t seq = 0;
        Instant at;
        engine::Step velocity = {};  ///< with which it goes on
        /// Of the first frame that acknowledged it, in whose tick it was made, or before; kNever:
        /// none did.
        engine::Tick acked_tick = engine::kNever;
        bool is_correction = false;  ///< `at` is when it came, not when a move was sent
    };

    SentMoves(engine::Position birthplace, Instant now, std::size_t capacity = kUsualCapacity)
        : ring_(capacity) {
        ring_[0] = {birthplace, 0, now};
    }

    /// Notes a move and returns its seq.
    std::uint32_t record(engine::Position position, Instant now, engine::Step velocity = {}) {
        ++newest_seq_;
        ring_[newest_seq_ % ring_.size()] = {position, newest_seq_, now, velocity};
        return newest_seq_;
    }

    /// The server says where the entity is, whatever move it acknowledged last.
    void correct(std::uint32_t acknowledged, engine::Position position, Instant now) {
        Sent& sent = ring_[acknowledged % ring_.size()];
        const engine::Tick acked_tick = sent.seq == acknowledged ? sent.acked_tick : engine::kNever;
        sent = {position, acknowledged, now, {}, acked_tick, true};
    }

    [[nodiscard]] std::uint32_t newest_seq() const { return newest_seq_; }

    /// Null when the move was never made, or is forgotten.
    [[nodiscard]] const Sent* find(std::uint32_t seq) const {
        const Sent& sent = ring_[seq % ring_.size()];
        return sent.seq == seq && seq <= newest_seq_ ? &sent : nullptr;
    }

    /// The same; a frame of that tick acknowledged it.
    const Sent* acknowledge(std::uint32_t seq, engine::Tick tick) {
        Sent& sent = ring_[seq % ring_.size()];
        if (sent.seq == seq && sent.acked_tick == engine::kNever) {
            sent.acked_tick = tick;
        }
        return find(seq);
    }

    /// The newest move that led to exactly this place, of those that were made after the tick, as
    /// far as acknowledgements say; null when none did.
    [[nodiscard]] const Sent* newest_at(engine::Position position, engine::Tick after) const {
        for (std::size_t back = 0; back < ring_.size() && back < newest_seq_; ++back) {
            const auto seq = static_cast<std::uint32_t>(newest_seq_ - back);
            const Sent& sent = ring_[seq % ring_.size()];
            if (sent.acked_tick != engine::kNever && sent.acked_tick <= after) {
                return nullptr;  // and whatever is older was made before
            }
            if (sent.position == position && !sent.is_correction) {
                return &sent;
            }
        }
        return nullptr;
    }

private:
    std::vector<Sent> ring_;
    std::uint32_t newest_seq_ = 0;
};

}  // namespace marchland::bots
