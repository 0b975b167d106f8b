#pragma once

#include "tools/bench/loopback.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace marchland::bench {

/// The second yardstick: as BareServer, by io_uring alone, as cheap as we know how to. One receive for each client goes
/// on for good and shares a ring of buffers, all frames of a tick are one submission, and the thread sleeps until there
/// is something from all clients or 5 ms are over.
///
/// Life  The script may be rewritten between ticks, and outlives it.
class UringServer final : public SendServer {
public:
    /// Throws std::system_error where the kernel or its policy refuses io_uring.
    UringServer(const FrameScript& script, std::size_t clients);
    ~UringServer() override;

    [[nodiscard]] std::uint16_t port() const override { return port_; }
    void start_tick() override;
    [[nodiscard]] std::uint64_t writes_total() const override { return writes_; }
    [[nodiscard]] std::uint64_t bytes_in_total() const override { return bytes_in_; }

    /// The next tick is the script's first.
    void rewind() { next_tick_ = 0; }
    /// Clients that were let in. Any thread.
    [[nodiscard]] std::size_t clients() const { return client_count_; }

private:
    class Loop;

    const FrameScript& script_;
    const process::Descriptor wake_;
    const process::Descriptor listener_;
    std::uint16_t port_ = 0;
    std::size_t next_tick_ = 0;
    std::atomic<std::size_t> tick_{0};  ///< to be sent when wake_ says so
    std::atomic<bool> is_over_{false};
    std::atomic<std::size_t> client_count_{0};
    std::atomic<std::uint64_t> writes_{0};
    std::atomic<std::uint64_t> bytes_in_{0};
    std::thread thread_;
};

}  // namespace marchland::bench
