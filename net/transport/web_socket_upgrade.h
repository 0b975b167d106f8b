#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::net {

/// What a browser sends has some hundred bytes; cookies are what needs room.
inline constexpr std::size_t kUpgradeBytesMax = std::size_t{8} * 1024;

/// What a server sends to a client's Sec-WebSocket-Key, to show that it has read it (RFC 6455,
/// 1.3): base64(SHA-1(key, suffix)). Empty where OpenSSL was built without SHA-1.
std::string accept_key(std::string_view key);

/// What to answer to a request that asks for a WebSocket.
struct UpgradeAnswer {
    bool is_upgraded = false;
    std::string text;  ///< a whole HTTP response
    /// For the log, where an operator wants to know: a page that is not let in. Foreign text:
    /// Connection::log makes it printable.
    std::string failure = {};
};

/// Which web pages may connect. Who is no browser sends no origin, and may: this protects who looks
/// at a page from that page, not the server from programs.
struct OriginRule {
    /// As browsers write them, "https://play.example.org", or with "*" in place of the first labels
    /// of the host's name: "https://*.example.org" is every name that ends so, and not
    /// "https://example.org".
    std::vector<std::string> named;
    /// Where none is named: only pages that this machine serves, instead of all. For a server that
    /// takes whoever can connect, or any page in the operator's browser could use that.
    bool only_local = false;
};

/// `request`: to the end of its header.
///
///     101 in order    400 no upgrade to a WebSocket    403 another origin    426 another version
///     500 OpenSSL was built without SHA-1
UpgradeAnswer answer_upgrade(std::string_view request, const OriginRule& rule);

/// The name or address of "localhost:8000" or "[::1]:8000".
std::string_view host_in(std::string_view authority);

/// 431: it has more than kUpgradeBytesMax.
UpgradeAnswer refuse_too_large_upgrade();

}  // namespace marchland::net
