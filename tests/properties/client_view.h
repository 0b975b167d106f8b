#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "tests/shards/told_frame.h"

#include <map>
#include <optional>
#include <string>

namespace marchland::tests {

/// What one client knows, from what it is told; and whether that is well formed, which needs no
/// knowledge of where anything is:
///  - ticks ascend;
///  - each list is in strictly ascending id, and never names the watcher itself;
///  - an enter opens an episode, moves fall inside one, a leave closes it;
///  - a move that is told as a difference starts where the client believes the entity to be.
class ClientView {
public:
    explicit ClientView(engine::EntityId self) : self_(self) {}

    /// What is wrong with the frame; nothing when it is well formed.
    std::optional<std::string> apply(const ToldFrame& frame);

    /// Whom it sees, and where it believes each to be.
    [[nodiscard]] const std::map<engine::EntityId, engine::Position>& known() const {
        return known_;
    }

private:
    std::optional<std::string> apply_leaves(const ToldFrame& frame);
    std::optional<std::string> apply_moves(const ToldFrame& frame);
    std::optional<std::string> apply_enters(const ToldFrame& frame);

    const engine::EntityId self_;
    engine::Tick tick_ = engine::kNever;
    std::map<engine::EntityId, engine::Position> known_;
};

}  // namespace marchland::tests
