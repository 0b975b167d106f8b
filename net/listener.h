#pragma once

#include "net/address_table.h"
#include "net/entrance.h"
#include "net/lane.h"
#include "net/log_limit.h"
#include "net/server_options.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace marchland::net {

/// Accepts connections at one entrance and deals them to the lanes in turn.
///
/// Threads  The first lane's, but for open() (before that lane starts) and close() (the owner's).
/// Errors   When the system is out of descriptors or memory it pauses, says so at most once a
///          second, and goes on. Connections over the limit are told `full`; far over it, closed. So are those of
///          an address over its limits: the first is told `address_limit`.
class Listener {
public:
    Listener(const ServerOptions& options, Entrance entrance, AddressTable& addresses,
             std::vector<std::unique_ptr<Lane>>& lanes);

    /// Binds, listens and begins to accept.
    boost::system::error_code open();
    /// Returns when every connection that was accepted is with its lane. The lanes must run.
    void close();

    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    boost::system::error_code bind();
    void accept();
    void deal(boost::asio::ip::tcp::socket socket, Lane& lane);
    void pause(const boost::system::error_code& reason);
    [[nodiscard]] std::size_t connections() const;

    const ServerOptions& options_;
    const Entrance entrance_;
    AddressTable& addresses_;
    std::vector<std::unique_ptr<Lane>>& lanes_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_timer_;
    std::size_t next_lane_ = 0;
    std::uint16_t port_ = 0;
    LogLimit log_limit_;
};

}  // namespace marchland::net
