#pragma once

#include "net/error_code.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace marchland::bots {

/// What went over the wire.
struct Traffic {
    std::uint64_t frames = 0;
    std::uint64_t stale_frames = 0;  ///< those that say so: border_stale
    std::uint64_t leaves = 0;
    std::uint64_t enters = 0;
    std::uint64_t moves = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t moves_sent = 0;
    std::uint64_t moves_dropped = 0;  ///< the kernel took no more: the next one is newer anyway
    std::uint64_t slow_frames = 0;    ///< those of slow readers
    std::uint64_t gaps = 0;  ///< of these, those that tell of more than a few ticks at once
    std::uint64_t gaps_looked_at = 0;  ///< and those among them that were kept for the truth

    [[nodiscard]] std::uint64_t updates() const { return leaves + enters + moves; }

    friend Traffic operator-(const Traffic& a, const Traffic& b) {
        return {a.frames - b.frames,
                a.stale_frames - b.stale_frames,
                a.leaves - b.leaves,
                a.enters - b.enters,
                a.moves - b.moves,
                a.bytes_in - b.bytes_in,
                a.moves_sent - b.moves_sent,
                a.moves_dropped - b.moves_dropped,
                a.slow_frames - b.slow_frames,
                a.gaps - b.gaps,
                a.gaps_looked_at - b.gaps_looked_at};
    }
};

/// What became of the players.
struct Fates {
    std::size_t joined = 0;      ///< were let in, whatever came then
    std::size_t resumed = 0;     ///< how often one came back after its connection was cut
    std::size_t left = 0;        ///< went when we wanted them to
    std::size_t not_let_in = 0;  ///< no connection, or no Welcome on it
    std::size_t closed_by_server = 0;
    std::size_t dropped = 0;  ///< by us: what the server said could not be read
    /// How often the server gave which error, whether before or after it let the player in.
    std::map<net::ErrorCode, std::size_t> errors;
    std::string first_trouble;  ///< the first player's that was lost, in words; empty: none was

    [[nodiscard]] std::size_t lost() const { return not_let_in + closed_by_server + dropped; }
};

}  // namespace marchland::bots
