#pragma once

#include "net/input_port.h"

namespace marchland::net {

/// The port of an entity that a service owns and does not look through: it takes inputs and no frames,
/// and costs no buffer. It belongs to no connection: whoever has the service's entities gives the orders.
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
