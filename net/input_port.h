#pragma once

#include "shards/entity_port.h"
#include "net/pending_inputs.h"
#include "net/service_messages.h"

#include <cstddef>

namespace marchland::net {

class Directory;

/// A port whose inputs wait in a cell that any thread may fill: a client's session and services, side
/// by side. The Directory finds it by its entity's id.
class InputPort : public shards::EntityPort {
public:
    explicit InputPort(std::size_t client_events_max) : inputs_(client_events_max) {}

    /// Any thread.
    [[nodiscard]] PendingInputs& inputs() { return inputs_; }
    /// Any thread: the game takes the entity out of the zone.
    virtual void dismiss() { inputs_.put_leave(); }
    /// For Directory: why its player is gone.
    [[nodiscard]] virtual PlayerLeftReason left_reason() const { return PlayerLeftReason::none; }

protected:
    /// For on_removed(): from here on nobody finds it.
    void leave_directory();
    /// What the entity's client says to services, in this tick and at this place.
    void tell_services(engine::Tick tick, engine::Position at, std::vector<Said> messages);

    PendingInputs inputs_;

private:
    friend class Directory;
    Directory* directory_ = nullptr;  ///< set before the entity joins; null: nobody is to find it
    engine::EntityId entity_{};
};

}  // namespace marchland::net
