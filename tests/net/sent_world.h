#pragma once

#include "net/messages.h"

#include <map>
#include <vector>

namespace marchland::tests {

/// What a client knows: frames applied as docs/wire_format.md says. Throws when a frame breaks the
/// stream: an enter of what is known, a move or a leave of what is not, a tick that does not
/// ascend.
class SentWorld {
public:
    void apply(net::FrameMessage frame);

    [[nodiscard]] const std::map<engine::EntityId, engine::Position>& positions() const {
        return positions_;
    }
    [[nodiscard]] const std::map<engine::EntityId, std::vector<engine::StateWrite>>& states()
        const {
        return states_;
    }
    [[nodiscard]] engine::Tick tick() const { return tick_; }

private:
    std::map<engine::EntityId, engine::Position> positions_;
    std::map<engine::EntityId, std::vector<engine::StateWrite>> states_;  ///< of the same entities
    engine::Tick tick_ = engine::kNever;
};

}  // namespace marchland::tests
