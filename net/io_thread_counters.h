#pragma once

#include "shards/histogram.h"
#include "net/error_code.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace marchland::net {

/// What is counted, by each I/O thread and for all of them together: `_total` since the start, the
/// others what is there now.
template <typename Number>
struct ConnectionCounts {
    Number connections{0};  ///< raised by the listener's thread
    Number players{0};      ///< connections that are through the handshake as a player
    Number services{0};     ///< and as a service
    /// Players' places in the zone, and services' watchers', those on their way out included.
    /// Lowered by whoever lets go last, a shard or the I/O thread.
    Number ports{0};
    Number connections_total{0};  ///< raised by the listener's thread
    /// Ended by an exception; raised by the listener's thread, too.
    Number failed_connections_total{0};
    Number accept_failures_total{0};     ///< the first I/O thread's only: the listener is there
    Number refused_addresses_total{0};   ///< connections of an address over its limits
    Number evicted_handshakes_total{0};  ///< connections closed to make room for others
    /// Whose TLS, WebSocket or proxy's header broke, or that sent no Hello in time.
    Number failed_handshakes_total{0};
    Number refused_tokens_total{0};    ///< Hellos without a token that is good for them
    Number resumes_total{0};           ///< of players and services
    Number replaced_logins_total{0};   ///< entities that another login of their subject took
    Number overloaded_joins_total{0};  ///< refused: the zone had more to do than it could
    /// Sent to players, the one of each resume included. Raised by shards' threads.
    Number corrections_total{0};
    Number frames_over_by_messages_total{0};  ///< in which only services' messages wait; likewise
    Number closed_with_error_total{0};
    Number bytes_in_total{0};  ///< whatever becomes of them
    Number bytes_out_total{0};
    Number messages_in_total{0};
    Number sends_total{0};
    Number connection_bytes{0};  ///< memory of the connections' buffers, once a second
    /// Memory of players' frames; changed where a buffer grows or is given back.
    Number frame_bytes_held{0};
    /// Connections closed with an Error, by its ErrorCode.
    std::array<Number, kErrorCodesEnd> errors_total{};
};

/// What one I/O thread reports about itself: ServerMetrics, before it is summed. On cache lines of
/// its own, so that the threads do not slow each other. Written by that thread but where noted.
struct alignas(64) IoThreadCounters : ConnectionCounts<std::atomic<std::uint64_t>> {
    using Counter = std::atomic<std::uint64_t>;

    shards::DurationHistogram mail_wait;  ///< from a post into the empty mailbox to its reading
    shards::Histogram<shards::kQueueBounds> mail_items;  ///< that were read at once
    shards::Histogram<shards::kFrameBytesBounds> frame_bytes;

    static void add(Counter& counter, std::uint64_t amount = 1) {
        counter.fetch_add(amount, std::memory_order_relaxed);
    }
    static void subtract(Counter& counter) { counter.fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace marchland::net
