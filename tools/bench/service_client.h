#pragma once

#include "net/messages.h"
#include "net/receive_buffer.h"
#include "tools/bench/zone_walker.h"
#include "tools/process/descriptor.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::bench {

/// A service that owns a crowd of walkers, and moves all of them in packed moves. A blocking socket, on the
/// thread that made it.
///
/// Errors  std::runtime_error, std::system_error: the server did not do what it was asked.
class ServiceClient {
public:
    /// Says ServiceHello, spawns one entity for each walker, and returns when they are there: ids from 1 on,
    /// in their order. Nobody else may be in the zone.
    ServiceClient(std::uint16_t port, std::span<const Walker> walkers);

    /// All of them step: returns the messages that say so, ready to be sent.
    std::span<const std::byte> step(std::span<Walker> walkers);
    void send(std::span<const std::byte> messages);
    /// Returns when the server has taken in all that was sent.
    void fence();

private:
    template <typename Message>
    Message await();
    void say(const net::ClientMessage& message);

    process::Descriptor socket_;
    flatbuffers::FlatBufferBuilder builder_;
    net::ReceiveBuffer received_;
    std::vector<engine::Position> told_;  ///< by walker
    std::vector<std::byte> moves_;
    std::uint64_t pings_ = 0;
};

}  // namespace marchland::bench
