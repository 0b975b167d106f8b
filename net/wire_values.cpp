#include "net/wire_values.h"

#include "engine/assert.h"

#include <cstring>
#include <string>
#include <vector>

namespace marchland::net {

static_assert(static_cast<int>(wire::Shape::none) == static_cast<int>(engine::Shape::none));
static_assert(static_cast<int>(wire::Shape::circle) == static_cast<int>(engine::Shape::circle));
static_assert(static_cast<int>(wire::Shape::rectangle) ==
              static_cast<int>(engine::Shape::rectangle));
static_assert(static_cast<int>(wire::Shape::sector) == static_cast<int>(engine::Shape::sector));
static_assert(static_cast<int>(wire::Shape::cylinder) == static_cast<int>(engine::Shape::cylinder));

namespace {

// Our messages nest three tables deep. A frame has one table for each entity that entered.
constexpr flatbuffers::uoffset_t kDepthMax = 8;
constexpr flatbuffers::uoffset_t kTablesMax = 4'000'000;

}  // namespace

wire::Velocity to_wire(engine::Step velocity) {
    return {velocity.x, velocity.y, velocity.z};
}

wire::Position to_wire(engine::Position position) {
    return {position.x, position.y, position.z};
}

wire::Layers to_wire(const Layers& layers) {
    return {layers.layers, layers.layers_seen};
}

wire::Notify to_wire(const engine::NotifyRange& range) {
    return {range.radius_mm, range.leave_radius_mm};
}

wire::Circle to_wire(const Circle& circle) {
    return {to_wire(circle.centre), circle.radius_mm};
}

flatbuffers::Offset<wire::View> to_wire(flatbuffers::FlatBufferBuilder& into,
                                        const engine::View& view) {
    return wire::CreateView(into, static_cast<wire::Shape>(view.shape), view.radius_mm,
                            view.leave_radius_mm, view.half_y_mm, view.leave_half_y_mm,
                            view.half_z_mm, view.leave_half_z_mm, view.half_opening,
                            view.leave_half_opening);
}

flatbuffers::Offset<wire::Crowd> to_wire(flatbuffers::FlatBufferBuilder& into,
                                         const engine::CrowdLimits& limits) {
    if (!limits.is_any_set()) {
        return 0;
    }
    std::vector<wire::Ring> rings;
    for (const engine::UpdateRing& ring : limits.rings) {
        if (ring.every_ticks != 0) {
            rings.emplace_back(ring.beyond_mm, ring.every_ticks);
        }
    }
    const auto written = rings.empty() ? 0 : into.CreateVectorOfStructs(rings);
    return wire::CreateCrowd(into, limits.visible_max, limits.sticky_percent, written,
                             limits.frame_bytes_max, limits.stale_ticks_max);
}

flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> to_wire(flatbuffers::FlatBufferBuilder& into,
                                                               std::span<const std::byte> bytes) {
    return bytes.empty() ? 0
                         : into.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                             bytes.size());
}

flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> to_wire(
    flatbuffers::FlatBufferBuilder& into, std::span<const engine::StateWrite> state) {
    std::vector<std::byte> packed;
    if (!state.empty()) {
        engine::append_packed(state, packed);
    }
    return to_wire(into, packed);
}

flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<wire::StateSlot>>> to_wire(
    flatbuffers::FlatBufferBuilder& into, const engine::StateSlots& slots) {
    if (slots.empty()) {
        return 0;
    }
    std::vector<flatbuffers::Offset<wire::StateSlot>> written;
    for (const engine::StateSlot& slot : slots) {
        const auto name = into.CreateString(slot.name);
        written.push_back(wire::CreateStateSlot(into, name, static_cast<wire::SlotType>(slot.type),
                                                static_cast<wire::SlotWriter>(slot.writer),
                                                static_cast<wire::SlotAudience>(slot.audience),
                                                slot.radius_mm, slot.layers, slot.bytes_max));
    }
    return into.CreateVector(written);
}

flatbuffers::Offset<flatbuffers::String> to_wire(flatbuffers::FlatBufferBuilder& into,
                                                 const std::string& text) {
    return text.empty() ? 0 : into.CreateString(text);
}

flatbuffers::Offset<flatbuffers::Vector<std::uint64_t>> to_wire(
    flatbuffers::FlatBufferBuilder& into, std::span<const engine::EntityId> ids) {
    if (ids.empty()) {
        return 0;
    }
    return into.CreateVector<std::uint64_t>(ids.size(),
                                            [ids](std::size_t i) { return to_number(ids[i]); });
}

engine::Step from_wire(const wire::Velocity* velocity) {
    return velocity == nullptr ? engine::Step{}
                               : engine::Step{velocity->x(), velocity->y(), velocity->z()};
}

engine::Position from_wire(const wire::Position& position) {
    return {position.x(), position.y(), position.z()};
}

Layers from_wire(const wire::Layers& layers) {
    return {layers.layers(), layers.layers_seen()};
}

engine::NotifyRange from_wire(const wire::Notify& range) {
    return {range.radius_mm(), range.leave_radius_mm()};
}

Circle from_wire(const wire::Circle& circle) {
    return {from_wire(circle.centre()), circle.radius_mm()};
}

std::optional<engine::CrowdLimits> from_wire(const wire::Crowd* limits) {
    engine::CrowdLimits read;
    if (limits == nullptr) {
        return read;
    }
    read.visible_max = limits->visible_max();
    read.sticky_percent = limits->sticky_percent();
    read.frame_bytes_max = limits->frame_bytes_max();
    read.stale_ticks_max = limits->stale_ticks_max();
    const auto* const rings = limits->rings();
    if (rings != nullptr && rings->size() > read.rings.size()) {
        return std::nullopt;
    }
    for (flatbuffers::uoffset_t i = 0; rings != nullptr && i < rings->size(); ++i) {
        read.rings.at(i) = {rings->Get(i)->beyond_mm(), rings->Get(i)->every_ticks()};
    }
    return engine::flaw_of(read) == nullptr ? std::optional(read) : std::nullopt;
}

engine::View from_wire(const wire::View& view) {
    engine::View read;
    read.shape = static_cast<engine::Shape>(view.shape());
    read.radius_mm = view.radius_mm();
    read.leave_radius_mm = view.leave_radius_mm();
    read.half_y_mm = view.half_y_mm();
    read.leave_half_y_mm = view.leave_half_y_mm();
    read.half_z_mm = view.half_z_mm();
    read.leave_half_z_mm = view.leave_half_z_mm();
    read.half_opening = view.half_opening();
    read.leave_half_opening = view.leave_half_opening();
    return read;
}

std::span<const std::byte> from_wire(const flatbuffers::Vector<std::uint8_t>* bytes) {
    if (bytes == nullptr) {
        return {};
    }
    return std::as_bytes(std::span(bytes->data(), bytes->size()));
}

std::vector<std::byte> bytes_from_wire(const flatbuffers::Vector<std::uint8_t>* bytes) {
    const std::span<const std::byte> read = from_wire(bytes);
    return {read.begin(), read.end()};
}

std::optional<std::vector<engine::StateWrite>> state_from_wire(
    const flatbuffers::Vector<std::uint8_t>* packed) {
    auto bytes = from_wire(packed);
    if (bytes.empty()) {
        return std::vector<engine::StateWrite>{};
    }
    auto state = engine::unpack_state(bytes);
    return bytes.empty() ? std::move(state) : std::nullopt;
}

std::optional<engine::StateSlots> slots_from_wire(
    const flatbuffers::Vector<flatbuffers::Offset<wire::StateSlot>>* slots) {
    engine::StateSlots read;
    for (flatbuffers::uoffset_t i = 0; slots != nullptr && i < slots->size(); ++i) {
        const wire::StateSlot& slot = *slots->Get(i);
        if (slot.type() > wire::SlotType::MAX || slot.writer() > wire::SlotWriter::MAX ||
            slot.audience() > wire::SlotAudience::MAX) {
            return std::nullopt;
        }
        read.push_back({slot.name()->str(), static_cast<engine::StateType>(slot.type()),
                        static_cast<engine::StateWriter>(slot.writer()),
                        static_cast<engine::StateAudience>(slot.audience()), slot.radius_mm(),
                        slot.layers(), slot.bytes_max()});
    }
    return engine::flaw_of(read) == nullptr ? std::optional(std::move(read)) : std::nullopt;
}

std::vector<engine::EntityId> ids_from_wire(const flatbuffers::Vector<std::uint64_t>* ids) {
    std::vector<engine::EntityId> read;
    for (flatbuffers::uoffset_t i = 0; ids != nullptr && i < ids->size(); ++i) {
        read.push_back(static_cast<engine::EntityId>(
            flatbuffers::EndianScalar(element_of<std::uint64_t>(*ids, i))));
    }
    return read;
}

std::string text_from_wire(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : text->str();
}

const wire::Message* verify_message(std::span<const std::byte> message,
                                    std::vector<std::uint64_t>& realigned) {
    MARCHLAND_ASSERT(reinterpret_cast<std::uintptr_t>(message.data()) % 8 == 0);
    if (message.size() <= kLengthPrefixBytes || message.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
        return nullptr;
    }
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(message.data());
    flatbuffers::Verifier prefixed(bytes, message.size(), kDepthMax, kTablesMax);
    if (wire::VerifySizePrefixedMessageBuffer(prefixed)) {
        return wire::GetSizePrefixedMessage(bytes);
    }

    const std::size_t size = message.size() - kLengthPrefixBytes;
    if (flatbuffers::ReadScalar<flatbuffers::uoffset_t>(bytes) != size) {
        return nullptr;
    }
    realigned.resize((size + 7) / 8);
    std::memcpy(realigned.data(), bytes + kLengthPrefixBytes, size);
    const auto* const body = reinterpret_cast<const std::uint8_t*>(realigned.data());
    flatbuffers::Verifier plain(body, size, kDepthMax, kTablesMax);
    return wire::VerifyMessageBuffer(plain) ? wire::GetMessage(body) : nullptr;
}

std::span<const std::byte> finish_message(flatbuffers::FlatBufferBuilder& builder, wire::Body type,
                                          flatbuffers::Offset<void> body, bool is_optional) {
    const auto message = wire::CreateMessage(builder, type, body, is_optional);
    wire::FinishSizePrefixedMessageBuffer(builder, message);
    return std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

}  // namespace marchland::net
