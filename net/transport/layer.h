#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace marchland::net {

/// One layer of a connection between the socket and the session (TLS, WebSocket), without a socket:
/// bytes go in at one side and come out at the other.
///
///     session     ▲ up        │ wrap
///     layer     [ take        ▼      ]
///     socket      │ below     down
///
/// Threads  One at a time.
/// Bounds   A layer keeps one record, or one header, of its peer; both formats limit these. What it
///          appends to `up` is no more than it was given, and what it kept.
/// Errors   The peer's bytes are foreign: past an error the state is `failed`, what was appended to
///          `down` gives the peer the reason, and nothing more is taken.
class Layer {
public:
    using Bytes = std::vector<std::byte>;

    enum class State : std::uint8_t {
        opening,  ///< the handshake is under way: wrap() may not be called
        open,
        ended,   ///< the peer sent that nothing more follows
        failed,  ///< the peer broke the rules
    };

    virtual ~Layer() = default;

    /// Takes bytes of the peer. Appends what they carry to `up`, and what they must be answered
    /// with to `down`.
    virtual void take(std::span<const std::byte> below, Bytes& up, Bytes& down) = 0;
    /// What it does next takes much time. Until give_turn(), which the next take() may be of
    /// nothing after, it is given no more.
    [[nodiscard]] virtual bool needs_turn() const { return false; }
    virtual void give_turn() {}
    /// Appends to `down` what carries these bytes: whole messages of the protocol.
    virtual void wrap(std::span<const std::byte> bytes, Bytes& down) = 0;
    /// Appends to `down` that nothing more follows.
    virtual void end(Bytes& down) = 0;
    [[nodiscard]] virtual State state() const = 0;
    /// Once failed: what the peer did wrong, for the log; empty where that is of no interest.
    [[nodiscard]] virtual std::string failure() const { return ""; }
};

}  // namespace marchland::net
