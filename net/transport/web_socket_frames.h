#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::net {

/// Why a WebSocket is closed (RFC 6455, 7.4.1).
enum class WebSocketClose : std::uint16_t {
    normal = 1000,
    protocol_error = 1002,
    unsupported_data = 1003,  ///< a text message
};

/// Which end of a WebSocket: a client masks what it sends, a server does not (RFC 6455, 5.1).
enum class WebSocketEnd : std::uint8_t { client, server };

/// A binary message of one frame, as that end sends it.
void append_binary(std::span<const std::byte> payload, std::vector<std::byte>& to,
                   WebSocketEnd sender = WebSocketEnd::server);
void append_close(WebSocketClose code, std::vector<std::byte>& to,
                  WebSocketEnd sender = WebSocketEnd::server);

/// Takes the frames of the other end apart (RFC 6455, 5).
///
///     header (2) | length (0, 2 or 8) | mask (4, a client's) | payload, masked
///
/// What data frames carry is passed on as it comes, so their length needs no limit here; control
/// frames are kept until they are whole: at most 125 bytes.
class WebSocketFrames {
public:
    enum class Result : std::uint8_t {
        more,    ///< all was taken; go on
        closed,  ///< the peer closed; the answer is in `down`
        failed,  ///< not RFC 6455, or not for us; why is in `down`
    };

    explicit WebSocketFrames(WebSocketEnd sender = WebSocketEnd::client) : sender_(sender) {}

    /// Appends what messages carry to `up`, pongs and closes to `down`.
    Result take(std::span<const std::byte> bytes, std::vector<std::byte>& up,
                std::vector<std::byte>& down);

private:
    enum class Opcode : std::uint8_t {
        continuation = 0,
        text = 1,
        binary = 2,
        close = 8,
        ping = 9,
        pong = 10,
    };

    static constexpr std::size_t kHeaderBytesMax = 14;
    static constexpr std::size_t kControlBytesMax = 125;

    [[nodiscard]] bool is_masked() const { return sender_ == WebSocketEnd::client; }
    [[nodiscard]] WebSocketEnd own_end() const {
        return is_masked() ? WebSocketEnd::server : WebSocketEnd::client;
    }
    [[nodiscard]] std::size_t header_bytes() const;
    [[nodiscard]] bool begin_frame(std::vector<std::byte>& down);
    [[nodiscard]] bool read_length();
    Result end_frame(std::vector<std::byte>& down);
    [[nodiscard]] bool is_control() const { return static_cast<std::uint8_t>(opcode_) >= 8; }
    void unmask(std::span<const std::byte> payload, std::vector<std::byte>& to);

    const WebSocketEnd sender_;
    std::array<std::byte, kHeaderBytesMax> header_{};
    std::size_t header_size_ = 0;  ///< what is there of it
    bool is_in_payload_ = false;
    Opcode opcode_ = Opcode::continuation;  ///< of the frame that is under way
    bool is_final_ = false;
    bool is_in_message_ = false;  ///< a data message has begun and is not at its end
    std::uint64_t left_ = 0;      ///< of the payload
    std::size_t mask_at_ = 0;
    std::vector<std::byte> control_;  ///< payload of a control frame
};

}  // namespace marchland::net
