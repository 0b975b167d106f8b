#pragma once

#include "net/transport/layer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

struct ssl_ctx_st;
struct ssl_st;
struct bio_st;

namespace marchland::net {

/// One end of TLS 1.2 or 1.3. OpenSSL reads and writes memory; whoever holds the layer carries the
/// bytes. A client begins: its first take() is of nothing.
///
/// Bounds   One record of the peer (16 KiB) inside OpenSSL; a server asks for no certificates. Once
///          the handshake is over, kLateMessagesMax more of its messages for the life of the
///          connection: a KeyUpdate is a few bytes, makes new keys, and may ask for an answer. Who
///          sends more fails.
class TlsLayer final : public Layer {
public:
    static constexpr int kLateMessagesMax = 16;

    /// The server's end.
    explicit TlsLayer(const std::shared_ptr<ssl_ctx_st>& context);
    /// The client's: the server's certificate must be for that name, or address, where the context
    /// asks for certificates at all.
    TlsLayer(const std::shared_ptr<ssl_ctx_st>& context, const std::string& server_name);

    void take(std::span<const std::byte> below, Bytes& up, Bytes& down) override;
    /// From here on a handshake that needs a signature waits for its turn: one of a client without
    /// a ticket.
    void take_turns();
    [[nodiscard]] bool needs_turn() const override { return turn_ == Turn::needed; }
    void give_turn() override { turn_ = Turn::given; }
    void wrap(std::span<const std::byte> bytes, Bytes& down) override;
    void end(Bytes& down) override;
    [[nodiscard]] State state() const override { return state_; }
    /// What is wrong with the peer's certificate, in OpenSSL's words; empty: nothing, or it was not
    /// looked at.
    [[nodiscard]] std::string certificate_problem() const;

private:
    enum class Turn : std::uint8_t { unasked, needed, given };

    static int ask_turn(ssl_st* connection, void* layer);
    static void count_late(int is_sent, int version, int type, const void* bytes, std::size_t size,
                           ssl_st* connection, void* layer);
    void read_records(Bytes& up);
    void note_error(int result);
    void move_out(Bytes& down);

    struct Free {
        void operator()(ssl_st* connection) const;
    };
    std::unique_ptr<ssl_st, Free> connection_;
    bio_st* from_peer_;  ///< the connection's
    bio_st* to_peer_;    ///< the connection's
    State state_ = State::opening;
    Turn turn_ = Turn::unasked;
    int late_messages_ = 0;
};

/// Which server certificates a client accepts.
struct Trust {
    std::string ca_file;           ///< PEM; empty: whom this machine trusts
    bool any_certificate = false;  ///< also a stranger's: protects from nobody who can change bytes
};

/// What a client's TlsLayers need, for all connections of a process; or what is wrong with the
/// file.
std::variant<std::shared_ptr<ssl_ctx_st>, std::string> make_client_tls(const Trust& trust);

}  // namespace marchland::net
