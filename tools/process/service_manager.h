#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace marchland::process {

/// Tells systemd (or who speaks as it does) how the service is: "READY=1", "STOPPING=1",
/// "WATCHDOG=1"; sd_notify(3). Nothing where NOTIFY_SOCKET names nobody; it never waits, and what
/// nobody takes is lost.
void tell_service_manager(const std::string& state);

/// The sockets that systemd (or who starts services as it does) has bound and listens on for this
/// process, by their ports: LISTEN_PID and LISTEN_FDS, sd_listen_fds(3). Empty where there are
/// none. Those that are no TCP are left out.
std::map<std::uint16_t, int> inherited_sockets();

}  // namespace marchland::process
