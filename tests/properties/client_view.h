#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "tests/properties/history.h"
#include "tests/shards/sent_frame.h"

#include <map>
#include <optional>
#include <string>

namespace marchland::tests {

/// What one client knows, from what it is sent; and whether that is well formed, which needs no
/// knowledge of where anything is:
///  - ticks ascend;
///  - each list is in strictly ascending id, and only states name the watcher itself;
///  - an enter opens an episode, moves fall inside one, a leave closes it;
///  - a move that is sent as a difference starts where the client believes the entity to be;
///  - a state is of one that was known before, or of itself;
///  - a keyframe has nothing but enters, messages and its own state;
///  - each message comes once, those of one source in the order in which it sent them, and its
///    source is known, or leaves in this frame because it is gone, or has named the client; or the
///    message may have waited for room, since the frame before says that something did.
class ClientView {
public:
    explicit ClientView(engine::EntityId self) : self_(self) {}

    /// What is wrong with the frame; nothing when it is well formed.
    std::optional<std::string> apply(const SentFrame& frame);

    /// As a client goes on with it from tick to tick.
    struct Place {
        engine::Position at;
        engine::Step velocity;
        engine::Tick tick = engine::kNever;

        [[nodiscard]] engine::Position at_tick(engine::Tick later) const;
    };
    /// Whom it sees, and where it believes each to be.
    [[nodiscard]] const std::map<engine::EntityId, Place>& known() const { return known_; }

private:
    std::optional<std::string> apply_leaves(const SentFrame& frame);
    std::optional<std::string> apply_moves(const SentFrame& frame);
    std::optional<std::string> apply_enters(const SentFrame& frame);

    std::optional<std::string> apply_states(const SentFrame& frame);
    std::optional<std::string> apply_messages(const SentFrame& frame);
    [[nodiscard]] bool may_receive(const SentFrame& frame, const Utterance& utterance) const;

    const engine::EntityId self_;
    engine::Tick tick_ = engine::kNever;
    std::map<engine::EntityId, Place> known_;
    std::map<engine::EntityId, Place> known_before_keyframe_;
    std::map<engine::EntityId, Utterance> received_;  ///< the last of each source
    bool may_be_late_ = false;                        ///< the frame before left something for later
};

}  // namespace marchland::tests
