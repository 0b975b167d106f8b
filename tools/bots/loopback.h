#pragma once

#include "tools/clients/cpp/address.h"

#include <cstdint>
#include <cstring>
#include <netinet/in.h>

namespace marchland::bots {

/// Every address of 127.0.0.0/8 is this machine's own: so one process can be many, as far as a server that counts
/// addresses can tell.
inline bool is_loopback(const client::Address& server) {
    sockaddr_in v4{};
    std::memcpy(&v4, &server.storage, sizeof v4);
    return v4.sin_family == AF_INET && ntohl(v4.sin_addr.s_addr) >> 24U == 127;
}

/// Address `number` of those from 127.`block`.0.0 on, at any port.
inline client::Address loopback_source(std::uint32_t block, std::uint32_t number) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl((127U << 24U) + (block << 16U) + number);
    client::Address address;
    std::memcpy(&address.storage, &v4, sizeof v4);
    address.bytes = sizeof v4;
    return address;
}

}  // namespace marchland::bots
