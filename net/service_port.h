#pragma once

#include "net/cell_port.h"

namespace marchland::net {

/// The port of an entity that a service owns and does not look through: it takes orders and no frames,
/// and costs no buffer. It belongs to no connection: whoever has the service's estate gives the orders.
class ServicePort final : public CellPort {
public:
    ServicePort() : CellPort(0) {}

    void take_intents(shards::Intents& into) override { intents_.take(into); }
    [[nodiscard]] bool can_take_frame() const override { return false; }
    bool put_frame(const engine::Frame&, const engine::EntityStore&,
                   const shards::FrameNotes&) override {
        return false;
    }
    [[nodiscard]] std::uint32_t lane() const override { return 0; }
    void on_removed() override { leave_directory(); }
};

}  // namespace marchland::net
