#pragma once

#include "shards/state/keeper.h"
#include "shards/zone.h"
#include "net/auth/token_gate.h"
#include "net/directory.h"
#include "net/io_thread_counters.h"
#include "net/mailbox.h"
#include "net/messages.h"
#include "net/operator_rules.h"
#include "net/resume_store.h"
#include "net/served_time.h"
#include "net/server_options.h"
#include "net/token_bucket.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <chrono>
#include <cstdint>
#include <functional>

namespace marchland::net {

class Connection;

/// A pause of this length between two looks of an I/O thread at its connections is a stall: they
/// are half as far apart at most while all is well.
inline constexpr std::chrono::seconds kIoThreadStallMin{1};

/// What the connections of one I/O thread, and whoever is behind them, share; all of it outlives
/// them.
struct SessionContext {
    const ServerOptions& options;
    shards::Zone& zone;
    const std::uint32_t io_thread;
    Mailbox& mailbox;
    IoThreadCounters& counters;
    const TokenGate& gate;
    ResumeStore& store;
    Directory& directory;
    OperatorRules& rules;
    LogLimit log_limit;
    flatbuffers::FlatBufferBuilder control_builder;  ///< for one message at a time
    /// The connection is closed; let go of it.
    std::function<void(Connection&)> on_closed;
    /// The I/O thread's; all time points of connections and sessions are of this.
    ServedTime time;
    /// The I/O thread's: what clients send waits, since the server is about to stop.
    bool holds_clients = false;
};

/// To a player as to a service.
[[nodiscard]] inline Pong pong_to(const Ping& ping, const SessionContext& context) {
    const shards::StateKeeper* const keeper = context.zone.keeper();
    return {ping.nonce, context.zone.tick(),
            keeper == nullptr ? engine::kNever : keeper->status().written_tick};
}

}  // namespace marchland::net
