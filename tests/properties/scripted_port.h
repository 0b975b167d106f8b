#pragma once

#include "net/frame_writer.h"
#include "tests/properties/history.h"
#include "tests/properties/stream.h"
#include "tests/shards/recording_port.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

namespace marchland::tests {

/// The port of one life: asks for what the life asks for, takes frames when its client can, and
/// keeps them, as values and as the bytes that go over the wire.
///
/// A port is asked once in every tick from that of the join on. So it can tell the tick by counting
/// where nobody else can (a zone on threads); under lockstep the driver's count is given, which
/// stays right also when a late shard makes the port miss a tick.
class ScriptedPort final : public RecordingPort {
public:
    /// `now` outlives the port. The life too.
    ScriptedPort(const Life& life, const engine::Tick& now) : life_(life), now_(&now) {}
    /// Counts for itself, and is deaf after `ticks`. `on_finished` is called once, on the shard's
    /// thread, when all is done up to the end of tick `ticks`, or when the entity is removed.
    ScriptedPort(const Life& life, engine::Tick ticks, std::function<void()> on_finished)
        : life_(life), ticks_(ticks), on_finished_(std::move(on_finished)) {}

    [[nodiscard]] Stream stream() const {
        return {life_.id(), life_.joined, frames, wire_, removed_count > 0};
    }

    void take_inputs(shards::Inputs& into) override;
    [[nodiscard]] bool can_take_frame() const override;
    [[nodiscard]] std::uint32_t frames_hz() const override {
        return life_.join.frames_hz == 0 ? kFramesEveryTick : life_.join.frames_hz;
    }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override;
    void on_removed() override;

private:
    class Successor;

    void expect_same_by_rank(const net::FrameHeader& header, const engine::Frame& frame,
                             const engine::EntityStore& entities);
    [[nodiscard]] engine::Tick now() const {
        return now_ != nullptr ? *now_ : life_.joined + asked_count - 1;
    }

    const Life& life_;
    const engine::Tick* const now_ = nullptr;
    const engine::Tick ticks_ = engine::kNever;
    const std::function<void()> on_finished_;
    engine::Tick taken_ = engine::kNever;  ///< inputs up to this tick are handed out
    flatbuffers::FlatBufferBuilder builder_;
    std::vector<std::vector<std::byte>> wire_;
    std::set<engine::EntityId> known_;
};

}  // namespace marchland::tests
