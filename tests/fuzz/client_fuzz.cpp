// What a stranger sends: cut into messages as it comes, and each decoded. The first byte says how
// many bytes come at once; the rest is the stream.
//
// Beside it an obvious cutter, that has the whole stream; and what was decoded says the same when
// it is encoded again.

#include "net/decode_client.h"
#include "net/encode_client.h"
#include "net/receive_buffer.h"
#include "net/wire_values.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

namespace {

using namespace marchland;
using tests::demand;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kMessageBytesMax = 2'048;

struct Cut {
    std::vector<Bytes> messages;
    bool is_too_large = false;

    friend bool operator==(const Cut&, const Cut&) = default;
};

Cut cut_whole(std::span<const std::byte> stream) {
    Cut cut;
    while (stream.size() >= net::kLengthPrefixBytes) {
        std::uint32_t length = 0;  // little-endian, as this machine is
        std::memcpy(&length, stream.data(), sizeof length);
        if (length > kMessageBytesMax) {
            cut.is_too_large = true;
            break;
        }
        const std::size_t bytes = net::kLengthPrefixBytes + length;
        if (stream.size() < bytes) {
            break;
        }
        cut.messages.emplace_back(stream.begin(), stream.begin() + static_cast<long>(bytes));
        stream = stream.subspan(bytes);
    }
    return cut;
}

void check_message(std::span<const std::byte> message) {
    demand(reinterpret_cast<std::uintptr_t>(message.data()) % 8 == 0, "a message is not aligned");
    const auto decoded = net::decode_client(message);
    const auto* const said = std::get_if<net::ClientMessage>(&decoded);
    if (said == nullptr || std::holds_alternative<net::SkippedMessage>(*said)) {
        return;
    }
    flatbuffers::FlatBufferBuilder builder;
    const std::span<const std::byte> encoded = net::encode(builder, *said);
    demand(net::decode_client(Bytes(encoded.begin(), encoded.end())) == decoded,
           "a message is another one when it is encoded again");
}

Cut cut_as_it_comes(std::span<const std::byte> stream, std::size_t step) {
    Cut cut;
    net::ReceiveBuffer buffer(kMessageBytesMax);
    while (true) {
        std::span<const std::byte> message;
        const auto next = buffer.next(message);
        if (next == net::ReceiveBuffer::Next::message) {
            check_message(message);
            cut.messages.emplace_back(message.begin(), message.end());
            continue;
        }
        cut.is_too_large = next == net::ReceiveBuffer::Next::too_large;
        if (cut.is_too_large || stream.empty()) {
            return cut;
        }
        const std::span<std::byte> space = buffer.writable();
        const std::size_t bytes = std::min({step, space.size(), stream.size()});
        std::memcpy(space.data(), stream.data(), bytes);
        buffer.commit(bytes);
        stream = stream.subspan(bytes);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const auto stream = std::as_bytes(std::span(data, size)).subspan(1);
    const std::size_t step = data[0] == 0 ? stream.size() + 1 : data[0];
    demand(cut_as_it_comes(stream, step) == cut_whole(stream), "the stream is cut elsewhere");
    return 0;
}
