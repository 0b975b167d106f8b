#include "net/wire_values.h"

namespace marchland::net {

static_assert(static_cast<int>(wire::Shape::none) == static_cast<int>(engine::Shape::none));
static_assert(static_cast<int>(wire::Shape::circle) == static_cast<int>(engine::Shape::circle));

wire::Position to_wire(engine::Position position) {
    return {position.x, position.y, position.z};
}

flatbuffers::Offset<wire::View> to_wire(flatbuffers::FlatBufferBuilder& into,
                                        const engine::View& view) {
    return wire::CreateView(into, static_cast<wire::Shape>(view.shape), view.radius_mm,
                            view.leave_radius_mm);
}

flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> to_wire(flatbuffers::FlatBufferBuilder& into,
                                                               std::span<const std::byte> bytes) {
    if (bytes.empty()) {
        return 0;
    }
    return into.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

engine::Position from_wire(const wire::Position& position) {
    return {position.x(), position.y(), position.z()};
}

std::optional<engine::View> from_wire(const wire::View& view) {
    const bool is_known = view.shape() == wire::Shape::none || view.shape() == wire::Shape::circle;
    const bool is_ordered = 0 <= view.radius_mm() && view.radius_mm() <= view.leave_radius_mm();
    if (!is_known || !is_ordered) {
        return std::nullopt;
    }
    return engine::View{static_cast<engine::Shape>(view.shape()), view.radius_mm(),
                        view.leave_radius_mm()};
}

std::span<const std::byte> from_wire(const flatbuffers::Vector<std::uint8_t>* bytes) {
    if (bytes == nullptr) {
        return {};
    }
    return std::as_bytes(std::span(bytes->data(), bytes->size()));
}

std::span<const std::byte> finish_message(flatbuffers::FlatBufferBuilder& builder, wire::Body type,
                                          flatbuffers::Offset<void> body) {
    wire::FinishSizePrefixedMessageBuffer(builder, wire::CreateMessage(builder, type, body));
    return std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

}  // namespace marchland::net
