#pragma once

#include "net/frame_times.h"
#include "net/messages.h"
#include "net/receive_buffer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace marchland::tests {

/// A client of flesh: a blocking socket, and the protocol's two codecs. Whatever takes longer than
/// twenty seconds throws, and so fails the test.
class TestClient {
public:
    /// Connects. `receive_buffer_bytes`: what the kernel holds for a client that does not read; 0
    /// leaves that to the kernel.
    explicit TestClient(std::uint16_t port, int receive_buffer_bytes = 0);
    /// Connects from that address, one of 127.0.0.0/8.
    TestClient(const char* from, std::uint16_t port);
    /// A socket that connect() connects later.
    TestClient();
    ~TestClient();
    TestClient(TestClient&& other) noexcept;
    TestClient& operator=(TestClient&&) = delete;

    void connect(std::uint16_t port);

    /// False when the server has closed its end.
    bool send(const net::ClientMessage& message);
    bool send_bytes(std::span<const std::byte> bytes);

    /// The next message; nothing at the end of the stream, or when the connection was reset.
    std::optional<net::ServerMessage> receive();
    /// From here on receive() adds the bytes of all messages to these.
    void write_down(std::vector<std::byte>& to) { received_ = &to; }
    /// Some bytes as they come; nothing at the end of the stream, or when the connection was reset.
    std::optional<std::string> receive_bytes();
    /// Did the stream end with a reset? Then the server did not let this end read in peace.
    [[nodiscard]] bool was_reset() const { return was_reset_; }
    /// The next message, which must be one of these.
    template <typename Message>
    Message receive_one() {
        return std::get<Message>(receive().value());
    }

    /// Says Hello and returns the answer.
    net::Welcome join(const net::Hello& hello = {});
    net::Welcome join_at(engine::Position spawn);

    /// Returns when the server has handled all that was sent here. No frame may be on its way.
    void fence();
    /// The same, with frames on their way, which it returns.
    std::vector<net::FrameMessage> frames_until_fence();

    /// Closes as a crash does: the server's end is reset.
    void kill();
    void close();
    /// Closes only what goes to the server.
    void end_of_stream();

private:
    int fd_;
    net::ReceiveBuffer buffer_;
    std::uint64_t fences_ = 0;
    bool was_reset_ = false;
    std::vector<std::byte>* received_ = nullptr;
    net::FrameTimes times_;
};

}  // namespace marchland::tests
