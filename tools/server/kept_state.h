#pragma once

#include "shards/layout/layout.h"
#include "shards/state/keeper.h"
#include "shards/zone.h"
#include "net/restore.h"
#include "config/config.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace marchland::server {

/// What the run begins with, instead of what the state holds.
struct StateStart {
    bool is_fresh = false;                         ///< nothing
    std::optional<std::filesystem::path> restore;  ///< a backup of it
};

/// What a start takes over from the run before it, and who keeps the state from here on.
struct KeptState {
    std::unique_ptr<shards::StateKeeper> keeper;
    shards::ZoneStart start;
    shards::Layout layout;  ///< to be in force
    net::Restored restored;
};

/// Opens the state of the configuration, which has it on; where it is asked for, puts aside what is
/// there and begins with nothing, or with a backup. Throws tools::BadInput, which says what is
/// wrong and what to do.
KeptState open_state(const config::ServerConfig& config, const StateStart& asked);

/// What the configuration's state holds, as a comment in TOML. Throws tools::BadInput where it
/// cannot be gone on with. A server may be running on it.
std::string describe_state(const config::ServerConfig& config);

}  // namespace marchland::server
