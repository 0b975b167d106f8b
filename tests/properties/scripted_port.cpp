#include "tests/properties/scripted_port.h"

#include "net/decode_server.h"
#include "net/packed_moves.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace marchland::tests {

namespace {

/// Takes out of what is asked for what a new connection says in the tick of the change: half of the
/// messages, and the newest of most other things. The old one has asked for a place before, too.
shards::Inputs split(shards::Inputs& asked, engine::Position elsewhere) {
    shards::Inputs later = std::exchange(asked, {});
    const auto half =
        later.messages.begin() + static_cast<std::ptrdiff_t>(later.messages.size() / 2);
    asked.messages.assign(later.messages.begin(), half);
    later.messages.erase(later.messages.begin(), half);
    asked.state = std::exchange(later.state, {});
    if (later.move) {
        asked.move = elsewhere;
    }
    return later;
}

}  // namespace

/// Takes the place of the port and does what it would have done.
class ScriptedPort::Successor final : public shards::EntityPort {
public:
    /// `later`: what it asks for in the tick of the change.
    Successor(ScriptedPort& port, shards::Inputs later) : port_(port), later_(std::move(later)) {}

    void take_inputs(shards::Inputs& into) override {
        if (std::exchange(is_asked_, true)) {
            port_.take_inputs(into);
        } else {
            into = std::move(later_);
        }
    }
    [[nodiscard]] bool can_take_frame() const override { return port_.can_take_frame(); }
    [[nodiscard]] std::uint32_t frames_hz() const override { return port_.frames_hz(); }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override {
        return port_.put_frame(frame, entities, flags);
    }
    [[nodiscard]] std::uint32_t io_thread() const override { return port_.io_thread(); }
    void on_removed() override { port_.on_removed(); }

private:
    ScriptedPort& port_;  ///< whoever plays the history keeps it
    shards::Inputs later_;
    bool is_asked_ = false;
};

void ScriptedPort::take_inputs(shards::Inputs& into) {
    RecordingPort::take_inputs(into);
    const engine::Tick tick = now();
    const auto end = life_.asked.upper_bound(tick);
    for (auto asked = life_.asked.upper_bound(taken_); asked != end; ++asked) {
        merge(into, asked->second);
    }
    const auto change = life_.port_changes.upper_bound(taken_);
    if (change != life_.port_changes.end() && *change <= tick) {
        shards::Inputs later = split(into, life_.join.at);
        into.successor = std::make_shared<Successor>(*this, std::move(later));
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
                             const shards::FrameFlags& flags) {
    const net::FrameHeader header{0, flags.border_stale, flags.time_scale_percent,
                                  flags.server_time_us};
    const std::span<const std::byte> bytes = net::write_frame(builder_, header, frame, entities);
    wire_.emplace_back(bytes.begin(), bytes.end());
    expect_same_by_rank(header, frame, entities);
    return RecordingPort::put_frame(frame, entities, flags);
}

/// Of all that moved the client is sent the same, whichever way they are named.
void ScriptedPort::expect_same_by_rank(const net::FrameHeader& header, const engine::Frame& frame,
                                       const engine::EntityStore& entities) {
    if (frame.is_keyframe) {
        known_.clear();
    }
    for (const engine::Leave& leave : frame.leaves) {
        known_.erase(leave.id);
    }
    for (const engine::Slot entered : frame.enters) {
        known_.insert(entities.at(entered).id);
    }
    constexpr std::size_t kLookedAt = 4;  // one in so many frames, for time's sake
    if (wire_.size() % kLookedAt != 0 || frame.moves.empty()) {
        return;
    }
    net::FrameHeader to_one_who_reads_ranks = header;
    to_one_who_reads_ranks.reads_ranks = true;
    net::ServerMessage by_id;
    net::ServerMessage by_rank;
    ASSERT_FALSE(net::decode_server(wire_.back(), by_id));
    ASSERT_FALSE(net::decode_server(
        net::write_frame(builder_, to_one_who_reads_ranks, frame, entities), by_rank));
    auto& named = std::get<net::FrameMessage>(by_rank);
    EXPECT_TRUE(named.moves_by_rank);
    EXPECT_TRUE(net::name_by_id(named, known_)) << "tick " << frame.tick;
    EXPECT_EQ(by_rank, by_id) << "tick " << frame.tick;
}

void ScriptedPort::on_removed() {
    RecordingPort::on_removed();
    if (on_finished_ && taken_ <= ticks_) {
        on_finished_();
    }
}

}  // namespace marchland::tests
