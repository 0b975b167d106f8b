#include "tests/properties/scripted_port.h"

#include "net/frame_writer.h"

namespace marchland::tests {

void ScriptedPort::take_intents(shards::Intents& into) {
    RecordingPort::take_intents(into);
    const engine::Tick tick = now();
    const auto end = life_.asked.upper_bound(tick);
    for (auto asked = life_.asked.upper_bound(taken_); asked != end; ++asked) {
        merge(into, asked->second);
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
        builder_, {0, notes.border_stale, notes.time_scale_percent}, frame, entities);
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
