#pragma once

#include "shards/state/fold.h"
#include "shards/zone.h"
#include "net/directory.h"
#include "net/resume_store.h"
#include "net/server_options.h"
#include "net/session_context.h"

#include <chrono>
#include <optional>
#include <string>

namespace marchland::net {

/// A zone from before a restart, and how long those who were in it may take to come back.
struct Restored {
    shards::KeptZone zone;
    ResumeTokens tokens;
    std::chrono::milliseconds grace{60'000};
};

/// Why the zone cannot be gone on with under these options, naming what is in the way.
std::optional<std::string> flaw_of(const shards::KeptZone& kept, const shards::ZoneOptions& zone);

/// Puts everybody back into the zone, as if all had lost their connection just now. No flaw has
/// been found, and nobody is there yet. `io_thread`: any one's.
void restore(const Restored& restored, SessionContext& io_thread);

}  // namespace marchland::net
