#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/view.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::engine {

struct Entity;

/// Opaque bytes of the game's. Shared and immutable.
using Blob = std::shared_ptr<const std::vector<std::byte>>;
/// Of one value that is bytes.
inline constexpr std::size_t kBlobBytesMax = 1024;

/// None where it is null.
inline std::span<const std::byte> bytes_of(const Blob& blob) {
    return blob == nullptr ? std::span<const std::byte>{} : std::span(*blob);
}

/// An entity's state is the values of its slots, which the zone declares.
inline constexpr std::int64_t kStateIntegerMax =
    (std::int64_t{1} << 52U) - 1;  ///< of either sign: in the packed form a double holds it
inline constexpr std::size_t kStateSlotsMax = 16;
inline constexpr std::size_t kStateNameBytesMax = 32;
/// Of all slots of an entity together: packed_bytes_max.
inline constexpr std::size_t kStateBytesMax = 4096;
/// A bit for each slot, by number.
using StateMask = std::uint16_t;

/// As on the wire, in recordings and in the database.
enum class StateType : std::uint8_t { integer = 0, real = 1, bytes = 2 };
/// `facing`: the zone alone. The slot is where the entity faces, an angle as an integer: exactly
/// when it joins, later as far as StateSlot::facing_step_deg lets it.
enum class StateWriter : std::uint8_t { service = 0, player = 1, facing = 2 };
/// Who is sent a slot of an entity, beside the entity's own client, which is sent all of them.
enum class StateAudience : std::uint8_t {
    all = 0,    ///< whoever sees the entity
    own = 1,    ///< nobody
    near = 2,   ///< of those who see it, who is within a radius
    layer = 3,  ///< of those who see it, who sees one of some layers
};

/// One of a zone's slots, as declared.
struct StateSlot {
    std::string name;
    StateType type = StateType::integer;
    StateWriter writer = StateWriter::service;
    StateAudience audience = StateAudience::all;
    std::int32_t radius_mm = 0;        ///< of the audience `near`, inclusive
    LayerMask layers = kDefaultLayer;  ///< of the audience `layer`
    std::uint32_t bytes_max = 64;      ///< of bytes: up to kBlobBytesMax
    /// Of the writer `facing`: an entity that faces elsewhere by more than this has the slot
    /// written anew. At most 180.
    std::uint16_t facing_step_deg = 5;

    friend bool operator==(const StateSlot&, const StateSlot&) = default;
};

/// By number.
using StateSlots = std::vector<StateSlot>;

/// The first value of every slot is 0, or no bytes: a null Blob.
using StateValue = std::variant<std::int64_t, float, Blob>;

inline StateType type_of(const StateValue& value) {
    return static_cast<StateType>(value.index());
}

struct StateWrite {
    std::uint8_t number = 0;
    StateValue value;

    /// By their bits.
    friend bool operator==(const StateWrite& a, const StateWrite& b);
};

/// The values of one life of an entity, each with the tick in which it changed last. Immutable: a
/// shard, its neighbours' ghosts and frames point at one.
///
/// Invariants
///  1. `kept` has an element for each bit of `set`, in ascending number; all others have their
///     first value, and always had.
///  2. `newest_tick` is the newest in `kept`.
struct EntityState {
    struct Kept {
        StateValue value;
        Tick changed_tick = kNever;
    };

    StateMask set = 0;
    Tick newest_tick = kNever;
    std::vector<Kept> kept;

    [[nodiscard]] const Kept& at(std::uint8_t number) const;
    [[nodiscard]] StateMask changed_after(Tick tick) const;
    /// Those that have another than their first value.
    [[nodiscard]] StateMask not_first() const;
};

/// Shares a state; the last one deletes it. Null: all slots have their first value, and always had.
///
/// Every entity's record holds one, which is a pointer smaller than a std::shared_ptr: with two the
/// record would be a cache line longer.
///
/// Threads  As std::shared_ptr: several may share one state, each with a StatePtr of its own.
class StatePtr {
public:
    StatePtr() = default;
    StatePtr(std::nullptr_t) {}
    explicit StatePtr(EntityState state);
    StatePtr(const StatePtr& other);
    StatePtr(StatePtr&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    StatePtr& operator=(StatePtr other) noexcept {
        std::swap(shared_, other.shared_);
        return *this;
    }
    ~StatePtr() {
        if (shared_ != nullptr) {
            release();
        }
    }

    [[nodiscard]] const EntityState& operator*() const;
    [[nodiscard]] const EntityState* operator->() const { return &**this; }
    friend bool operator==(const StatePtr&, const StatePtr&) = default;  ///< the same one

private:
    struct Shared;
    void release();

    Shared* shared_ = nullptr;
};

/// The value of a slot; nothing: its first.
const StateValue* value_of(const StatePtr& state, std::uint8_t number);
/// The state with what is written in tick `now`; the same where nothing changes by it.
StatePtr with(const StatePtr& state, std::span<const StateWrite> writes, Tick now);
/// As if all of it had been written in that tick.
StatePtr as_of(const StatePtr& state, Tick tick);
/// All that have another than their first value.
std::vector<StateWrite> writes_of(const StatePtr& state);
/// Those in `mask` that were ever set.
std::vector<StateWrite> writes_of(const StatePtr& state, StateMask mask);
/// As if `later` came after `into`: of each slot the newest.
void merge(std::vector<StateWrite>& into, std::vector<StateWrite> later);

// The packed form: for each slot, in ascending number, a byte of number * 4 + type, then the value:
// an integer as a zigzag varint, a float as its four bytes, the lowest first, bytes as a varint
// length and themselves.

/// How many slots, as a varint, then the slots.
void append_packed(const EntityState& state, StateMask mask, std::vector<std::byte>& out);
void append_packed(std::span<const StateWrite> writes, std::vector<std::byte>& out);
/// Takes one off the front. Nothing: these are no slots, or they are not in ascending number.
std::optional<std::vector<StateWrite>> unpack_state(std::span<const std::byte>& bytes);
/// About how many bytes these take: what the byte budget counts.
std::size_t packed_bytes(const EntityState& state, StateMask mask);
std::size_t packed_bytes(std::span<const StateWrite> writes);
/// The most that a state of these slots can take, by that count.
std::size_t packed_bytes_max(const StateSlots& slots);

/// What is wrong with declarations, as a clause for an error text after "the slots"; nullptr:
/// nothing is.
const char* flaw_of(const StateSlots& slots);
/// What is wrong with a write, as a clause for an error text; nullptr: nothing is.
const char* flaw_of(const StateWrite& write, const StateSlots& slots);

/// The slot whose writer is `facing`, if there is one.
std::optional<std::uint8_t> facing_slot_of(const StateSlots& slots);
/// Is a slot that holds `said` (nothing: its first value) wrong by more than so much about an
/// entity that faces there?
bool is_facing_off(const StateValue* said, Angle facing, std::uint16_t step_deg);

/// Who may be sent which slots: the zone's declarations, made ready.
class StateAudiences {
public:
    StateAudiences() = default;
    explicit StateAudiences(const StateSlots& slots);

    [[nodiscard]] bool are_none() const { return count_ == 0; }
    [[nodiscard]] std::size_t count() const { return count_; }
    /// Nobody is sent slots of its own entity from here on.
    void leave_out_own() { are_own_sent_ = false; }
    [[nodiscard]] bool are_own_sent() const { return are_own_sent_; }
    /// Of an entity that the watcher sees, or that it is.
    [[nodiscard]] StateMask sent_to(const Entity& watcher, const Entity& entity,
                                    Dimensions dimensions) const;

private:
    struct Part {
        StateMask mask = 0;
        StateAudience audience{};
        std::int32_t radius_mm = 0;
        LayerMask layers = 0;
    };
    std::size_t count_ = 0;
    bool are_own_sent_ = true;
    StateMask to_all_ = 0;
    std::vector<Part> parts_;  ///< the slots that are for some
};

}  // namespace marchland::engine
