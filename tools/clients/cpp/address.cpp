#include "tools/clients/cpp/address.h"

#include <charconv>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>

namespace marchland::client {
namespace {

bool is_port(std::string_view text) {
    unsigned port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc{} && end == text.data() + text.size() && port >= 1 && port <= 65'535;
}

}  // namespace

std::optional<HostPort> parse_host_port(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
        return std::nullopt;
    }
    if (host.empty() || !is_port(port)) {
        return std::nullopt;
    }
    return HostPort{std::string(host), std::string(port)};
}

std::optional<Endpoint> parse_transfer_address(std::string_view text) {
    text = text.substr(0, text.find(' '));
    Endpoint endpoint;
    const std::size_t colon = text.find("://");
    endpoint.keeps_tls = colon == std::string_view::npos;
    if (!endpoint.keeps_tls) {
        const std::string_view scheme = text.substr(0, colon);
        endpoint.is_tls = scheme == "tls" || scheme == "wss";
        endpoint.is_web_socket = scheme == "ws" || scheme == "wss";
        if (!endpoint.is_tls && !endpoint.is_web_socket && scheme != "tcp") {
            return std::nullopt;
        }
        text.remove_prefix(colon + 3);
    }
    const auto at = parse_host_port(text.substr(0, text.find('/')));
    if (!at) {
        return std::nullopt;
    }
    endpoint.at = *at;
    return endpoint;
}

std::uint16_t port_of(const Address& address) {
    // Both families have it at the same place.
    sockaddr_in in{};
    std::memcpy(&in, &address.storage, sizeof in);
    return ntohs(in.sin_port);
}

std::variant<std::vector<Address>, std::string> resolve(const HostPort& where) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_NUMERICSERV;
    addrinfo* list = nullptr;
    int error = getaddrinfo(where.host.c_str(), where.port.c_str(), &wanted, &list);
    if (error != 0 && where.host == "localhost") {
        // It is this machine, also where no file and no resolver says so (RFC 6761).
        error = getaddrinfo("127.0.0.1", where.port.c_str(), &wanted, &list);
    }
    if (error != 0) {
        return std::string(gai_strerror(error));
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
    std::vector<Address> addresses;
    for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
        Address address;
        std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
        address.bytes = each->ai_addrlen;
        addresses.push_back(address);
    }
    return addresses;
}

}  // namespace marchland::client
