#pragma once

#include "shards/entity_port.h"
#include "tests/shards/sent_frame.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace marchland::tests {

/// A port that asks for what the test puts into `next`, and writes down all that it is sent.
class RecordingPort : public shards::EntityPort {
public:
    shards::Inputs next;      ///< handed out at the next tick
    bool is_open = true;      ///< false: the client cannot take a frame now
    bool has_nobody = false;  ///< with is_open false: because there is no client, for now
    bool is_of_player = false;

    /// One for each tick in which a frame was taken, the empty ones included.
    std::vector<SentFrame> frames;
    /// To its client, whomever it sees.
    std::vector<engine::GameMessage> letters;
    std::size_t lost_count = 0;     ///< calls of note_messages_lost
    std::size_t asked_count = 0;    ///< calls of take_inputs
    std::size_t removed_count = 0;  ///< calls of on_removed

    explicit RecordingPort(std::uint32_t io_thread = 0) : io_thread_(io_thread) {}

    /// The newest; there must be one. Good until the next.
    [[nodiscard]] const SentFrame& last_frame() const { return frames.at(frames.size() - 1); }

    void take_inputs(shards::Inputs& into) override {
        ++asked_count;
        into = std::exchange(next, {});
    }
    void put_message(const engine::GameMessage& message) override { letters.push_back(message); }
    void note_messages_lost() override { ++lost_count; }
    [[nodiscard]] bool can_take_frame() const override { return is_open; }
    [[nodiscard]] bool is_away() const override { return has_nobody; }
    [[nodiscard]] bool is_player() const override { return is_of_player; }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override {
        frames.push_back(copy_of(frame, entities, flags));
        return !frame.is_empty();
    }
    [[nodiscard]] std::uint32_t io_thread() const override { return io_thread_; }
    void on_removed() override { ++removed_count; }

private:
    const std::uint32_t io_thread_;
};

/// Takes frames away and does nothing with them: the ports have written them down already.
class SilentOutlet final : public shards::FrameOutlet {
public:
    [[nodiscard]] std::uint32_t io_thread_count() const override { return 1; }
    void post(std::uint32_t, std::span<const std::shared_ptr<shards::EntityPort>>) override {}
};

}  // namespace marchland::tests
