#pragma once

#include "shards/entity_port.h"
#include "tools/bench/zone_walker.h"
#include "tools/trace/fnv1a.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstdint>
#include <memory>
#include <span>

namespace marchland::bench {

/// A player without a socket: it moves in every tick, and has its frame written as for a client, into
/// a buffer of its own, where the next one overwrites it.
///
/// It always counts its bytes; while `is_listening` it reads them, too, so that two runs can be
/// compared: outside the timed part, for reading costs as much as writing.
class ZonePlayer final : public shards::EntityPort {
public:
    /// `is_listening` outlives it, and only changes between ticks.
    ZonePlayer(const Walker& walker, const bool& is_listening);

    void take_intents(shards::Intents& into) override { into.move = walker_.step(); }
    [[nodiscard]] bool can_take_frame() const override { return true; }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameNotes& notes) override;
    [[nodiscard]] std::uint32_t lane() const override { return 0; }
    void on_removed() override {}

    [[nodiscard]] engine::Position at() const { return walker_.at(); }
    [[nodiscard]] std::uint64_t bytes_total() const { return bytes_total_; }
    [[nodiscard]] std::uint64_t moves_total() const { return moves_total_; }
    /// Of the bytes of all frames that it listened to.
    [[nodiscard]] std::uint64_t digest() const { return digest_.value(); }

private:
    Walker walker_;
    const bool& is_listening_;
    flatbuffers::FlatBufferBuilder builder_;
    std::uint64_t bytes_total_ = 0;
    std::uint64_t moves_total_ = 0;
    trace::Fnv1a64 digest_;
};

/// Sends nothing to nobody.
class DroppingOutlet final : public shards::FrameOutlet {
public:
    [[nodiscard]] std::uint32_t lane_count() const override { return 1; }
    void post(std::uint32_t, std::span<const std::shared_ptr<shards::EntityPort>>) override {}
};

}  // namespace marchland::bench
