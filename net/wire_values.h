#pragma once

#include "engine/entity.h"
#include "engine/frame/crowd_limits.h"
#include "net/service_messages.h"
#include "marchland_generated.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The values that several messages share, between the wire's shapes and ours.
namespace marchland::net {

wire::Position to_wire(engine::Position position);
wire::Velocity to_wire(engine::Step velocity);
wire::Layers to_wire(const Layers& layers);
wire::Notify to_wire(const engine::NotifyRange& range);
wire::Circle to_wire(const Circle& circle);
flatbuffers::Offset<wire::View> to_wire(flatbuffers::FlatBufferBuilder& into,
                                        const engine::View& view);
/// No limit, no table: absent costs nothing.
flatbuffers::Offset<wire::Crowd> to_wire(flatbuffers::FlatBufferBuilder& into,
                                         const engine::CrowdLimits& limits);
/// No bytes, no vector: absent costs nothing.
flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> to_wire(flatbuffers::FlatBufferBuilder& into,
                                                               std::span<const std::byte> bytes);
/// No slots, no vector: absent costs nothing.
flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> to_wire(
    flatbuffers::FlatBufferBuilder& into, std::span<const engine::StateWrite> state);
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<wire::StateSlot>>> to_wire(
    flatbuffers::FlatBufferBuilder& into, const engine::StateSlots& slots);
/// No text, no string.
flatbuffers::Offset<flatbuffers::String> to_wire(flatbuffers::FlatBufferBuilder& into,
                                                 const std::string& text);
/// No ids, no vector.
flatbuffers::Offset<flatbuffers::Vector<std::uint64_t>> to_wire(
    flatbuffers::FlatBufferBuilder& into, std::span<const engine::EntityId> ids);

engine::Position from_wire(const wire::Position& position);
Layers from_wire(const wire::Layers& layers);
engine::NotifyRange from_wire(const wire::Notify& range);
Circle from_wire(const wire::Circle& circle);
/// Of a struct that may be absent: none.
engine::Step from_wire(const wire::Velocity* velocity);
/// As it was written: whether it is sound is for engine::flaw_of.
engine::View from_wire(const wire::View& view);
/// Of a table that may be absent. Nothing when the limits are not sound.
std::optional<engine::CrowdLimits> from_wire(const wire::Crowd* limits);
/// Of a vector that may be absent.
std::span<const std::byte> from_wire(const flatbuffers::Vector<std::uint8_t>* bytes);
/// Of a vector that may be absent.
std::vector<std::byte> bytes_from_wire(const flatbuffers::Vector<std::uint8_t>* bytes);
/// Of a vector that may be absent. Nothing when it is not the packed form, and nothing else.
std::optional<std::vector<engine::StateWrite>> state_from_wire(
    const flatbuffers::Vector<std::uint8_t>* packed);
/// Nothing when the declarations are not sound.
std::optional<engine::StateSlots> slots_from_wire(
    const flatbuffers::Vector<flatbuffers::Offset<wire::StateSlot>>* slots);
std::vector<engine::EntityId> ids_from_wire(const flatbuffers::Vector<std::uint64_t>* ids);
/// Of a text that may be absent.
std::string text_from_wire(const flatbuffers::String* text);

template <typename Value>
auto optional_from_wire(const Value* value) {
    return value == nullptr ? std::nullopt : std::optional(from_wire(*value));
}

/// One of a verified vector of numbers or structs, copied out. FlatBuffers' verifier lets such a
/// vector begin anywhere; a number that is not aligned must not be read in place.
template <typename Element, typename Stored>
Element element_of(const flatbuffers::Vector<Stored>& list, flatbuffers::uoffset_t i) {
    Element element{};
    std::memcpy(&element, list.Data() + std::size_t{i} * sizeof element, sizeof element);
    return element;
}

constexpr std::size_t to_number(wire::Body type) {
    return static_cast<std::size_t>(type);
}

/// To this version.
constexpr bool is_known(wire::Body type) {
    return type != wire::Body::NONE && type <= wire::Body::MAX;
}

/// Calls `use(table)` with the table of the message, if that is one of these; false if it is not.
template <typename... Tables, typename Use>
bool visit_body(const wire::Message& message, Use&& use) {
    const auto visit = [&](const auto* table) {
        if (table != nullptr) {
            use(*table);
        }
        return table != nullptr;
    };
    return (visit(message.body_as<Tables>()) || ...);
}

/// The length prefix of every message: bytes after it, little-endian.
inline constexpr std::size_t kLengthPrefixBytes = 4;
/// `prefix`: wherever it lies.
inline std::size_t read_length(const std::byte* prefix) {
    flatbuffers::uoffset_t length = 0;
    std::memcpy(&length, prefix, kLengthPrefixBytes);
    return flatbuffers::EndianScalar(length);
}

/// Finds the message in foreign bytes: one whole one, its length prefix included, that begins at a
/// multiple of 8. nullptr when its structure is not sound. Values are the caller's to check.
///
/// Writers align 8-byte numbers in one of two ways: from the length prefix on (FinishSizePrefixed),
/// or from behind it (Finish, and a prefix written by hand). Both are read; the second is copied to
/// `realigned`, which must then live as long as the result is used.
const wire::Message* verify_message(std::span<const std::byte> message,
                                    std::vector<std::uint64_t>& realigned);

/// Ends a message: root, and the length prefix that is the framing. The bytes are the builder's
/// own, valid until it is used again.
std::span<const std::byte> finish_message(flatbuffers::FlatBufferBuilder& builder, wire::Body type,
                                          flatbuffers::Offset<void> body, bool is_optional = false);

template <typename Table>
std::span<const std::byte> finish_message(flatbuffers::FlatBufferBuilder& builder,
                                          flatbuffers::Offset<Table> body,
                                          bool is_optional = false) {
    return finish_message(builder, wire::BodyTraits<Table>::enum_value, body.Union(), is_optional);
}

}  // namespace marchland::net
