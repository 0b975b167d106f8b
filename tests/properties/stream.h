#pragma once

#include "engine/ids.h"
#include "tests/shards/sent_frame.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace marchland::tests {

/// All that one client was sent, from its joining to its leaving.
struct Stream {
    engine::EntityId id{};
    engine::Tick joined = engine::kNever;
    std::vector<SentFrame> frames;  ///< one per tick in which it took one, the empty ones included
    std::vector<std::vector<std::byte>> wire;  ///< by frame: as it goes over TCP
    bool was_removed = false;
};

/// The streams of a history, in the order of its lives.
using Recording = std::vector<Stream>;

/// Where two recordings of one history part, in words; nothing when the frames are equal.
std::optional<std::string> first_difference(const Recording& expected, const Recording& actual);

/// The first client whose bytes differ; nothing when each got the same.
std::optional<std::string> byte_difference(const Recording& expected, const Recording& actual);

/// What was sent before that tick.
Recording before_tick(Recording recording, engine::Tick tick);

/// What is wrong with a stream by itself; nothing when it is well formed: see ClientView.
std::optional<std::string> find_flaw(const Stream& stream);

}  // namespace marchland::tests
