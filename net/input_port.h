#pragma once

#include "shards/entity_port.h"
#include "net/pending_inputs.h"
#include "net/service_messages.h"

#include <span>

namespace marchland::net {

class Directory;

/// A port whose inputs wait in a cell that any thread may fill: a client's session and services,
/// side by side. The Directory finds it by its entity's id.
class InputPort : public shards::EntityPort {
public:
    /// Any thread.
    [[nodiscard]] PendingInputs& inputs() { return inputs_; }
    /// Any thread: the game takes the entity out of the zone.
    virtual void dismiss() { inputs_.put_leave(); }
    /// Any thread: likewise, for another zone. False, and nothing happened, when nobody is there to
    /// go.
    [[nodiscard]] virtual bool send_away(Transfer) { return false; }
    /// For Directory: why its player is gone.
    [[nodiscard]] virtual PlayerLeftReason left_reason() const { return PlayerLeftReason::none; }

protected:
    /// For on_removed(): from here on nobody finds it.
    void leave_directory();
    /// What the entity's client sends to services, in this tick and at this place. False: the
    /// server stops, and they are not sent it.
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

/// The port of an entity that a service owns and does not look through: it takes inputs and no
/// frames, and costs no buffer. It belongs to no connection: whoever has the service's entities
/// gives the orders.
class ServicePort final : public InputPort {
public:
    void take_inputs(shards::Inputs& into) override { inputs_.take(into); }
    [[nodiscard]] bool can_take_frame() const override { return false; }
    bool put_frame(const engine::Frame&, const engine::EntityStore&,
                   const shards::FrameFlags&) override {
        return false;
    }
    [[nodiscard]] std::uint32_t io_thread() const override { return 0; }
    void on_removed() override { leave_directory(); }
};

}  // namespace marchland::net
