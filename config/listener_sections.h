#pragma once

#include "config/settings.h"

#include <string>
#include <vector>

namespace marchland::config {

// The sections that say who may come in, and how: [server], [websocket], [tls], [auth], [admin],
// [services].

Section server_section();
Section websocket_section();
Section tls_section();
Section auth_section();
Section admin_section();
Section services_section();

/// The paths in them: relative to the folder of the file that names them, absolute afterwards.
void resolve_paths(net::ServerOptions& server, const std::filesystem::path& folder);

/// What these sections ask of one another.
void check_door(const Settings& settings, Reading& reading);

}  // namespace marchland::config
