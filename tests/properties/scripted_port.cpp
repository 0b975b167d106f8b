#include "tests/properties/scripted_port.h"

#include "net/frame_writer.h"

#include <memory>
#include <utility>

namespace marchland::tests {

/// Takes the place of the port and does what it would have done.
class ScriptedPort::Successor final : public shards::EntityPort {
public:
    explicit Successor(ScriptedPort& port) : port_(port) {}

    void take_intents(shards::Intents& into) override {
        // What there was to ask in the tick of the change, the port itself has said.
        if (std::exchange(is_asked_, true)) {
            port_.take_intents(into);
        }
    }
    [[nodiscard]] bool can_take_frame() const override { return port_.can_take_frame(); }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameNotes& notes) override {
        return port_.put_frame(frame, entities, notes);
    }
    [[nodiscard]] std::uint32_t lane() const override { return port_.lane(); }
    void on_removed() override { port_.on_removed(); }

private:
    ScriptedPort& port_;  ///< whoever plays the history keeps it
    bool is_asked_ = false;
};

void ScriptedPort::take_intents(shards::Intents& into) {
    RecordingPort::take_intents(into);
    const engine::Tick tick = now();
    const auto end = life_.asked.upper_bound(tick);
    for (auto asked = life_.asked.upper_bound(taken_); asked != end; ++asked) {
        merge(into, asked->second);
    }
    const auto change = life_.port_changes.upper_bound(taken_);
    if (change != life_.port_changes.end() && *change <= tick) {
        into.successor = std::make_shared<Successor>(*this);
    }
    taken_ = tick;
    if (tick == ticks_ + 1 && on_finished_) {
        on_finished_();
    }
}

bool ScriptedPort::can_take_frame() const {
    const bool is_over = ticks_ != engine::kNever && now() > ticks_;
    return !is_over && life_.takes_frame_in(now());
}

bool ScriptedPort::put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                             const shards::FrameNotes& notes) {
    const std::span<const std::byte> bytes = net::write_frame(
        builder_, {0, notes.border_stale, notes.time_scale_percent, notes.server_time_us}, frame,
        entities);
    wire_.emplace_back(bytes.begin(), bytes.end());
    return RecordingPort::put_frame(frame, entities, notes);
}

void ScriptedPort::on_removed() {
    RecordingPort::on_removed();
    if (on_finished_ && taken_ <= ticks_) {
        on_finished_();
    }
}

}  // namespace marchland::tests
