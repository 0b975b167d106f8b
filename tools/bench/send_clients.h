#pragma once

#include "engine/geometry.h"
#include "net/messages.h"
#include "tools/bench/frame_script.h"
#include "tools/bench/zone_walker.h"
#include "tools/process/descriptor.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::bench {

/// Who moves, and so is told of in every frame.
enum class Movers {
    walkers,  ///< entities of the zone without a client; clients stand still and say nothing
    clients,  ///< each client says in each tick where it is now
};

/// The clients of a server under measurement, all on one thread: whatever they do, they do one after
/// the other, when the server has done its part. So no server pays for waking them.
///
/// They check what they read: it is one message, it decodes, and a frame tells of exactly so many
/// moves as there are movers that its client knows.
///
/// Errors  std::runtime_error says what is wrong.
class SendClients {
public:
    /// Connects so many.
    SendClients(std::uint16_t port, std::size_t count);

    /// Says Hello and reads the Welcome, each. They begin as the walkers do; `walkers`: ids up to this
    /// one are of such, and all others are clients.
    void join(std::span<const Walker> clients, Movers movers, std::uint64_t walkers);

    /// All of them step and say so. Returns the bytes.
    std::size_t send_moves(std::span<Walker> clients);
    /// What these others sent last: for a server that does not care who says it.
    std::size_t send_moves_of(const SendClients& others);

    /// One frame for each, which is checked and added to the script.
    void read_frames(FrameScript& script);
    /// One frame for each, as the script has it in this tick.
    void read_again(const FrameScript& script, std::size_t tick);

    [[nodiscard]] std::size_t size() const { return sockets_.size(); }
    /// In all frames that were checked.
    [[nodiscard]] std::uint64_t moves_total() const { return moves_total_; }

private:
    [[nodiscard]] std::span<const std::byte> read_message(std::size_t client);
    void check(std::size_t client, const net::FrameMessage& frame);
    [[nodiscard]] bool is_mover(engine::EntityId id) const;
    void send(std::size_t client, std::span<const std::byte> message);

    std::vector<process::Descriptor> sockets_;
    std::vector<std::size_t> known_movers_;          ///< by client
    std::vector<std::vector<std::byte>> last_move_;  ///< by client
    Movers movers_ = Movers::walkers;
    std::uint64_t walkers_ = 0;
    std::uint32_t seq_ = 0;
    std::uint64_t moves_total_ = 0;

    flatbuffers::FlatBufferBuilder builder_;
    std::vector<std::uint64_t> space_;  ///< of one message: a multiple of 8, as decoders need it
    net::ServerMessage decoded_;
};

}  // namespace marchland::bench
