#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace marchland::process {

/// What this machine's kernel holds of TCP streams.
struct TcpQueues {
    std::size_t connections = 0;
    std::size_t unsent_bytes_max = 0;  ///< of one connection: not sent, or not acknowledged
    std::size_t unsent_bytes = 0;      ///< of all together
};

/// Adds up the rows of a file like /proc/net/tcp whose local port is this: a server's ends. Lines that
/// are no rows are passed over.
///
/// Source  proc(5), /proc/net/tcp: tx_queue.
void add_tcp_queues(std::string_view table, std::uint16_t local_port, TcpQueues& to);

/// Of this machine, IPv4 and IPv6; nothing of a server elsewhere. Some milliseconds with thousands of
/// connections.
TcpQueues tcp_queues_at(std::uint16_t local_port);

}  // namespace marchland::process
