// The server's end of a WebSocket. The first byte says how many bytes come at once, the second
// whether a good request comes before the rest (odd), or the rest is the request. However it is
// cut, the same comes out of it.

#include "net/transport/web_socket_layer.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace {

using namespace marchland;
using tests::demand;
using Bytes = net::Layer::Bytes;

constexpr std::string_view kRequest =
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
const net::OriginRule kRule = {{"https://play.example"}, false};

/// An answer to the request, and a close.
constexpr std::size_t kAnswersBytesMax = 1'024;

struct Outcome {
    Bytes up;
    Bytes down;
    net::Layer::State state{};

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(std::span<const std::byte> stream, std::size_t step) {
    net::WebSocketServerLayer layer(kRule);
    Outcome outcome;
    while (!stream.empty()) {
        const auto some = stream.first(std::min(step, stream.size()));
        layer.take(some, outcome.up, outcome.down);
        stream = stream.subspan(some.size());
    }
    outcome.state = layer.state();
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    Bytes stream;
    if (data[1] % 2 == 1) {
        const auto request = std::as_bytes(std::span(kRequest));
        stream.assign(request.begin(), request.end());
    }
    const auto rest = std::as_bytes(std::span(data, size)).subspan(2);
    stream.insert(stream.end(), rest.begin(), rest.end());
    const Outcome whole = outcome_of(stream, stream.size() + 1);
    demand(outcome_of(stream, data[0] + std::size_t{1}) == whole, "it depends on how it is cut");
    demand(whole.up.size() <= stream.size(), "more comes up than came in");
    demand(whole.down.size() <= stream.size() + kAnswersBytesMax, "more goes out than came in");
    return 0;
}
