#include "net/admin/admin_request.h"

#include <boost/asio/ip/address.hpp>
#include <openssl/crypto.h>

#include <string_view>

namespace marchland::net {

namespace {

AdminAnswer refuse(unsigned status, const char* why) {
    return {status, "text/plain; charset=utf-8", std::string(why) + '\n'};
}

/// In a time that does not tell how much of it was right.
bool shows(const std::string& authorization, const std::string& token) {
    const std::string wanted = "Bearer " + token;
    return authorization.size() == wanted.size() &&
           CRYPTO_memcmp(authorization.data(), wanted.data(), wanted.size()) == 0;
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

}  // namespace

AdminAnswer answer_admin(const AdminRequest& request, const std::optional<std::string>& token,
                         const AdminActions& actions) {
    if (token && !shows(request.authorization, *token)) {
        return refuse(401, "a token is needed: Authorization: Bearer ...");
    }
    if (!token && (request.has_origin || !is_host_of_ours(request.host))) {
        return refuse(403,
                      "not for web pages; with admin.token_file anybody with the token may ask");
    }
    const std::string path = request.target.substr(0, request.target.find('?'));
    const bool is_get = request.method == "GET";
    const bool is_post = request.method == "POST";
    if (path == "/metrics" || path == "/health" || path == "/status" || path == "/positions") {
        if (!is_get) {
            return refuse(405, "GET only");
        }
        return path == "/metrics"  ? actions.metrics()
               : path == "/health" ? actions.health()
               : path == "/status" ? actions.status()
                                   : actions.positions();
    }
    if (path == "/layout" || path == "/stop") {
        if (!is_post) {
            return refuse(405, "POST only");
        }
        return path == "/layout" ? actions.layout(request.body) : actions.stop();
    }
    return refuse(404, "there are /metrics, /health, /status, /positions, /layout and /stop");
}

}  // namespace marchland::net
