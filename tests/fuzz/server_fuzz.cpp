// What a client is sent by whoever answers: one message, its length prefix left out. Decoded into a
// value of its own, and into one that holds a frame already, which it must not remember.

#include "net/decode_server.h"
#include "net/packed_moves.h"
#include "net/wire_values.h"
#include "tests/fuzz/fuzz_target.h"

#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace {

using namespace marchland;
using tests::demand;

net::FrameMessage used_frame() {
    net::FrameMessage frame{7, 8, true, {}, {}, {}};
    frame.leaves = {{engine::EntityId{1}, engine::LeaveReason::gone}};
    frame.enters = {{engine::EntityId{2}, 3, {4, 5, 6}, {{0, std::int64_t{7}}}}};
    frame.moves = {{engine::EntityId{2}, true, 1, 2, 3}};
    frame.states = {{engine::EntityId{2}, {{0, std::int64_t{1}}}}};
    frame.messages = {{1, {std::byte{1}}, engine::EntityId{2}}};
    frame.is_capped = frame.is_slowed = frame.is_over_budget = frame.is_filling = true;
    frame.is_keyframe = frame.messages_lost = true;
    frame.correction = net::Correction{1, {2, 3, 4}};
    frame.watcher = engine::EntityId{9};
    return frame;
}

/// A prefix, and the bytes behind it, from a multiple of 8 on.
std::vector<std::uint64_t> with_prefix(const std::uint8_t* data, std::size_t size) {
    const auto length = static_cast<std::uint32_t>(size);
    std::vector<std::uint64_t> message((sizeof length + size + 7) / 8);
    std::memcpy(message.data(), &length, sizeof length);
    if (size > 0) {
        std::memcpy(reinterpret_cast<std::byte*>(message.data()) + sizeof length, data, size);
    }
    return message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<std::uint64_t> stored = with_prefix(data, size);
    const auto message = std::as_bytes(std::span(stored)).first(net::kLengthPrefixBytes + size);
    net::ServerMessage fresh;
    net::ServerMessage used = used_frame();
    const auto error = net::decode_server(message, fresh);
    demand(net::decode_server(message, used) == error, "a used value changes what is wrong");
    demand(error || used == fresh, "a used value changes what is said");
    return 0;
}
