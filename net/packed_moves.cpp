#include "net/packed_moves.h"

#include "engine/assert.h"

#include <limits>

namespace marchland::net {

namespace {

constexpr std::uint64_t kIsAbsolute = 1;
constexpr std::uint64_t kZFollows = 2;
constexpr std::uint64_t kHasVelocity = 4;

constexpr std::int64_t kCoordinateMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kCoordinateMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kDifferenceMax = kCoordinateMax - kCoordinateMin;

constexpr bool is_coordinate(std::int64_t value) {
    return value >= kCoordinateMin && value <= kCoordinateMax;
}

constexpr bool is_difference(std::int64_t value) {
    return value >= -kDifferenceMax && value <= kDifferenceMax;
}

/// Nothing when the entity does not come after `previous`.
std::optional<engine::EntityId> next_id(std::optional<engine::EntityId> previous,
                                        std::uint64_t difference) {
    if (!previous) {
        return static_cast<engine::EntityId>(difference);
    }
    // Both are below 2^61: the sum fits.
    const std::uint64_t id = to_number(*previous) + difference;
    if (difference == 0 || id >= kEntityIdEnd) {
        return std::nullopt;
    }
    return static_cast<engine::EntityId>(id);
}

bool is_step(std::int64_t way) {
    return way >= -engine::Step::kMaxMm && way <= engine::Step::kMaxMm;
}

/// Nothing when it is none, or is given where there is none.
std::optional<engine::Step> unpack_velocity(engine::VarintReader& reader, bool z_follows) {
    const std::optional<std::int64_t> x = reader.read_zigzag();
    const std::optional<std::int64_t> y = x ? reader.read_zigzag() : std::nullopt;
    const std::optional<std::int64_t> z = z_follows && y ? reader.read_zigzag() : std::optional(0L);
    if (!x || !y || !z || !is_step(*x) || !is_step(*y) || !is_step(*z) ||
        (*x == 0 && *y == 0 && *z == 0)) {
        return std::nullopt;
    }
    return engine::Step{static_cast<std::int16_t>(*x), static_cast<std::int16_t>(*y),
                        static_cast<std::int16_t>(*z)};
}

std::optional<Moved> unpack_move(engine::VarintReader& reader,
                                 std::optional<engine::EntityId> previous) {
    const std::optional<std::uint64_t> head = reader.read();
    if (!head) {
        return std::nullopt;
    }
    const bool is_absolute = (*head & kIsAbsolute) != 0;
    const bool z_follows = (*head & kZFollows) != 0;
    const std::optional<engine::EntityId> id = next_id(previous, *head >> kMovedFlagBits);
    const std::optional<std::int64_t> x = reader.read_zigzag();
    const std::optional<std::int64_t> y = x ? reader.read_zigzag() : std::nullopt;
    const std::optional<std::int64_t> z = z_follows && y ? reader.read_zigzag() : std::optional(0L);
    if (!id || !x || !y || !z || (is_absolute && !z_follows)) {
        return std::nullopt;
    }
    const auto is_valid = is_absolute ? is_coordinate : is_difference;
    if (!is_valid(*x) || !is_valid(*y) || !is_valid(*z)) {
        return std::nullopt;
    }
    const std::optional<engine::Step> velocity =
        (*head & kHasVelocity) == 0 ? engine::Step{} : unpack_velocity(reader, z_follows);
    if (!velocity) {
        return std::nullopt;
    }
    return Moved{*id, !is_absolute, *x, *y, *z, *velocity};
}

}  // namespace

std::byte* pack_move(const Moved& move, std::uint64_t step, std::byte* out) {
    MARCHLAND_ASSERT(step < kEntityIdEnd);
    const bool has_velocity = move.velocity != engine::Step{};
    const bool z_follows = !move.is_relative || move.z != 0 || move.velocity.z != 0;
    const std::uint64_t flags = (has_velocity ? kHasVelocity : 0U) | (z_follows ? kZFollows : 0U) |
                                (move.is_relative ? 0U : kIsAbsolute);
    out = engine::write_varint((step << kMovedFlagBits) | flags, out);
    out = engine::write_varint(engine::zigzag(move.x), out);
    out = engine::write_varint(engine::zigzag(move.y), out);
    out = z_follows ? engine::write_varint(engine::zigzag(move.z), out) : out;
    if (!has_velocity) {
        return out;
    }
    out = engine::write_varint(engine::zigzag(move.velocity.x), out);
    out = engine::write_varint(engine::zigzag(move.velocity.y), out);
    return z_follows ? engine::write_varint(engine::zigzag(move.velocity.z), out) : out;
}

bool unpack_moves(std::span<const std::byte> packed, std::vector<Moved>& into) {
    into.clear();
    engine::VarintReader reader(packed);
    std::optional<engine::EntityId> previous;
    while (!reader.is_at_end()) {
        const std::optional<Moved> move = unpack_move(reader, previous);
        if (!move) {
            return false;
        }
        previous = move->entity;
        into.push_back(*move);
    }
    return true;
}

std::optional<engine::Step> velocity_after(const Moved& move, std::int32_t quantum_mm) {
    return engine::step_between({}, {move.velocity.x * quantum_mm, move.velocity.y * quantum_mm,
                                     move.velocity.z * quantum_mm});
}

std::optional<engine::Position> position_after(const Moved& move, engine::Position before,
                                               std::int32_t quantum_mm) {
    const engine::Position base = move.is_relative ? before : engine::Position{};
    // Of at most 34 bits and 31: the products fit.
    const std::int64_t x = base.x + move.x * quantum_mm;
    const std::int64_t y = base.y + move.y * quantum_mm;
    const std::int64_t z = base.z + move.z * quantum_mm;
    if (!is_coordinate(x) || !is_coordinate(y) || !is_coordinate(z)) {
        return std::nullopt;
    }
    return engine::Position{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                            static_cast<std::int32_t>(z)};
}

}  // namespace marchland::net
