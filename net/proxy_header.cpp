#include "net/proxy_header.h"

#include "engine/assert.h"

#include <boost/asio/ip/network_v4.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace marchland::net {

namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

constexpr std::array<unsigned char, 12> kSignature{0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D,
                                                   0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A};
constexpr unsigned kLocal = 0x20;    ///< version 2, and the command
constexpr unsigned kProxied = 0x21;  ///< likewise
constexpr unsigned kTcp4 = 0x11;
constexpr unsigned kTcp6 = 0x21;
constexpr std::size_t kTcp4Bytes = 12;
constexpr std::size_t kTcp6Bytes = 36;
constexpr unsigned short kAllBits = 128;
/// Bits of an IPv6 address before an IPv4 address in it.
constexpr unsigned short kMappedBits = 96;

unsigned at(std::span<const std::byte> bytes, std::size_t index) {
    return std::to_integer<unsigned>(bytes[index]);
}

std::uint16_t number_at(std::span<const std::byte> bytes, std::size_t index) {
    return static_cast<std::uint16_t>(at(bytes, index) << 8U | at(bytes, index + 1));
}

template <typename Address>
Address address_at(std::span<const std::byte> bytes, std::size_t index) {
    typename Address::bytes_type of_address;
    for (std::size_t i = 0; i < of_address.size(); ++i) {
        of_address[i] = static_cast<unsigned char>(at(bytes, index + i));
    }
    return Address(of_address);
}

/// Without its scope: a network is one on every link.
ip::address_v6 as_v6(const ip::address& address) {
    return ip::address_v6(
        (address.is_v6() ? address.to_v6() : ip::make_address_v6(ip::v4_mapped, address.to_v4()))
            .to_bytes());
}

/// An address alone is the network of all its bits.
std::optional<ip::network_v6> parse_network(const std::string& text) {
    error_code error;
    if (text.find('/') == std::string::npos) {
        const auto address = ip::make_address(text, error);
        return error ? std::nullopt : std::optional(ip::network_v6(as_v6(address), kAllBits));
    }
    // Asio counts the bits modulo 2^32: 4294967296 would be all networks.
    constexpr std::size_t kDigitsMax = 3;
    if (text.size() - text.find('/') - 1 > kDigitsMax) {
        return std::nullopt;
    }
    const auto v4 = ip::make_network_v4(text, error);
    if (!error) {
        const auto bits = static_cast<unsigned short>(kMappedBits + v4.prefix_length());
        return ip::network_v6(as_v6(v4.address()), bits);
    }
    const auto v6 = ip::make_network_v6(text, error);
    return error ? std::nullopt
                 : std::optional(ip::network_v6(as_v6(v6.address()), v6.prefix_length()));
}

}  // namespace

std::optional<std::size_t> ProxyHeader::bytes_in_all(
    std::span<const std::byte, kFirstBytes> first) {
    const bool is_signed =
        std::ranges::equal(first.first(kSignature.size()), kSignature, {},
                           [](std::byte byte) { return std::to_integer<unsigned char>(byte); });
    const std::size_t bytes = kFirstBytes + number_at(first, 14);
    return is_signed && bytes <= kBytesMax ? std::optional(bytes) : std::nullopt;
}

std::optional<ProxyHeader> ProxyHeader::read(std::span<const std::byte> header) {
    MARCHLAND_ASSERT(header.size() >= kFirstBytes);
    const unsigned command = at(header, 12);
    const unsigned family = at(header, 13);
    const auto addresses = header.subspan(kFirstBytes);
    if (command == kLocal) {
        return ProxyHeader{};
    }
    if (command != kProxied) {
        return std::nullopt;
    }
    if (family == kTcp4) {
        if (addresses.size() < kTcp4Bytes) {
            return std::nullopt;
        }
        return ProxyHeader{
            ip::tcp::endpoint(address_at<ip::address_v4>(addresses, 0), number_at(addresses, 8))};
    }
    if (family == kTcp6) {
        if (addresses.size() < kTcp6Bytes) {
            return std::nullopt;
        }
        return ProxyHeader{
            ip::tcp::endpoint(address_at<ip::address_v6>(addresses, 0), number_at(addresses, 32))};
    }
    return ProxyHeader{};
}

bool TrustedProxies::is_network(const std::string& text) {
    return parse_network(text).has_value();
}

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks) {
    for (const std::string& text : networks) {
        const auto network = parse_network(text);
        MARCHLAND_ASSERT(network.has_value());
        networks_.push_back(*network);
    }
}

bool TrustedProxies::contain(const ip::address& address) const {
    return std::ranges::any_of(networks_, [&](const ip::network_v6& network) {
        return ip::network_v6(as_v6(address), network.prefix_length()).network() ==
               network.network();
    });
}

}  // namespace marchland::net
