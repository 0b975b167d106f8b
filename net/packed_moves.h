#pragma once

#include "engine/frame/varint.h"
#include "engine/geometry.h"
#include "net/messages.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace marchland::net {

/// The moves of one frame, packed: most of what a server sends. Five to six bytes for one who walks.
///
///   for each entity, in ascending id:
///     varint         (id - previous id) << 3 | has_velocity << 2 | z_follows << 1 | is_absolute
///     zigzag varint  x, y, and z if z_follows; if has_velocity its x, y, and z if z_follows
///
/// The previous id of the first is 0. Absolute: x, y, z are the position, and z always follows.
/// Relative: they are the difference to where the reader has it by now; without z, its z is as it was, and so it stays.
/// All of it counts in quanta of the zone. Ids are below 2^62. docs/wire_format.md has an example, byte by byte.

inline constexpr std::uint64_t kEntityIdEnd = std::uint64_t{1} << 61U;

inline constexpr unsigned kMovedFlagBits = 3;  ///< of a head
/// The head of one entity, three zigzag varints of 33 bits and three of 16.
inline constexpr std::size_t kMovedBytesMax = engine::kVarintBytesMax + std::size_t{3} * (5 + 3);

/// Writes one entity, up to kMovedBytesMax bytes, and returns the end of them. `previous` is the
/// entity before it in the block; EntityId{0} for the first.
std::byte* pack_move(const Moved& move, engine::EntityId previous, std::byte* out);

/// Reads a whole block into `into`, which it empties first. False when it is not one: cut off, an
/// overlong number, ids that do not ascend, or a value that no position can have.
[[nodiscard]] bool unpack_moves(std::span<const std::byte> packed, std::vector<Moved>& into);

/// Where the entity is now; nothing when the sum is no position. `before`: where the reader had it by now.
/// `quantum_mm`: of the Welcome.
std::optional<engine::Position> position_after(const Moved& move, engine::Position before,
                                               std::int32_t quantum_mm = 1);
/// In millimetres; nothing when it is none.
std::optional<engine::Step> velocity_after(const Moved& move, std::int32_t quantum_mm = 1);

}  // namespace marchland::net
