#pragma once

#include <string>

namespace marchland::process {

/// Tells systemd (or who speaks as it does) how the service is: "READY=1", "STOPPING=1", "WATCHDOG=1"; sd_notify(3).
/// Nothing where NOTIFY_SOCKET names nobody; it never waits, and what nobody takes is lost.
void tell_service_manager(const std::string& state);

}  // namespace marchland::process
