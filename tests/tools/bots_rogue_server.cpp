#include "tests/tools/bots_rogue_server.h"

#include "net/decode_client.h"
#include "net/encode_server.h"
#include "net/packed_moves.h"
#include "net/wire_values.h"
#include "tools/clients/cpp/message_splitter.h"

#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>
#include <netinet/in.h>
#include <sys/socket.h>

namespace marchland::bots {
namespace {

void append(Script& script, std::span<const std::byte> bytes) {
    script.insert(script.end(), bytes.begin(), bytes.end());
}

std::vector<std::uint8_t> packed(const std::vector<net::Moved>& moves) {
    std::vector<std::byte> bytes(moves.size() * net::kMovedBytesMax);
    std::byte* end = bytes.data();
    engine::EntityId previous{};
    for (const net::Moved& move : moves) {
        end = net::pack_move(
            move, to_number(move.entity) - to_number(std::exchange(previous, move.entity)), end);
    }
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return {begin, begin + (end - bytes.data())};
}

/// Reads one message more; false at the end of the stream.
bool receives_another(int client, client::MessageSplitter& splitter, net::ClientMessage& received) {
    std::vector<std::uint64_t> scratch;
    std::array<std::uint64_t, 512> chunk{};
    std::optional<net::ClientMessage> message;
    while (!message) {
        const ssize_t count = recv(client, chunk.data(), sizeof chunk, 0);
        if (count <= 0) {
            return false;
        }
        splitter.begin(std::as_bytes(std::span(chunk)).first(static_cast<std::size_t>(count)));
        while (const auto bytes = splitter.next(scratch)) {
            const auto decoded = net::decode_client(*bytes);
            if (const auto* said = std::get_if<net::ClientMessage>(&decoded)) {
                message = *said;
            }
        }
        splitter.end();
    }
    received = *message;
    return true;
}

void must(bool well, const char* what) {
    if (!well) {
        throw std::system_error(errno, std::generic_category(), what);
    }
}

}  // namespace

void say(Script& script, const net::Welcome& welcome) {
    flatbuffers::FlatBufferBuilder builder;
    append(script, net::encode(builder, welcome));
}

void say(Script& script, const net::ErrorMessage& error) {
    flatbuffers::FlatBufferBuilder builder;
    append(script, net::encode(builder, error));
}

void say(Script& script, const net::FrameMessage& frame) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<wire::Left> leaves;
    for (const engine::Leave& leave : frame.leaves) {
        leaves.emplace_back(to_number(leave.id), static_cast<wire::LeaveReason>(leave.reason));
    }
    std::vector<flatbuffers::Offset<wire::Entered>> enters;
    for (const net::Entered& enter : frame.enters) {
        const wire::Position position = net::to_wire(enter.position);
        enters.push_back(
            wire::CreateEntered(builder, to_number(enter.entity), enter.kind, &position));
    }
    const std::vector<std::uint8_t> moves = packed(frame.moves);
    const auto body = wire::CreateFrameDirect(builder, frame.tick, frame.move_ack,
                                              frame.border_stale, &leaves, &enters, &moves);
    append(script, net::finish_message(builder, body));
}

RogueServer::RogueServer(std::vector<Script> scripts, Then then)
    : scripts_(std::move(scripts)), then_(then), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    must(listener_ >= 0, "socket");
    must(bind(listener_, any, bytes) == 0, "bind");
    must(listen(listener_, 16) == 0, "listen");
    must(getsockname(listener_, any, &bytes) == 0, "getsockname");
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
}

RogueServer::~RogueServer() {
    shutdown(listener_, SHUT_RDWR);  // wakes an accept() that waits for nobody
    thread_.join();
    close(listener_);
}

void RogueServer::serve() {
    Script proper;
    say(proper, welcome_as(1));
    for (std::size_t i = 0; i <= scripts_.size(); ++i) {
        const int client = accept(listener_, nullptr, nullptr);
        if (client < 0) {
            return;
        }
        if (i == 0) {
            serve_client(client, proper, Then::waits_for_leave);
        } else {
            serve_client(client, scripts_[i - 1], then_);
        }
        close(client);
    }
}

void RogueServer::serve_client(int client, const Script& script, Then then) {
    client::MessageSplitter splitter;
    net::ClientMessage received;
    if (!receives_another(client, splitter, received)) {
        return;
    }
    (void)send(client, script.data(), script.size(), MSG_NOSIGNAL);
    if (then == Then::closes) {
        return;
    }
    while (receives_another(client, splitter, received) &&
           !std::holds_alternative<net::LeaveZone>(received)) {
    }
}

}  // namespace marchland::bots
