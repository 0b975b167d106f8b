#pragma once

#include <boost/asio/ip/network_v6.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace marchland::net {

/// Whose a connection is that a proxy passes on: the PROXY protocol, version 2, in binary.
///
///     12 bytes signature | version, command | family | u16 length, big-endian
///     | addresses | TLVs (not looked at)
///
/// Source   https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt, 2.2.
struct ProxyHeader {
    static constexpr std::size_t kFirstBytes = 16;
    /// Addresses have 36 bytes; the rest is for what a proxy likes to add.
    static constexpr std::size_t kBytesMax = 4096;

    /// How many bytes the header has, by its first 16; nothing when it is none, or longer than
    /// kBytesMax.
    static std::optional<std::size_t> bytes_in_all(std::span<const std::byte, kFirstBytes> first);

    /// Nothing: the proxy speaks for itself, a check whether the server is there, or does not say
    /// for whom.
    std::optional<boost::asio::ip::tcp::endpoint> source;

    /// A whole one; nothing when it contradicts itself.
    static std::optional<ProxyHeader> read(std::span<const std::byte> header);
};

/// Which proxies are believed: "192.0.2.7", "10.0.0.0/8", "2001:db8::/32".
class TrustedProxies {
public:
    /// Is it an address, or a network by its first address and its length?
    [[nodiscard]] static bool is_network(const std::string& text);

    /// Each of them is_network().
    explicit TrustedProxies(const std::vector<std::string>& networks);
    [[nodiscard]] bool contain(const boost::asio::ip::address& address) const;

    /// An IPv4 address as ::ffff:a.b.c.d.
private:
    std::vector<boost::asio::ip::network_v6> networks_;
};

}  // namespace marchland::net
