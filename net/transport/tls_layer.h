#pragma once

#include "net/transport/layer.h"

#include <memory>

struct ssl_ctx_st;
struct ssl_st;
struct bio_st;

namespace marchland::net {

/// The server's end of TLS 1.2 or 1.3. OpenSSL reads and writes memory; whoever holds the layer
/// carries the bytes.
///
/// Bounds   One record of the peer (16 KiB) inside OpenSSL; certificates are not asked for.
class TlsLayer final : public Layer {
public:
    explicit TlsLayer(const std::shared_ptr<ssl_ctx_st>& context);

    void take(std::span<const std::byte> below, Bytes& up, Bytes& down) override;
    void wrap(std::span<const std::byte> bytes, Bytes& down) override;
    void end(Bytes& down) override;
    [[nodiscard]] State state() const override { return state_; }

private:
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
};

}  // namespace marchland::net
