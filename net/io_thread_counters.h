#pragma once

#include "shards/histogram.h"
#include "net/error_code.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace marchland::net {

/// What one I/O thread reports about itself: ServerMetrics, before it is summed. On cache lines of its
/// own, so that the threads do not slow each other. Written by that thread but where noted.
struct alignas(64) IoThreadCounters {
    using Counter = std::atomic<std::uint64_t>;

    Counter connections{0};  ///< raised by the listener's thread
    Counter players{0};
    Counter services{0};
    Counter ports{0};              ///< lowered by whoever lets go last, a shard or the I/O thread
    Counter connections_total{0};  ///< raised by the listener's thread
    Counter failed_connections_total{0};  ///< raised by the listener's thread, too
    Counter accept_failures_total{0};     ///< the first I/O thread's only: the listener is there
    Counter refused_addresses_total{0};   ///< likewise
    Counter evicted_handshakes_total{0};
    Counter failed_handshakes_total{0};
    Counter refused_tokens_total{0};
    Counter resumes_total{0};
    Counter replaced_logins_total{0};
    Counter overloaded_joins_total{0};
    Counter corrections_total{0};              ///< raised by shards' threads
    Counter frames_over_by_messages_total{0};  ///< likewise
    Counter closed_with_error_total{0};
    Counter bytes_in_total{0};
    Counter bytes_out_total{0};
    Counter messages_in_total{0};
    Counter sends_total{0};
    Counter connection_bytes{0};  ///< memory of the connections' buffers, once a second
    Counter frame_bytes_held{
        0};  ///< memory of frames; changed where a buffer grows or is given back
    /// Connections closed with an Error, by its ErrorCode.
    std::array<Counter, kErrorCodesEnd> errors_total{};
    shards::DurationHistogram mail_wait;  ///< from a post into the empty mailbox to its reading
    shards::Histogram<shards::kQueueBounds> mail_items;  ///< that were read at once
    shards::Histogram<shards::kFrameBytesBounds> frame_bytes;

    static void add(Counter& counter, std::uint64_t amount = 1) {
        counter.fetch_add(amount, std::memory_order_relaxed);
    }
    static void subtract(Counter& counter) { counter.fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace marchland::net
