#pragma once

#include "shards/entity_port.h"
#include "tools/trace/event_log.h"

namespace marchland::trace {

/// One entity of a trace, from its first sample to its removal: what the samples say goes into the
/// zone as intents, what the zone tells comes back as the events of the tick.
///
/// Threads  Lockstep runs the zone on the caller's thread, so nothing is shared.
class TracePort final : public shards::EntityPort {
public:
    void ask_move(engine::Position to) { intents_.move = to; }
    void ask_leave() { intents_.leave = true; }

    /// What the last tick told; cleared by whoever has read it.
    [[nodiscard]] WatcherEvents& events() { return events_; }

    void take_intents(shards::Intents& into) override;
    [[nodiscard]] bool can_take_frame() const override { return true; }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameNotes& notes) override;
    [[nodiscard]] std::uint32_t lane() const override { return 0; }
    void on_removed() override {}

private:
    shards::Intents intents_;
    WatcherEvents events_;
};

/// Where frames would be sent; the ports keep what they need, so there is never anything to send.
class NoOutlet final : public shards::FrameOutlet {
public:
    [[nodiscard]] std::uint32_t lane_count() const override { return 1; }
    void post(std::uint32_t, std::span<const std::shared_ptr<shards::EntityPort>>) override {}
};

}  // namespace marchland::trace
