#pragma once

#include "net/admin/admin_server.h"

#include <string>

namespace marchland::net {

/// A request to the admin port, as far as it matters.
struct AdminRequest {
    std::string method;
    std::string target;
    std::string host;
    std::string origin;  ///< of the web page that asks, in a browser; else empty
    std::string authorization;
    std::string body;
    std::string cookie = {};
    std::string from = {};        ///< address
    std::string fetch_site = {};  ///< how the web page that asks is related to this port
};

/// The status of a request that may see the map's stream: it is for a WebSocket to be opened.
inline constexpr unsigned kSwitchProtocols = 101;

/// 401 without the token, 403 for a web page from elsewhere, 404, 405; else what the action
/// answers.
AdminAnswer answer_admin(const AdminRequest& request, const AdminKeys& keys,
                         const AdminActions& actions);

}  // namespace marchland::net
