#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <string>

namespace marchland::net {

// What every transport does with the socket below it. Failures are ignored: a socket that is not
// connected any more says so when it is read.

/// What the kernel holds unsent is still sent.
void close_socket(boost::asio::ip::tcp::socket& socket);
/// What the kernel holds unsent is thrown away.
void reset_socket(boost::asio::ip::tcp::socket& socket);

/// Did bytes come that were not read?
[[nodiscard]] bool has_unread(const boost::asio::ip::tcp::socket& socket);
/// Has the other end said that no more follows, or broken the connection, with nothing unread before that?
[[nodiscard]] bool has_ended(boost::asio::ip::tcp::socket& socket);

/// "127.0.0.1:50000"
std::string text_of(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace marchland::net
