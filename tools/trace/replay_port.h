#pragma once

#include "shards/entity_port.h"
#include "tools/trace/event_log.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace marchland::trace {

/// One life of a recorded entity: what was recorded goes into the zone again, what the zone tells
/// comes back as the events of the tick.
///
/// Threads  As every port. The replay itself uses it between ticks only.
class ReplayPort final : public shards::EntityPort,
                         public std::enable_shared_from_this<ReplayPort> {
public:
    /// For the next tick. Once a tick: see has_intents().
    void ask(const shards::Intents& intents) { intents_ = intents; }
    /// Beside what it asks for, in the next tick: it takes its own place, as a live port took another's.
    void succeed_itself() { succeeds_itself_ = true; }
    [[nodiscard]] bool has_intents() const { return intents_.has_value(); }
    [[nodiscard]] bool is_leaving() const { return intents_ && intents_->leave; }
    /// Whether its client could take a frame in the next tick.
    void set_takes_frame(bool takes_frame) { takes_frame_ = takes_frame; }

    /// The last tick's, and emptied by whoever has read them.
    [[nodiscard]] WatcherEvents& events() { return events_; }
    [[nodiscard]] std::uint64_t take_frame_check() { return std::exchange(frame_check_, 0); }
    [[nodiscard]] bool is_removed() const { return is_removed_; }

    void take_intents(shards::Intents& into) override;
    [[nodiscard]] bool can_take_frame() const override { return takes_frame_; }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameNotes& notes) override;
    [[nodiscard]] std::uint32_t lane() const override { return 0; }
    void on_removed() override { is_removed_ = true; }

private:
    std::optional<shards::Intents> intents_;
    bool succeeds_itself_ = false;
    bool takes_frame_ = true;
    bool is_removed_ = false;
    std::uint64_t frame_check_ = 0;
    WatcherEvents events_;
};

}  // namespace marchland::trace
