#pragma once

#include "net/transport/handshake_turns.h"
#include "net/transport/socket_io.h"
#include "net/transport/transport.h"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace marchland::net {

class TlsContext;
struct OriginRule;

/// One port that clients may come in by, and what stands between its sockets and the protocol.
struct Entrance {
    std::string address;
    std::uint16_t port = 0;               ///< 0: any free one
    const TlsContext* tls = nullptr;      ///< null: without
    const OriginRule* origins = nullptr;  ///< null: no WebSocket
    bool is_behind_proxy = false;
};

/// `from`: who is at the other end, which need not be the socket's. TLS handshakes wait for their turn at `turns`, as
/// those of `address`.
std::unique_ptr<Transport> make_transport(const Entrance& entrance,
                                          boost::asio::ip::tcp::socket socket,
                                          const boost::asio::ip::tcp::endpoint& from,
                                          SocketIo& sockets, HandshakeTurns& turns,
                                          HandshakeTurns::Address address);

}  // namespace marchland::net
