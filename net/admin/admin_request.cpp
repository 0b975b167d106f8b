#include "net/admin/admin_request.h"

#include <boost/asio/ip/address.hpp>
#include <openssl/crypto.h>

#include <algorithm>
#include <string_view>

namespace marchland::net {

namespace {

AdminAnswer refuse(unsigned status, const char* why) {
    return {status, "text/plain; charset=utf-8", std::string(why) + '\n'};
}

/// In a time that does not tell how much of it was right.
bool is_same(std::string_view shown, std::string_view secret) {
    return shown.size() == secret.size() &&
           CRYPTO_memcmp(shown.data(), secret.data(), secret.size()) == 0;
}

/// An address, or this machine: a name that somebody else's DNS made ours is neither.
bool is_host_of_ours(std::string_view host) {
    if (host.starts_with('[')) {
        host = host.substr(1, host.find(']') - 1);
    } else {
        host = host.substr(0, host.find(':'));
    }
    boost::system::error_code error;
    boost::asio::ip::make_address(host, error);
    return !error || host == "localhost" || host.empty();
}

/// Not of a web page, or of one that is ours; it may have come by TLS that somebody in front ended.
bool is_own_origin(const AdminRequest& request) {
    return request.origin.empty() || request.origin == "http://" + request.host ||
           request.origin == "https://" + request.host;
}

/// One of "a=b; c=d".
bool has_cookie(std::string_view cookies, std::string_view wanted) {
    while (!cookies.empty() && !wanted.empty()) {
        const std::size_t end = std::min(cookies.find(';'), cookies.size());
        if (is_same(cookies.substr(0, end), wanted)) {
            return true;
        }
        cookies.remove_prefix(std::min(end + 1, cookies.size()));
        cookies.remove_prefix(std::min(cookies.find_first_not_of(' '), cookies.size()));
    }
    return false;
}

/// Only for a page of ours, which says so: a form elsewhere would sign somebody in.
AdminAnswer sign_in(const AdminRequest& request, const AdminKeys& keys) {
    if (request.method != "POST") {
        return refuse(405, "GET or POST only");
    }
    if (request.origin.empty() || !is_own_origin(request)) {
        return refuse(403, "not for web pages from elsewhere");
    }
    if (!keys.token || !is_same(request.body, *keys.token)) {
        return refuse(401, "that is not the token");
    }
    AdminAnswer answer{204};
    answer.cookie = keys.session + "; Path=/; HttpOnly; SameSite=Strict";
    return answer;
}

AdminAnswer look(std::string_view path, const AdminActions& actions) {
    constexpr std::string_view kEntity = "/entity/";
    return path == "/metrics"      ? actions.metrics()
           : path == "/health"     ? actions.health()
           : path == "/status"     ? actions.status()
           : path == "/positions"  ? actions.positions()
           : path == "/map/stream" ? AdminAnswer{kSwitchProtocols}
           : path.starts_with(kEntity)
               ? actions.entity(path.substr(kEntity.size()))
               : refuse(404,
                        "there are /, /healthz, /readyz, /metrics, /health, "
                        "/status, /positions, /entity/ID, /map/stream, "
                        "/layout and /stop");
}

const AdminPage* page_at(std::string_view path, const AdminActions& actions) {
    const auto at = std::ranges::find(actions.map.pages, path, &AdminPage::path);
    return at == actions.map.pages.end() ? nullptr : &*at;
}

}  // namespace

AdminAnswer answer_admin(const AdminRequest& request, const AdminKeys& keys,
                         const AdminActions& actions) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const bool is_get = request.method == "GET";
    if (is_get && (path == "/healthz" || path == "/readyz")) {
        return path == "/healthz" ? actions.health() : actions.ready();
    }
    const bool is_bearer = keys.token && is_same(request.authorization, "Bearer " + *keys.token);
    if (!is_bearer && (!is_own_origin(request) || !(keys.token || is_host_of_ours(request.host)))) {
        return refuse(403,
                      "not for web pages from elsewhere; with admin.token_file anybody with the "
                      "token may ask");
    }
    const bool may_operate = is_bearer || !keys.token;
    const bool may_look = may_operate || has_cookie(request.cookie, keys.session);
    // Pages hold nothing but what is in the sources: whoever signs in needs some of them.
    if (const AdminPage* const page = is_get ? page_at(path, actions) : nullptr) {
        if (path == "/" && !may_look) {
            AdminAnswer elsewhere = refuse(303, "sign in");
            elsewhere.location = "/sign-in";
            return elsewhere;
        }
        return {200, std::string(page->content_type), std::string(page->body)};
    }
    if (path == "/sign-in") {
        return sign_in(request, keys);
    }
    if (path == "/layout" || path == "/stop") {
        if (!may_operate) {
            return refuse(401, "a token is needed: Authorization: Bearer ...");
        }
        if (request.method != "POST") {
            return refuse(405, "POST only");
        }
        return path == "/layout" ? actions.layout(request.body) : actions.stop();
    }
    if (!may_look) {
        return refuse(401, "a token is needed: Authorization: Bearer ...");
    }
    return is_get ? look(path, actions) : refuse(405, "GET only");
}

}  // namespace marchland::net
