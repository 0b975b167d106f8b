#include "config/listener_sections.h"

#include "net/proxy_header.h"
#include "config/shared_port.h"

#include <algorithm>
#include <array>
#include <arpa/inet.h>
#include <netinet/in.h>

namespace marchland::config {

namespace {

using net::AdminOptions;
using net::AuthOptions;
using net::ServerOptions;
using net::ServiceOptions;
using net::TlsOptions;
using net::TokenAlgorithm;
using net::TokenKeyFile;
using net::WebSocketOptions;

constexpr std::size_t kOriginsMax = 64;
constexpr std::size_t kProxiesMax = 64;

auto web(auto member) {
    return inside(&Settings::server, &ServerOptions::web_socket, member);
}

auto tls(auto member) {
    return inside(&Settings::server, &ServerOptions::tls, member);
}

auto auth(auto member) {
    return inside(&Settings::server, &ServerOptions::auth, member);
}

auto admin(auto member) {
    return inside(&Settings::server, &ServerOptions::admin, member);
}

auto services(auto member) {
    return inside(&Settings::server, &ServerOptions::services, member);
}

/// No names: which of a name's addresses would the server take, and whom would it ask?
std::string check_address(const std::string& address) {
    in6_addr parsed{};  // the larger of the two
    const bool is_address = inet_pton(AF_INET, address.c_str(), &parsed) == 1 ||
                            inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
    return is_address ? "" : "is no IPv4 or IPv6 address; 127.0.0.1 is this machine, 0.0.0.0 all";
}

std::string accept_any(const std::string&) {
    return "";
}

std::string check_given(const std::string& text) {
    return text.empty() ? "must not be empty" : "";
}

/// As browsers write it: "https://play.example.org", or "null" for a page without one; or with "*." in front of
/// the host.
std::string check_origin(const std::string& origin) {
    constexpr std::string_view kAnyHost = "://*.";
    if (const auto star = origin.find('*'); star != std::string::npos) {
        const auto any = origin.find(kAnyHost);
        if (any == std::string::npos || any + kAnyHost.size() == origin.size() || star != any + 3 ||
            origin.find('*', star + 1) != std::string::npos) {
            return "has a * that is not all in front of a host's name, like https://*.example.org";
        }
    }
    const auto scheme = origin.find("://");
    const bool is_origin = scheme != std::string::npos && scheme > 0 &&
                           origin.find('/', scheme + 3) == std::string::npos &&
                           origin.size() > scheme + 3;
    return is_origin || origin == "null"
               ? ""
               : "is no origin: scheme and host, like https://play.example.org";
}

std::string check_network(const std::string& text) {
    return net::TrustedProxies::is_network(text)
               ? ""
               : "is no address or network, like 192.0.2.7 or 10.0.0.0/8";
}

Fields<TokenKeyFile> key_fields() {
    return {required(text<TokenKeyFile>("file", &TokenKeyFile::file, check_given)),
            required(choice<TokenKeyFile, TokenAlgorithm, 2>(
                "algorithm", &TokenKeyFile::algorithm,
                {{{"HS256", TokenAlgorithm::hs256}, {"EdDSA", TokenAlgorithm::eddsa}}})),
            text<TokenKeyFile>("kid", &TokenKeyFile::kid, accept_any)};
}

bool is_loopback(const std::string& address) {
    in_addr v4{};
    if (inet_pton(AF_INET, address.c_str(), &v4) == 1) {
        return ntohl(v4.s_addr) >> 24U == 127;
    }
    in6_addr v6{};
    return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

/// Without tokens, whoever can connect may do everything: then only this machine may.
void check_open_door(const ServerOptions& options, Reading& reading) {
    if (options.auth.mode != AuthOptions::Mode::none || reading.is_refused("auth")) {
        return;
    }
    const auto refuse = [&](std::string_view key, const std::string& address) {
        if (!is_loopback(address) && !reading.is_refused(key)) {
            reading.refuse(reading.place_of_first({key}), key,
                           toml_string(address) +
                               " lets others connect than this machine, and auth.mode is \"none\"",
                           "[auth] mode = \"jwt\" asks for tokens; see docs/security.md");
        }
    };
    refuse("server.address", options.address);
    if (options.web_socket.is_on) {
        refuse("websocket.address", options.web_socket.address);
    }
}

void check_tokens(const AuthOptions& auth, Reading& reading) {
    if (auth.mode == AuthOptions::Mode::none &&
        auth.second_login != AuthOptions::SecondLogin::allow && !reading.is_refused("auth")) {
        reading.refuse(reading.place_of_first({"auth.second_login"}), "auth.second_login",
                       "needs mode \"jwt\": without tokens nobody has a subject");
    }
    if (auth.mode == AuthOptions::Mode::none || reading.is_refused("auth")) {
        return;
    }
    if (auth.audience.empty()) {
        reading.refuse(reading.place_of_first({"auth.audience", "auth.mode"}), "auth.audience",
                       "is needed with mode \"jwt\"", "the name that tokens for this zone have");
    }
    if (auth.keys.empty()) {
        reading.refuse(reading.place_of_first({"auth.keys", "auth.mode"}), "auth.keys",
                       "is needed with mode \"jwt\"",
                       "keys = [{ file = \"login.pem\", algorithm = \"EdDSA\" }]");
    }
    if (const std::string flaw = net::kid_flaw(auth.keys); !flaw.empty()) {
        reading.refuse(reading.place_of_first({"auth.keys"}), "auth.keys", flaw,
                       "{ file = \"login.pem\", algorithm = \"EdDSA\", kid = \"2026\" }");
    }
}

void check_tls(const ServerOptions& options, Reading& reading) {
    const bool is_used = options.is_tls || (options.web_socket.is_on && options.web_socket.is_tls);
    if (!is_used || reading.is_refused("tls")) {
        return;
    }
    const auto need = [&](std::string_view key, const std::string& path) {
        if (path.empty()) {
            reading.refuse(reading.place_of_first({key, "server.tls", "websocket.tls"}), key,
                           "is needed where TLS is used");
        }
    };
    need("tls.certificate", options.tls.certificate);
    need("tls.key", options.tls.key);
}

/// A handshake comes as fast as the line is: more than one message's worth.
void check_room_for_handshake(const ServerOptions& options, Reading& reading) {
    constexpr std::uint32_t kHandshakeBytes = 16 * 1024;
    if ((options.is_tls || options.web_socket.is_on) &&
        options.bytes_per_second_max < kHandshakeBytes &&
        !reading.is_refused("limits.bytes_per_second_max")) {
        reading.refuse(reading.place_of_first({"limits.bytes_per_second_max"}),
                       "limits.bytes_per_second_max",
                       std::to_string(options.bytes_per_second_max) +
                           " is too little for handshakes of TLS and WebSocket (16384)");
    }
}

void check_proxies(const ServerOptions& options, Reading& reading) {
    const bool is_used =
        options.is_behind_proxy || (options.web_socket.is_on && options.web_socket.is_behind_proxy);
    if (is_used && options.trusted_proxies.empty() && !reading.is_refused("server")) {
        reading.refuse(
            reading.place_of_first({"server.proxy_protocol", "websocket.proxy_protocol"}),
            "server.trusted_proxies", "is needed with proxy_protocol",
            "trusted_proxies = [\"192.0.2.7\"]: who may say whose a connection is");
    }
}

void check_ports(const ServerOptions& options, Reading& reading) {
    const auto shared = shared_port(options);
    if (!shared || reading.is_refused("server") || reading.is_refused("websocket") ||
        reading.is_refused("admin")) {
        return;
    }
    reading.refuse(reading.place_of_first({shared->second, shared->first}), shared->second,
                   "is " + std::string(shared->first) + ", too, at an address of both",
                   "each entrance needs a port of its own");
}

void check_admin(const AdminOptions& admin, Reading& reading) {
    if (admin.is_on && admin.token_file.empty() && !admin.read_token_file.empty()) {
        reading.refuse(reading.place_of_first({"admin.read_token_file"}), "admin.read_token_file",
                       "needs admin.token_file: else whoever connects may change everything");
    }
    if (admin.is_on && admin.token_file.empty() && !is_loopback(admin.address) &&
        !reading.is_refused("admin")) {
        reading.refuse(reading.place_of_first({"admin.address"}), "admin.token_file",
                       "is needed where others than this machine can connect (" +
                           toml_string(admin.address) + ')');
    }
}

}  // namespace

Section server_section() {
    return {"server",
            {text<Settings>("address", server(&ServerOptions::address), check_address),
             whole<Settings>("port", server(&ServerOptions::port), {0, 65'535}),
             flag<Settings>("tls", server(&ServerOptions::is_tls)),
             flag<Settings>("proxy_protocol", server(&ServerOptions::is_behind_proxy)),
             text_list<Settings>("trusted_proxies", server(&ServerOptions::trusted_proxies),
                                 kProxiesMax, check_network),
             whole<Settings>("io_threads", server(&ServerOptions::io_threads), {1, 64})}};
}

Section websocket_section() {
    return {"websocket",
            {flag<Settings>("enabled", web(&WebSocketOptions::is_on)),
             text<Settings>("address", web(&WebSocketOptions::address), check_address),
             whole<Settings>("port", web(&WebSocketOptions::port), {0, 65'535}),
             flag<Settings>("tls", web(&WebSocketOptions::is_tls)),
             flag<Settings>("proxy_protocol", web(&WebSocketOptions::is_behind_proxy)),
             text_list<Settings>("origins", web(&WebSocketOptions::origins), kOriginsMax,
                                 check_origin)}};
}

Section tls_section() {
    return {"tls",
            {text<Settings>("certificate", tls(&TlsOptions::certificate), accept_any),
             text<Settings>("key", tls(&TlsOptions::key), accept_any)}};
}

Section auth_section() {
    return {
        "auth",
        {choice<Settings, AuthOptions::Mode, 2>(
             "mode", auth(&AuthOptions::mode),
             {{{"none", AuthOptions::Mode::none}, {"jwt", AuthOptions::Mode::jwt}}}),
         text<Settings>("audience", auth(&AuthOptions::audience), accept_any),
         whole<Settings>("leeway_s", auth(&AuthOptions::leeway_s), {0, 600}),
         choice<Settings, AuthOptions::SecondLogin, 3>(
             "second_login", auth(&AuthOptions::second_login),
             {{{"allow", AuthOptions::SecondLogin::allow},
               {"refuse", AuthOptions::SecondLogin::refuse},
               {"replace", AuthOptions::SecondLogin::replace}}}),
         text_list<Settings>("claims_for_services", auth(&AuthOptions::claims_for_services),
                             net::kClaimsForServicesMax, check_given),
         table_list<Settings>("keys", auth(&AuthOptions::keys), net::kTokenKeysMax, key_fields())}};
}

Section admin_section() {
    return {"admin",
            {flag<Settings>("enabled", admin(&AdminOptions::is_on)),
             text<Settings>("address", admin(&AdminOptions::address), check_address),
             whole<Settings>("port", admin(&AdminOptions::port), {0, 65'535}),
             text<Settings>("token_file", admin(&AdminOptions::token_file), accept_any),
             text<Settings>("read_token_file", admin(&AdminOptions::read_token_file), accept_any),
             whole<Settings>("viewers_max", admin(&AdminOptions::viewers_max), {0, 64})}};
}

/// The least message is the largest that a player's limit may be: what is asked of a service is never less.
Section services_section() {
    constexpr std::int64_t kMillion = 1'000'000;
    return {
        "services",
        {whole<Settings>("services_max", services(&ServiceOptions::services_max), {0, 1'000}),
         whole<Settings>("entities_max", services(&ServiceOptions::entities_max),
                         {1, 1 * kMillion}),
         whole<Settings>("watchers_max", services(&ServiceOptions::watchers_max), {0, 100'000}),
         whole<Settings>("message_bytes_max", services(&ServiceOptions::message_bytes_max),
                         {65'536, 16 * kMillion}),
         whole<Settings>("messages_per_second_max",
                         services(&ServiceOptions::messages_per_second_max), {1, kMillion}),
         whole<Settings>("bytes_per_second_max", services(&ServiceOptions::bytes_per_second_max),
                         {65'536, 1'000 * kMillion}),
         whole<Settings>("grace_ms", services(&ServiceOptions::grace_ms), {0, 3'600'000}),
         whole<Settings>("waiting_messages_max", services(&ServiceOptions::waiting_messages_max),
                         {1, 1 * kMillion}),
         whole<Settings>("waiting_message_bytes_max",
                         services(&ServiceOptions::waiting_message_bytes_max),
                         {65'536, 1'000 * kMillion}),
         choice<Settings, ServiceOptions::Admission, 3>(
             "admission", services(&ServiceOptions::admission),
             {{{"open", ServiceOptions::Admission::open},
               {"asked", ServiceOptions::Admission::asked},
               {"required", ServiceOptions::Admission::required}}}),
         whole<Settings>("admission_ms_max", services(&ServiceOptions::admission_ms_max),
                         {1, 60'000}),
         choice<Settings, net::Authority, 2>(
             "authority", services(&ServiceOptions::authority),
             {{{"client", net::Authority::client}, {"service", net::Authority::service}}})}};
}

void resolve_paths(net::ServerOptions& server, const std::filesystem::path& folder) {
    const auto resolve = [&](std::string& path) {
        if (!path.empty()) {
            path = std::filesystem::absolute(folder / path).lexically_normal().string();
        }
    };
    resolve(server.tls.certificate);
    resolve(server.tls.key);
    resolve(server.admin.token_file);
    resolve(server.admin.read_token_file);
    for (TokenKeyFile& key : server.auth.keys) {
        resolve(key.file);
    }
}

void check_door(const Settings& settings, Reading& reading) {
    const ServerOptions& options = settings.server;
    check_open_door(options, reading);
    check_tokens(options.auth, reading);
    check_tls(options, reading);
    check_room_for_handshake(options, reading);
    check_proxies(options, reading);
    check_ports(options, reading);
    check_admin(options.admin, reading);
}

}  // namespace marchland::config
