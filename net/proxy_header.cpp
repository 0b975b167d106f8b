#include "net/proxy_header.h"

#include "engine/assert.h"

#include <algorithm>
#include <array>
#include <charconv>
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
/// Bits of an IPv6 address before an IPv4 address in it.
constexpr unsigned kMappedBits = 96;

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

ip::address_v6::bytes_type as_v6(const ip::address& address) {
    return (address.is_v6() ? address.to_v6() : ip::make_address_v6(ip::v4_mapped, address.to_v4()))
        .to_bytes();
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
    return parse(text).has_value();
}

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks) {
    for (const std::string& text : networks) {
        const auto network = parse(text);
        MARCHLAND_ASSERT(network.has_value());
        networks_.push_back(*network);
    }
}

bool TrustedProxies::contain(const ip::address& address) const {
    const auto bytes = as_v6(address);
    return std::ranges::any_of(networks_, [&](const Network& network) {
        unsigned same = 0;
        while (same < network.bits &&
               ((bytes[same / 8] ^ network.first[same / 8]) & (0x80U >> (same % 8))) == 0) {
            ++same;
        }
        return same == network.bits;
    });
}

std::optional<TrustedProxies::Network> TrustedProxies::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    error_code error;
    const auto address = ip::make_address(std::string(text.substr(0, slash)), error);
    if (error) {
        return std::nullopt;
    }
    const unsigned before = address.is_v4() ? kMappedBits : 0;
    unsigned bits = 128 - before;
    if (slash != std::string_view::npos) {
        const std::string_view length = text.substr(slash + 1);
        const auto [end, problem] =
            std::from_chars(length.data(), length.data() + length.size(), bits);
        if (problem != std::errc{} || end != length.data() + length.size() || bits > 128 - before) {
            return std::nullopt;
        }
    }
    return Network{as_v6(address), before + bits};
}

}  // namespace marchland::net
