#include "engine/state.h"

#include "engine/assert.h"
#include "engine/entity.h"
#include "engine/frame/varint.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>

namespace marchland::engine {
namespace {

constexpr StateMask bit_of(std::uint8_t number) {
    return static_cast<StateMask>(1U << number);
}

bool are_equal(const StateValue& a, const StateValue& b) {
    if (a.index() != b.index()) {
        return false;
    }
    if (const auto* const number = std::get_if<float>(&a)) {
        return std::bit_cast<std::uint32_t>(*number) ==
               std::bit_cast<std::uint32_t>(std::get<float>(b));
    }
    if (const auto* const bytes = std::get_if<Blob>(&a)) {
        return std::ranges::equal(bytes_of(*bytes), bytes_of(std::get<Blob>(b)));
    }
    return a == b;
}

StateValue first_of(StateType type) {
    switch (type) {
        case StateType::integer:
            return std::int64_t{0};
        case StateType::real:
            return 0.0F;
        case StateType::bytes:
            break;
    }
    return Blob{};
}

bool is_first(const StateValue& value) {
    return are_equal(value, first_of(type_of(value)));
}

/// The place in `kept` of the slot, if it is set, or where it would be.
std::size_t place_of(StateMask set, std::uint8_t number) {
    return static_cast<std::size_t>(
        std::popcount(static_cast<std::uint32_t>(set & (bit_of(number) - 1U))));
}

template <typename Visit>
void for_each_number(StateMask mask, Visit&& visit) {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        visit(static_cast<std::uint8_t>(std::countr_zero(left)));
    }
}

/// Unless it has that value.
void set(EntityState& state, const StateWrite& write, Tick now) {
    const auto place =
        state.kept.begin() + static_cast<std::ptrdiff_t>(place_of(state.set, write.number));
    if ((state.set & bit_of(write.number)) != 0) {
        if (are_equal(place->value, write.value)) {
            return;
        }
        *place = {write.value, now};
    } else if (is_first(write.value)) {
        return;
    } else {
        state.kept.insert(place, {write.value, now});
        state.set |= bit_of(write.number);
    }
    state.newest_tick = std::max(state.newest_tick, now);
}

/// Does it change anything?
bool is_new(const StatePtr& state, const StateWrite& write) {
    const StateValue* const before = value_of(state, write.number);
    return before == nullptr ? !is_first(write.value) : !are_equal(*before, write.value);
}

std::size_t packed_bytes(const StateValue& value) {
    if (const auto* const number = std::get_if<std::int64_t>(&value)) {
        const auto bits = static_cast<std::size_t>(std::bit_width(zigzag(*number)));
        return 1 + std::max<std::size_t>(1, (bits + 6) / 7);
    }
    const auto* const bytes = std::get_if<Blob>(&value);
    return bytes == nullptr ? 1 + sizeof(float) : 3 + bytes_of(*bytes).size();
}

void append_packed(std::uint8_t number, const StateValue& value, std::vector<std::byte>& out) {
    out.push_back(static_cast<std::byte>(number * 4U + static_cast<unsigned>(type_of(value))));
    if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
        append_varint(zigzag(*integer), out);
    } else if (const auto* const real = std::get_if<float>(&value)) {
        append_u32(std::bit_cast<std::uint32_t>(*real), out);
    } else {
        const auto bytes = bytes_of(std::get<Blob>(value));
        append_varint(bytes.size(), out);
        out.insert(out.end(), bytes.begin(), bytes.end());
    }
}

std::optional<StateValue> unpack_value(StateType type, VarintReader& reader) {
    if (type == StateType::integer) {
        const auto number = reader.read_zigzag();
        return number ? std::optional<StateValue>(*number) : std::nullopt;
    }
    if (type == StateType::real) {
        const auto bytes = reader.take(sizeof(std::uint32_t));
        return bytes ? std::optional<StateValue>(std::bit_cast<float>(read_u32(*bytes)))
                     : std::nullopt;
    }
    const auto size = reader.read();
    const auto bytes = size && *size <= kBlobBytesMax ? reader.take(static_cast<std::size_t>(*size))
                                                      : std::nullopt;
    if (!bytes) {
        return std::nullopt;
    }
    return bytes->empty()
               ? Blob{}
               : std::make_shared<const std::vector<std::byte>>(bytes->begin(), bytes->end());
}

}  // namespace

bool operator==(const StateWrite& a, const StateWrite& b) {
    return a.number == b.number && are_equal(a.value, b.value);
}

const EntityState::Kept& EntityState::at(std::uint8_t number) const {
    MARCHLAND_ASSERT((set & bit_of(number)) != 0);
    return kept[place_of(set, number)];
}

StateMask EntityState::changed_after(Tick tick) const {
    StateMask changed = 0;
    if (newest_tick > tick) {
        for_each_number(set, [&](std::uint8_t number) {
            if (at(number).changed_tick > tick) {
                changed |= bit_of(number);
            }
        });
    }
    return changed;
}

StateMask EntityState::not_first() const {
    StateMask others = 0;
    for_each_number(set, [&](std::uint8_t number) {
        if (!is_first(at(number).value)) {
            others |= bit_of(number);
        }
    });
    return others;
}

struct StatePtr::Shared {
    const EntityState state;
    std::atomic<std::uint32_t> owners = 1;
};

StatePtr::StatePtr(EntityState state) : shared_(new Shared{std::move(state)}) {}

StatePtr::StatePtr(const StatePtr& other) : shared_(other.shared_) {
    if (shared_ != nullptr) {
        shared_->owners.fetch_add(1, std::memory_order_relaxed);
    }
}

void StatePtr::release() {
    // What others did with the state comes before it is deleted.
    if (shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete shared_;
    }
}

const EntityState& StatePtr::operator*() const {
    MARCHLAND_ASSERT(shared_ != nullptr);
    return shared_->state;
}

const StateValue* value_of(const StatePtr& state, std::uint8_t number) {
    return state == nullptr || (state->set & bit_of(number)) == 0 ? nullptr
                                                                  : &state->at(number).value;
}

StatePtr with(const StatePtr& state, std::span<const StateWrite> writes, Tick now) {
    if (std::ranges::none_of(writes,
                             [&](const StateWrite& write) { return is_new(state, write); })) {
        return state;
    }
    EntityState changed = state == nullptr ? EntityState{} : *state;
    for (const StateWrite& write : writes) {
        set(changed, write, now);
    }
    return StatePtr(std::move(changed));
}

StatePtr as_of(const StatePtr& state, Tick tick) {
    return with(nullptr, writes_of(state), tick);
}

std::vector<StateWrite> writes_of(const StatePtr& state) {
    return writes_of(state, state == nullptr ? StateMask{0} : state->not_first());
}

std::vector<StateWrite> writes_of(const StatePtr& state, StateMask mask) {
    std::vector<StateWrite> writes;
    for_each_number(state == nullptr ? 0 : state->set & mask, [&](std::uint8_t number) {
        writes.push_back({number, state->at(number).value});
    });
    return writes;
}

void merge(std::vector<StateWrite>& into, std::vector<StateWrite> later) {
    for (StateWrite& write : later) {
        const auto place = std::ranges::lower_bound(into, write.number, {}, &StateWrite::number);
        if (place != into.end() && place->number == write.number) {
            place->value = std::move(write.value);
        } else {
            into.insert(place, std::move(write));
        }
    }
}

void append_packed(const EntityState& state, StateMask mask, std::vector<std::byte>& out) {
    append_varint(static_cast<std::uint64_t>(std::popcount(mask)), out);
    for_each_number(
        mask, [&](std::uint8_t number) { append_packed(number, state.at(number).value, out); });
}

void append_packed(std::span<const StateWrite> writes, std::vector<std::byte>& out) {
    append_varint(writes.size(), out);
    for (const StateWrite& write : writes) {
        append_packed(write.number, write.value, out);
    }
}

std::optional<std::vector<StateWrite>> unpack_state(std::span<const std::byte>& bytes) {
    VarintReader reader(bytes);
    const auto count = reader.read();
    if (!count || *count > kStateSlotsMax) {
        return std::nullopt;
    }
    std::vector<StateWrite> writes;
    for (std::uint64_t i = 0; i < *count; ++i) {
        const auto key = reader.take(1);
        const unsigned name = key ? std::to_integer<unsigned>(key->front()) : 0xFFU;
        const auto number = static_cast<std::uint8_t>(name / 4);
        if (number >= kStateSlotsMax || name % 4 > static_cast<unsigned>(StateType::bytes) ||
            (!writes.empty() && writes.back().number >= number)) {
            return std::nullopt;
        }
        auto value = unpack_value(static_cast<StateType>(name % 4), reader);
        if (!value) {
            return std::nullopt;
        }
        writes.push_back({number, std::move(*value)});
    }
    bytes = reader.rest();
    return writes;
}

std::size_t packed_bytes(const EntityState& state, StateMask mask) {
    std::size_t bytes = 0;
    for_each_number(mask & state.set,
                    [&](std::uint8_t number) { bytes += packed_bytes(state.at(number).value); });
    return bytes;
}

std::size_t packed_bytes(std::span<const StateWrite> writes) {
    std::size_t bytes = 0;
    for (const StateWrite& write : writes) {
        bytes += packed_bytes(write.value);
    }
    return bytes;
}

std::size_t packed_bytes_max(const StateSlots& slots) {
    std::size_t bytes = 0;
    for (const StateSlot& slot : slots) {
        bytes += slot.type == StateType::bytes  ? 3 + slot.bytes_max
                 : slot.type == StateType::real ? 1 + sizeof(float)
                                                : 1 + kVarintBytesMax;
    }
    return bytes;
}

const char* flaw_of(const StateSlots& slots) {
    if (slots.size() > kStateSlotsMax) {
        return "are more than 16";
    }
    for (auto slot = slots.begin(); slot != slots.end(); ++slot) {
        const auto is_sound = [](char letter) {
            return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                   letter == '_';
        };
        if (slot->name.empty() || slot->name.size() > kStateNameBytesMax ||
            !std::ranges::all_of(slot->name, is_sound)) {
            return "have a name that is not 1 to 32 of a-z, 0-9 and _";
        }
        if (std::any_of(slots.begin(), slot,
                        [&](const StateSlot& other) { return other.name == slot->name; })) {
            return "have a name twice";
        }
        if (slot->radius_mm < 0 || slot->bytes_max == 0 || slot->bytes_max > kBlobBytesMax) {
            return "have a radius below 0, or bytes_max that is not 1 to 1024";
        }
        if (slot->facing_step_deg > 180) {
            return "have a facing_step_deg of more than 180";
        }
        if (slot->writer == StateWriter::facing &&
            (slot->type != StateType::integer ||
             facing_slot_of(slots) != static_cast<std::uint8_t>(slot - slots.begin()))) {
            return "have two whose writer is the facing, or one that is no integer";
        }
    }
    return packed_bytes_max(slots) > kStateBytesMax ? "may have more than 4096 bytes together"
                                                    : nullptr;
}

const char* flaw_of(const StateWrite& write, const StateSlots& slots) {
    if (write.number >= slots.size()) {
        return "is none that the zone has";
    }
    const StateSlot& slot = slots[write.number];
    if (type_of(write.value) != slot.type) {
        return "has another type";
    }
    if (const auto* const number = std::get_if<std::int64_t>(&write.value)) {
        return *number < -kStateIntegerMax || *number > kStateIntegerMax
                   ? "is an integer of more than 53 bits"
                   : nullptr;
    }
    const auto* const bytes = std::get_if<Blob>(&write.value);
    return bytes != nullptr && bytes_of(*bytes).size() > slot.bytes_max
               ? "has more bytes than it may have"
               : nullptr;
}

std::optional<std::uint8_t> facing_slot_of(const StateSlots& slots) {
    const auto found = std::ranges::find(slots, StateWriter::facing, &StateSlot::writer);
    return found == slots.end() ? std::nullopt
                                : std::optional(static_cast<std::uint8_t>(found - slots.begin()));
}

bool is_facing_off(const StateValue* said, Angle facing, std::uint16_t step_deg) {
    constexpr std::int64_t kWholeTurn = 65'536;
    const auto shown = said == nullptr ? 0 : std::get<std::int64_t>(*said);
    const auto one_way = static_cast<Angle>(facing - shown);
    return std::min<std::int64_t>(one_way, kWholeTurn - one_way) * 360 > step_deg * kWholeTurn;
}

StateAudiences::StateAudiences(const StateSlots& slots) : count_(slots.size()) {
    MARCHLAND_ASSERT(slots.size() <= kStateSlotsMax);
    for (std::uint8_t number = 0; number < slots.size(); ++number) {
        const StateSlot& slot = slots[number];
        if (slot.audience == StateAudience::all) {
            to_all_ |= bit_of(number);
        } else if (slot.audience != StateAudience::own) {
            parts_.push_back({bit_of(number), slot.audience, slot.radius_mm, slot.layers});
        }
    }
}

StateMask StateAudiences::sent_to(const Entity& watcher, const Entity& entity,
                                  Dimensions dimensions) const {
    if (watcher.id == entity.id) {
        return 0xFFFF;
    }
    StateMask sent = to_all_;
    for (const Part& part : parts_) {
        const bool is_in =
            part.audience == StateAudience::layer
                ? (watcher.layers_seen & part.layers) != 0
                : is_within(watcher.position, entity.position, part.radius_mm, dimensions);
        sent |= is_in ? part.mask : 0;
    }
    return sent;
}

}  // namespace marchland::engine
