#pragma once

#include "tools/server/status.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace marchland::server {

/// What goes wrong again and again, for the log: when it begins, then every kRepeat while it lasts, with its count, and
/// when nothing of it came for kQuiet. So each kind has a line in a second at most, as statuses come.
///
/// Kinds  Ticks that were late; frames that were left out; frames in which clients are told less than they could see
///        (contract point 7); frames that waited for an I/O thread; a shard that is hot; a state that is not written;
///        a zone that is full.
class Warnings {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kRepeat = std::chrono::seconds(10);
    static constexpr auto kQuiet = std::chrono::seconds(3);
    /// A shard that works for so much of its ticks is hot: overload begins there, too.
    static constexpr unsigned kHotPercent = 85;
    /// So far behind, something is wrong with the state's disk.
    static constexpr auto kStateAge = std::chrono::seconds(5);

    /// For each status, about one a second, in order. The lines to be logged.
    std::vector<std::string> lines_for(const Status& status, Clock::time_point now);

private:
    struct Kind {
        bool lasts = false;
        std::uint64_t count = 0;  ///< since the last line of it
        std::uint64_t total = 0;  ///< since it began
        Clock::time_point began;
        Clock::time_point said;
        Clock::time_point seen;
    };

    std::array<Kind, 7> kinds_;
};

}  // namespace marchland::server
