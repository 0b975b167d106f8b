#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace marchland::bots {

/// The ways in which a server can break its contract.
enum class Violation : std::uint8_t {
    // A stream that is not well formed.
    malformed,       ///< bytes that are no message, or a frame that contradicts itself
    unexpected,      ///< a message that is not legal in the connection's state
    tick_order,      ///< ticks do not strictly ascend
    list_order,      ///< ids of a list do not strictly ascend
    wrong_ack,       ///< a move acknowledged that was never sent, or an older one than before
    own_id,          ///< told of itself
    double_enter,    ///< an enter inside an episode
    unknown_leave,   ///< a leave outside any episode
    unknown_move,    ///< a move outside any episode
    moved_on_enter,  ///< a move in the frame of the enter, which tells the position already
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

    /// `describe` returns the text: who, when, and what exactly.
    template <typename Describe>
    void report(Violation kind, Describe&& describe) {
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

private:
    void print(Violation kind, const std::string& text, bool is_last);

    std::FILE* const out_;
    const std::uint64_t printed_per_kind_max_;
    std::uint64_t total_ = 0;
    std::array<std::uint64_t, kViolationKinds> counts_{};
};

}  // namespace marchland::bots
