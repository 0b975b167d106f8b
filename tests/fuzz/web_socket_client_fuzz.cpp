// The client's end of a WebSocket. The first byte says how many bytes come at once; the second
// whether the upgrade that was asked for comes before the rest (bit 0), or the rest is the server's
// answer, and whether the client has said its end before the rest comes (bit 1). However it is cut,
// the same comes out of it; what goes out, a server can read.

#include "net/transport/web_socket_layer.h"
#include "net/transport/web_socket_upgrade.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace {

using namespace marchland;
using tests::demand;
using Bytes = net::Layer::Bytes;

constexpr unsigned kIsUpgraded = 1;
constexpr unsigned kHasEnded = 2;

/// An empty ping is two bytes, its pong, masked, six; and at most one close of eight.
constexpr std::size_t kAnsweredTimes = 3;
constexpr std::size_t kCloseBytes = 8;

/// A masked answer has other bytes each time: its length is the same.
struct Outcome {
    Bytes up;
    std::size_t down_bytes = 0;
    net::Layer::State state{};

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

void take(net::WebSocketClientLayer& layer, std::span<const std::byte> bytes, std::size_t step,
          Bytes& up, Bytes& down) {
    while (!bytes.empty()) {
        const auto some = bytes.first(std::min(step, bytes.size()));
        layer.take(some, up, down);
        bytes = bytes.subspan(some.size());
    }
}

/// The answer to what the client has asked, as the server's layer gives it.
net::UpgradeAnswer answer_to(const Bytes& request) {
    const net::OriginRule any;
    return net::answer_upgrade({reinterpret_cast<const char*>(request.data()), request.size()},
                               any);
}

Outcome outcome_of(std::span<const std::byte> stream, std::size_t step, unsigned flags) {
    net::WebSocketClientLayer layer("zone.example:7778");
    Outcome outcome;
    Bytes request;
    layer.take({}, outcome.up, request);
    Bytes down;
    if ((flags & kIsUpgraded) != 0) {
        const net::UpgradeAnswer answer = answer_to(request);
        demand(answer.is_upgraded, "the server does not take its request");
        take(layer, std::as_bytes(std::span(answer.text)), step, outcome.up, down);
        demand(layer.state() == net::Layer::State::open && down.empty(), "it does not open");
    }
    const bool has_ended = (flags & kHasEnded) != 0 && layer.state() == net::Layer::State::open;
    if (has_ended) {
        layer.end(down);
    }
    const std::size_t said = down.size();
    take(layer, stream, step, outcome.up, down);
    demand(!has_ended || down.size() == said, "it speaks on after its end");
    outcome.state = layer.state();
    outcome.down_bytes = down.size();

    Bytes carried;
    Bytes answers;
    net::WebSocketFrames server(net::WebSocketEnd::client);
    demand(server.take(down, carried, answers) != net::WebSocketFrames::Result::failed,
           "a server cannot read it");
    demand(carried.empty(), "it says what nobody gave it");
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const auto stream = std::as_bytes(std::span(data, size)).subspan(2);
    const unsigned flags = data[1];
    const Outcome whole = outcome_of(stream, stream.size() + kCloseBytes, flags);
    demand(outcome_of(stream, data[0] + std::size_t{1}, flags) == whole,
           "it depends on how it is cut");
    demand(whole.up.size() <= stream.size(), "more comes up than came in");
    demand(whole.down_bytes <= kAnsweredTimes * stream.size() + kCloseBytes,
           "more goes out than is due");
    return 0;
}
