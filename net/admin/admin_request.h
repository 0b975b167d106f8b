#pragma once

#include "net/admin/admin_server.h"

#include <optional>
#include <string>

namespace marchland::net {

/// A request to the admin port, as far as it matters.
struct AdminRequest {
    std::string method;
    std::string target;
    std::string host;
    bool has_origin = false;  ///< a web page in a browser asks
    std::string authorization;
    std::string body;
};

/// `token`: as an AdminServer has it. 401 without the token, 403 for a web page, 404, 405; else what the action answers.
AdminAnswer answer_admin(const AdminRequest& request, const std::optional<std::string>& token,
                         const AdminActions& actions);

}  // namespace marchland::net
