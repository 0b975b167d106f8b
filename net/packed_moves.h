#pragma once

#include "engine/frame/varint.h"
#include "engine/geometry.h"
#include "net/messages.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace marchland::net {

/// The moves of one frame, packed: most of what a server sends. Five to six bytes for one who
/// walks.
///
///   for each entity, in ascending id:
///     varint         (name - previous name) << 3
///                    | has_velocity << 2 | z_follows << 1 | is_absolute
///     zigzag varint  x, y, and z if z_follows; if has_velocity its x, y, and z if z_follows
///
/// The name of an entity is its id; in a block that begins with kRanksFollow it is its rank: how
/// many of those that the reader knows by then have a lower id. The previous name of the first is
/// 0. Absolute: x, y, z are the position, and z always follows. Relative: they are the difference
/// to where the reader has it by now; without z, its z is as it was, and so it stays.
/// All of it counts in quanta of the zone. Ids are below 2^61. docs/wire_format.md has an example,
/// byte by byte.

inline constexpr std::uint64_t kEntityIdEnd = std::uint64_t{1} << 61U;

inline constexpr unsigned kMovedFlagBits = 3;  ///< of a head
/// The head of one entity, three zigzag varints of 33 bits and three of 16.
inline constexpr std::size_t kMovedBytesMax = engine::kVarintBytesMax + std::size_t{3} * (5 + 3);

/// No head of an entity is this: an absolute position has its z.
inline constexpr std::byte kRanksFollow{1};

/// Writes one entity, up to kMovedBytesMax bytes, and returns the end of them. `step`: by how much
/// its name is greater than that of the entity before it in the block.
std::byte* pack_move(const Moved& move, std::uint64_t step, std::byte* out);

/// Reads a whole block of ids into `into`, which it empties first. False when it is not one: cut
/// off, an overlong number, ids that do not ascend, or a value that no position can have.
[[nodiscard]] bool unpack_moves(std::span<const std::byte> packed, std::vector<Moved>& into);

/// Puts ids where a frame has ranks. `known`: all whom the reader knows after the frame's leaves
/// and enters, in ascending id, which `id_of` says of each. False: one has a rank that nobody has;
/// the frame is of no use then.
template <typename Known, typename IdOf = std::identity>
[[nodiscard]] bool name_by_id(FrameMessage& frame, const Known& known, IdOf id_of = {}) {
    if (!frame.moves_by_rank) {
        return true;
    }
    auto one = known.begin();
    std::uint64_t rank = 0;
    for (Moved& move : frame.moves) {
        for (; rank < to_number(move.entity) && one != known.end(); ++rank) {
            ++one;
        }
        if (one == known.end()) {
            return false;
        }
        move.entity = id_of(*one);
    }
    frame.moves_by_rank = false;
    return true;
}

/// Where the entity is now; nothing when the sum is no position. `before`: where the reader had it
/// by now. `quantum_mm`: of the Welcome.
std::optional<engine::Position> position_after(const Moved& move, engine::Position before,
                                               std::int32_t quantum_mm = 1);
/// In millimetres; nothing when it is none.
std::optional<engine::Step> velocity_after(const Moved& move, std::int32_t quantum_mm = 1);

}  // namespace marchland::net
