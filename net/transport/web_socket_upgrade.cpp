#include "net/transport/web_socket_upgrade.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

namespace marchland::net {

namespace {

namespace http = boost::beast::http;
using Request = http::request<http::empty_body>;

/// RFC 6455, 1.3.
constexpr std::string_view kKeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// 16 bytes in base64.
constexpr std::size_t kKeyBytes = 24;

UpgradeAnswer refuse(http::status status, std::string_view more = "", std::string_view body = "") {
    std::string text = "HTTP/1.1 " + std::to_string(static_cast<unsigned>(status)) + ' ';
    text += std::string(http::obsolete_reason(status)) + "\r\n";
    text += std::string(more) + "Connection: close\r\nContent-Length: ";
    text += std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
    return {false, std::move(text), {}};
}

bool has_body(const Request& request) {
    return request.count(http::field::transfer_encoding) != 0 ||
           (request.count(http::field::content_length) != 0 &&
            request[http::field::content_length] != "0");
}

/// "http://localhost:8000", or an address of this machine in its place; a name is foreign, whatever
/// it leads to: its page could come from elsewhere.
bool is_local_page(std::string_view origin) {
    const std::size_t scheme = origin.find("://");
    if (scheme == std::string_view::npos) {
        return false;  // "null": a file, or a page that hides where it is from
    }
    const std::string_view host = host_in(origin.substr(scheme + 3));
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(host, error);
    return host == "localhost" || (!error && address.is_loopback());
}

constexpr std::string_view kAnyHost = "://*.";

bool is_origin_of(std::string_view origin, std::string_view named) {
    const std::size_t any = named.find(kAnyHost);
    if (any == std::string_view::npos) {
        return origin == named;
    }
    const std::string_view scheme = named.substr(0, any + 3);
    const std::string_view end = named.substr(any + kAnyHost.size() - 1);  // from its dot on
    return origin.starts_with(scheme) && origin.ends_with(end) &&
           origin.size() > scheme.size() + end.size();
}

UpgradeAnswer refuse_origin(std::string_view origin) {
    auto answer = refuse(http::status::forbidden, "Content-Type: text/plain; charset=utf-8\r\n",
                         "Pages of this origin may not connect here (websocket.origins).\n");
    answer.failure = "a web page of the origin \"" + std::string(origin.substr(0, 100)) +
                     "\", which websocket.origins does not name";
    return answer;
}

bool may_connect(const Request& request, const OriginRule& rule) {
    if (request.count(http::field::origin) == 0) {
        return true;
    }
    const auto origin = request[http::field::origin];
    if (rule.named.empty()) {
        return !rule.only_local || is_local_page({origin.data(), origin.size()});
    }
    return std::ranges::any_of(rule.named, [&](const std::string& it) {
        return is_origin_of({origin.data(), origin.size()}, it);
    });
}

}  // namespace

std::string_view host_in(std::string_view authority) {
    return authority.starts_with('[') ? authority.substr(1, authority.find(']') - 1)
                                      : authority.substr(0, authority.find(':'));
}

std::string accept_key(std::string_view key) {
    const std::string text = std::string(key) + std::string(kKeySuffix);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
        return "";
    }
    std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> encoded{};
    const int length = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(size));
    return {reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(length)};
}

UpgradeAnswer answer_upgrade(std::string_view text, const OriginRule& rule) {
    http::request_parser<http::empty_body> parser;
    parser.header_limit(kUpgradeBytesMax);
    boost::system::error_code error;
    parser.put(boost::asio::buffer(text.data(), text.size()), error);
    if (error || !parser.is_header_done()) {
        return refuse(http::status::bad_request);
    }
    const Request& request = parser.get();
    if (!boost::beast::websocket::is_upgrade(request) || has_body(request)) {
        return refuse(http::status::bad_request);
    }
    if (request[http::field::sec_websocket_version] != "13") {
        return refuse(http::status::upgrade_required,
                      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    }
    const auto key = request[http::field::sec_websocket_key];
    if (key.size() != kKeyBytes) {
        return refuse(http::status::bad_request);
    }
    if (!may_connect(request, rule)) {
        const auto origin = request[http::field::origin];
        return refuse_origin({origin.data(), origin.size()});
    }
    const std::string accept = accept_key({key.data(), key.size()});
    if (accept.empty()) {
        return refuse(http::status::internal_server_error);
    }
    return {true,
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: " +
                accept + "\r\n\r\n"};
}

UpgradeAnswer refuse_too_large_upgrade() {
    return refuse(http::status::request_header_fields_too_large);
}

}  // namespace marchland::net
