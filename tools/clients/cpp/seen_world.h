#pragma once

#include "engine/ids.h"
#include "net/messages.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace marchland::client {

/// An entity as it was sent to a client.
struct Seen {
    std::uint16_t kind = 0;
    engine::Position position;                 ///< at the end of the newest frame's tick
    std::vector<engine::StateWrite> state;     ///< ascending; who is not there has its first value
    engine::Tick moved_tick = engine::kNever;  ///< of the newest frame that had its position
    engine::Step velocity = {};                ///< with which it goes on from tick to tick

    friend bool operator==(const Seen&, const Seen&) = default;
};

/// Who a client sees: frames in, a map out, as docs/wire_format.md says.
///
/// Errors   A frame that does not fit what is known: the text says why. The world is then of no use
///          until the next keyframe.
/// Cost     A frame O(seen + its length * log seen). For one player or some; the bots, who are
///          thousands and want to know every fault, have a StreamChecker instead.
class SeenWorld {
public:
    /// `self`: the client's own entity.
    SeenWorld(std::uint32_t quantum_mm, engine::EntityId self)
        : quantum_mm_(quantum_mm), self_(self) {}

    /// Nothing when all is well.
    /// Where the frame's moves are named by rank, they are named by id afterwards.
    [[nodiscard]] std::optional<std::string> apply(net::FrameMessage& frame);

    [[nodiscard]] const std::map<engine::EntityId, Seen>& seen() const { return seen_; }
    /// The client's own entity.
    [[nodiscard]] engine::EntityId self() const { return self_; }
    /// Of the client's own entity.
    [[nodiscard]] const std::vector<engine::StateWrite>& own_state() const { return own_state_; }
    /// Both as they were before the newest keyframe.
    [[nodiscard]] const std::map<engine::EntityId, Seen>& seen_before() const {
        return seen_before_;
    }
    [[nodiscard]] const std::vector<engine::StateWrite>& own_state_before() const {
        return own_state_before_;
    }
    /// Of the newest frame that was wholly applied; kNever before the first.
    [[nodiscard]] engine::Tick tick() const { return tick_; }

private:
    using Problem = std::optional<std::string>;

    void go_on(engine::Tick tick);
    Problem leave(const net::FrameMessage& frame);
    Problem enter(const net::FrameMessage& frame);
    Problem move(const net::FrameMessage& frame);
    Problem change(const net::FrameMessage& frame);

    const std::uint32_t quantum_mm_;
    const engine::EntityId self_;
    std::vector<engine::StateWrite> own_state_;
    std::map<engine::EntityId, Seen> seen_;
    std::vector<engine::StateWrite> own_state_before_;
    std::map<engine::EntityId, Seen> seen_before_;
    engine::Tick tick_ = engine::kNever;
};

}  // namespace marchland::client
