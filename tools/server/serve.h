#pragma once

#include "config/config.h"
#include "tools/process/stop_signals.h"

namespace marchland::server {

/// Runs the server until a signal comes or a shard fails, and stops it in order: clients are told,
/// threads are joined. Returns the exit code; what went wrong has been logged.
int serve(const config::ServerConfig& config, process::StopSignals& signals);

}  // namespace marchland::server
