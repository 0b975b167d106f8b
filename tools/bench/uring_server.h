#pragma once

#include "tools/bench/loopback.h"

#include <atomic>
#include <cstddef>
#include <thread>

namespace marchland::bench {

/// The second yardstick: as BareServer, by io_uring alone, as cheap as we know how to. One receive
/// for each client goes on for good and shares a ring of buffers, all frames of a tick are one
/// submission, and the thread sleeps until there is something from all clients or 5 ms are over.
///
/// Life  The script may be rewritten between ticks, and outlives it.
class UringServer final : public CountingServer {
public:
    /// Throws std::system_error where the kernel or its policy refuses io_uring.
    UringServer(const FrameScript& script, std::size_t clients);
    ~UringServer() override;

    void start_tick() override;

    /// The next tick is the script's first.
    void rewind() { next_tick_ = 0; }

private:
    class Loop;

    const FrameScript& script_;
    const process::Descriptor wake_;
    const process::Descriptor listener_;
    std::size_t next_tick_ = 0;
    std::atomic<std::size_t> tick_{0};  ///< to be sent when wake_ says so
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

}  // namespace marchland::bench
