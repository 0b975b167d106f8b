#include "net/admin/admin_request.h"

#include "net/transport/web_socket_upgrade.h"

#include <boost/asio/ip/address.hpp>
#include <openssl/crypto.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <string_view>

namespace marchland::net {

namespace {

/// In a time that does not show how much of it was right.
bool is_same(std::string_view shown, std::string_view secret) {
    return shown.size() == secret.size() &&
           CRYPTO_memcmp(shown.data(), secret.data(), secret.size()) == 0;
}

/// An address, or this machine: a name that somebody else's DNS made ours is neither.
bool is_host_of_ours(std::string_view host) {
    host = host_in(host);
    boost::system::error_code error;
    boost::asio::ip::make_address(host, error);
    return !error || host == "localhost" || host.empty();
}

/// Not of a web page, or of one that is ours; it may have come by TLS that somebody in front ended.
bool is_own_origin(const AdminRequest& request) {
    return request.origin.empty() || request.origin == "http://" + request.host ||
           request.origin == "https://" + request.host;
}

/// As a browser says (Fetch Metadata): an image or a link of another page has no Origin. Programs
/// say nothing.
bool is_fetched_by_others(const AdminRequest& request) {
    return !request.fetch_site.empty() && request.fetch_site != "same-origin" &&
           request.fetch_site != "none";
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
        return text_answer(405, "GET or POST only");
    }
    if (request.origin.empty() || !is_own_origin(request)) {
        return text_answer(403, "not for web pages from elsewhere");
    }
    const auto is = [&](const std::optional<std::string>& token) {
        return token && is_same(request.body, *token);
    };
    if (!is(keys.tokens.operating) && !is(keys.tokens.reading)) {
        return text_answer(401, "that is not the token");
    }
    AdminAnswer answer{204};
    answer.cookie = keys.session + "; Path=/; HttpOnly; SameSite=Strict";
    return answer;
}

/// The answer names all paths: so whoever asks by hand finds them.
AdminAnswer unknown_path(const AdminActions& actions) {
    std::string all = "there are /, /play, /map/stream";
    for (const AdminRoute& route : actions.routes) {
        all += fmt::format(", {} {}", route.method, route.path);
    }
    return text_answer(404, all);
}

bool is_at(const AdminRoute& route, std::string_view path) {
    return route.path.ends_with('/') ? path.starts_with(route.path) : path == route.path;
}

const AdminPage* page_at(std::string_view path, const AdminActions& actions) {
    const auto at = std::ranges::find(actions.map.pages, path, &AdminPage::path);
    return at == actions.map.pages.end() ? nullptr : &*at;
}

}  // namespace

AdminAnswer answer_admin(const AdminRequest& request, const AdminKeys& keys,
                         const AdminActions& actions) {
    using Role = AdminRoute::Role;
    const std::string path = request.target.substr(0, request.target.find('?'));
    const auto of_path =
        std::ranges::find_if(actions.routes, [&](const auto& route) { return is_at(route, path); });
    const auto found = std::ranges::find_if(actions.routes, [&](const AdminRoute& route) {
        return is_at(route, path) && route.method == request.method;
    });
    const bool has_route = found != actions.routes.end();
    if (has_route && found->role == Role::anybody) {
        return found->answer({});
    }
    const auto shows = [&](const std::optional<std::string>& token) {
        return token && is_same(request.authorization, "Bearer " + *token);
    };
    const bool has_tokens = keys.tokens.operating.has_value();
    const bool is_operator = shows(keys.tokens.operating);
    const bool is_bearer = is_operator || shows(keys.tokens.reading);
    if (!is_bearer && (!is_own_origin(request) || !(has_tokens || is_host_of_ours(request.host)))) {
        return text_answer(
            403,
            "not for web pages from elsewhere; with admin.token_file anybody with the "
            "token may ask");
    }
    const bool may_operate = is_operator || !has_tokens;
    const bool may_look = may_operate || is_bearer || has_cookie(request.cookie, keys.session);
    const bool is_get = request.method == "GET";
    // Pages hold nothing but what is in the sources: whoever signs in needs some of them.
    if (const AdminPage* const page = is_get ? page_at(path, actions) : nullptr) {
        if ((path == "/" || path == "/play") && !may_look) {
            AdminAnswer elsewhere = text_answer(303, "sign in");
            elsewhere.location = "/sign-in";
            return elsewhere;
        }
        return {200, std::string(page->content_type), std::string(page->body)};
    }
    if (!is_bearer && is_fetched_by_others(request)) {
        return text_answer(403, "not for web pages from elsewhere");
    }
    if (path == "/sign-in") {
        return sign_in(request, keys);
    }
    if (has_route && found->role == Role::operating && may_look && !may_operate && is_bearer) {
        return text_answer(403, "the token is for looking only");
    }
    if (!may_look || (has_route && found->role == Role::operating && !may_operate)) {
        return text_answer(401, "a token is needed: Authorization: Bearer ...");
    }
    if (path == "/map/stream") {
        return is_get ? AdminAnswer{kSwitchProtocols} : text_answer(405, "GET only");
    }
    if (!has_route) {
        return of_path != actions.routes.end() ? text_answer(405, "another method")
                                               : unknown_path(actions);
    }
    const std::string_view rest =
        found->path.ends_with('/') ? std::string_view(path).substr(found->path.size()) : "";
    const std::string who = fmt::format("{} ({})", request.from,
                                        is_operator   ? "operating token"
                                        : is_bearer   ? "reading token"
                                        : may_operate ? "no token"
                                                      : "signed in");
    return found->answer({rest, request.body, who});
}

}  // namespace marchland::net
