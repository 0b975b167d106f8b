#pragma once

#include "net/error_code.h"
#include "tools/bots/zone.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bots {

/// How are latencies distributed? Counts in buckets whose width grows with the value: fixed memory,
/// however long the run, and quantiles within 1/32 of their value.
///
/// Shapes   2^5 buckets for each doubling, from 1 µs to 2^36 µs (19 hours), where it saturates.
/// Cost     add O(1), quantile O(buckets).
/// Source   The layout of HdrHistogram (Gil Tene), http://hdrhistogram.org
class LatencyHistogram {
public:
    void add_us(std::uint64_t value_us);
    void add(const LatencyHistogram& other);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t max_us() const { return max_us_; }
    /// The value that a share of `quantile` (0 to 1) does not exceed, never above max_us; 0 when
    /// there are no values.
    [[nodiscard]] std::uint64_t quantile_us(double quantile) const;

    /// Calls `visit(highest_us, count)` for each bucket that has values, the fastest first.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
            if (counts_[bucket] > 0) {
                visit(highest_us(bucket), counts_[bucket]);
            }
        }
    }

    void clear() { *this = {}; }

private:
    static constexpr unsigned kBitsPerDoubling = 5;
    static constexpr unsigned kBitsMax = 36;
    static constexpr std::size_t kBuckets = (kBitsMax - kBitsPerDoubling + 1) << kBitsPerDoubling;

    /// Values below 2^(kBitsPerDoubling + 1) have a bucket each; above, the lowest bits are
    /// dropped.
    static std::size_t bucket_of(std::uint64_t value_us);
    static std::uint64_t highest_us(std::size_t bucket);

    std::array<std::uint64_t, kBuckets> counts_{};
    std::uint64_t count_ = 0;
    std::uint64_t max_us_ = 0;
};

inline double in_ms(std::uint64_t us) {
    return static_cast<double>(us) / 1000.0;
}

inline double mib(std::uint64_t bytes) {
    return static_cast<double>(bytes) / (1U << 20U);
}

/// What went over the wire.
struct Traffic {
    std::uint64_t frames = 0;
    std::uint64_t stale_frames = 0;  ///< those that say so: border_stale
    std::uint64_t leaves = 0;
    std::uint64_t enters = 0;
    std::uint64_t moves = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t moves_sent = 0;
    std::uint64_t moves_made = 0;      ///< frames that acknowledge a newer one: others are refused
    std::uint64_t moves_dropped = 0;   ///< the kernel took no more: the next one is newer anyway
    std::uint64_t slow_frames = 0;     ///< those of slow readers
    std::uint64_t gaps = 0;            ///< of these, those of more than a few ticks at once
    std::uint64_t gaps_looked_at = 0;  ///< and those among them that were kept for the truth

    [[nodiscard]] std::uint64_t updates() const { return leaves + enters + moves; }

    Traffic& operator+=(const Traffic& other) {
        for (const auto count : kCounts) {
            this->*count += other.*count;
        }
        return *this;
    }
    friend Traffic operator-(Traffic a, const Traffic& b) {
        for (const auto count : kCounts) {
            a.*count -= b.*count;
        }
        return a;
    }

private:
    static const std::array<std::uint64_t Traffic::*, 12> kCounts;
};

inline constexpr std::array<std::uint64_t Traffic::*, 12> Traffic::kCounts = {
    &Traffic::frames,      &Traffic::stale_frames, &Traffic::leaves,
    &Traffic::enters,      &Traffic::moves,        &Traffic::bytes_in,
    &Traffic::moves_sent,  &Traffic::moves_made,   &Traffic::moves_dropped,
    &Traffic::slow_frames, &Traffic::gaps,         &Traffic::gaps_looked_at};

/// What became of the players.
struct Fates {
    std::size_t joined = 0;   ///< were let in, whatever came then
    std::size_t resumed = 0;  ///< how often one came back after its connection was cut
    // Where the server may be restarted: how often one lost its connection, and came back to its
    // first frame; and how long that took at most.
    std::size_t lost_in_restart = 0;
    std::size_t resumed_after_restart = 0;
    std::uint64_t return_ms_max = 0;
    std::size_t left = 0;        ///< went when we wanted them to
    std::size_t not_let_in = 0;  ///< no connection, or no Welcome on it
    std::size_t closed_by_server = 0;
    std::size_t dropped = 0;  ///< by us: what the server said could not be read
    /// How often the server gave which error, whether before or after it let the player in.
    std::map<net::ErrorCode, std::size_t> errors;
    std::string first_trouble;  ///< the first player's that was lost, in words; empty: none was

    [[nodiscard]] std::size_t lost() const { return not_let_in + closed_by_server + dropped; }
    Fates& operator+=(const Fates& other);
};

/// The ways in which a server can break its contract.
enum class Violation : std::uint8_t {
    // A stream that is not well formed.
    malformed,       ///< bytes that are no message, or a frame that contradicts itself
    unexpected,      ///< a message that is not legal in the connection's state
    tick_order,      ///< ticks do not strictly ascend
    list_order,      ///< ids of a list do not strictly ascend
    wrong_ack,       ///< a move acknowledged that was never sent, or an older one than before
    own_id,          ///< is sent itself
    double_enter,    ///< an enter inside an episode
    unknown_leave,   ///< a leave outside any episode
    unknown_move,    ///< a move outside any episode
    moved_on_enter,  ///< a move in the frame of the enter, which has the position already
    outside_world,   ///< a position that cannot be
    silent,          ///< no frame for much longer than a heartbeat takes
    // A view that is not what it must be: found by comparing with the true positions.
    missing,         ///< must be seen, and is not
    must_not_see,    ///< is seen, and must not be
    wrong_position,  ///< is seen somewhere else than where it is
    wrong_reason,    ///< left as gone or hidden, and was neither
    still_seen,      ///< left the zone, and is seen all the same
    wrong_cap,  ///< more are seen than the cap allows, or a frame says capped while there is room
};
inline constexpr std::size_t kViolationKinds = 18;

std::string_view name_of(Violation kind);

/// Counts violations and prints the first few of each kind in full, so that a flood of one kind
/// does not hide another.
///
/// Cost     A violation that is not printed is not even described.
class ViolationLog {
public:
    /// `out` may be null: then nothing is printed.
    ViolationLog(std::FILE* out, std::uint64_t printed_per_kind_max)
        : out_(out), printed_per_kind_max_(printed_per_kind_max) {}

    /// Of what `player` was sent. `describe` returns the text: who, when, and what exactly.
    template <typename Describe>
    void report(Violation kind, PlayerIndex player, Describe&& describe) {
        by_player_.resize(std::max(by_player_.size(), to_number(player) + 1));
        ++by_player_[to_number(player)];
        const std::uint64_t count = ++counts_[static_cast<std::size_t>(kind)];
        ++total_;
        if (out_ != nullptr && count <= printed_per_kind_max_) {
            print(kind, describe(), count == printed_per_kind_max_);
        }
    }

    [[nodiscard]] std::uint64_t total() const { return total_; }
    [[nodiscard]] std::uint64_t count(Violation kind) const {
        return counts_[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::uint64_t count(PlayerIndex player) const {
        return to_number(player) < by_player_.size() ? by_player_[to_number(player)] : 0;
    }

private:
    void print(Violation kind, const std::string& text, bool is_last);

    std::FILE* const out_;
    const std::uint64_t printed_per_kind_max_;
    std::uint64_t total_ = 0;
    std::array<std::uint64_t, kViolationKinds> counts_{};
    std::vector<std::uint64_t> by_player_;  ///< up to the last one that has any
};

}  // namespace marchland::bots
