#pragma once

#include <cstdint>

namespace marchland::bench {

/// A server under measurement: it listens on loopback, and when it is told to it sends one frame to
/// each of its clients, on threads of its own.
///
/// Threads  Everything is for the thread that made it.
class SendServer {
public:
    SendServer() = default;
    SendServer(const SendServer&) = delete;
    SendServer& operator=(const SendServer&) = delete;
    virtual ~SendServer() = default;

    [[nodiscard]] virtual std::uint16_t port() const = 0;
    /// Begins one tick and returns at once. The one before has ended: writes_total() says so.
    virtual void start_tick() = 0;
    /// Writes to clients that were made.
    [[nodiscard]] virtual std::uint64_t writes_total() const = 0;
    /// Bytes of clients that were read, and are in force from the next tick on.
    [[nodiscard]] virtual std::uint64_t bytes_in_total() const = 0;
};

}  // namespace marchland::bench
