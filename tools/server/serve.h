#pragma once

#include "shards/recording/recorder.h"
#include "config/config.h"
#include "tools/process/stop_signals.h"
#include "tools/server/kept_state.h"

#include <filesystem>
#include <optional>
#include <string>

namespace marchland::server {

class Log;

/// Where a running server's configuration comes from, to be read again: its layout from the file
/// that --layout named, or else from whatever the configuration says.
struct ConfigSource {
    std::filesystem::path config;
    std::optional<std::filesystem::path> layout;
    config::ServerConfig as_read;  ///< at the start: the command line may have changed some

    [[nodiscard]] std::string name() const { return layout.value_or(config).string(); }
};

/// Runs the server until a signal comes or a shard fails, and stops it in order: clients are sent
/// why, threads are joined. Returns the exit code; what went wrong has been logged. Throws
/// tools::BadInput before anything runs. `log`: is asked from time to time to say what it dropped
/// or folded. `source`: what SIGHUP, which `signals` receive, reads again.
/// `recorder`: has been started, and is finished here; null: nobody records.
/// `state`: what the zone goes on with, and keeps; nothing: it begins with nothing, and leaves
/// nothing.
int serve(const config::ServerConfig& config, const ConfigSource& source,
          shards::Recorder* recorder, std::optional<KeptState> state, process::StopSignals& signals,
          Log& log);

}  // namespace marchland::server
