#pragma once

#include "shards/entity_port.h"
#include "net/pending_inputs.h"
#include "net/service_messages.h"

#include <cstddef>
#include <span>

namespace marchland::net {

class Directory;

/// A port whose inputs wait in a cell that any thread may fill: a client's session and services, side
/// by side. The Directory finds it by its entity's id.
class InputPort : public shards::EntityPort {
public:
    /// Any thread.
    [[nodiscard]] PendingInputs& inputs() { return inputs_; }
    /// Any thread: the game takes the entity out of the zone.
    virtual void dismiss() { inputs_.put_leave(); }
    /// Any thread: likewise, for another zone. False, and nothing happened, when nobody is there to go.
    [[nodiscard]] virtual bool send_away(Transfer) { return false; }
    /// For Directory: why its player is gone.
    [[nodiscard]] virtual PlayerLeftReason left_reason() const { return PlayerLeftReason::none; }

protected:
    /// For on_removed(): from here on nobody finds it.
    void leave_directory();
    /// What the entity's client sends to services, in this tick and at this place. False: the server stops, and they are
    /// not sent it.
    [[nodiscard]] bool tell_services(engine::Tick tick, engine::Position at,
                                     std::span<const engine::GameMessage> messages);

    /// What the entity's client asks for, where services move it.
    void tell_services_move(PlayerMove move);

    PendingInputs inputs_;

private:
    friend class Directory;
    Directory* directory_ = nullptr;  ///< set before the entity joins; null: nobody is to find it
    engine::EntityId entity_{};
};

}  // namespace marchland::net
