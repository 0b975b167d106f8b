#pragma once

#include "engine/entity.h"
#include "engine/ids.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <vector>

namespace marchland::engine {

/// What the test of a range and the order of a crowd read of an entity: half a cache line, beside
/// its record in EntityStore.
struct alignas(32) Target {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;
    LayerMask layers = kNoLayers;
    std::uint32_t moved_tick = 0;  ///< the low 32 bits of Entity::moved_tick
    NotifyRange notify;
    std::uint32_t importance = 1;
};

/// For columns: a register of any width is read from its start.
template <typename Value>
struct ColumnAllocator {
    using value_type = Value;
    static constexpr std::align_val_t kAlignment{64};

    ColumnAllocator() = default;
    template <typename Other>
    ColumnAllocator(const ColumnAllocator<Other>&) {}

    Value* allocate(std::size_t count) {
        return static_cast<Value*>(::operator new(count * sizeof(Value), kAlignment));
    }
    void deallocate(Value* values, std::size_t) { ::operator delete(values, kAlignment); }
    friend bool operator==(ColumnAllocator, ColumnAllocator) { return true; }
};
template <typename Value>
using Column = std::vector<Value, ColumnAllocator<Value>>;

/// Sets over candidates: bit i of word q stands for place 64 * q + i.
constexpr bool is_set(const std::uint64_t* bits, std::size_t place) {
    return (bits[place / 64] >> (place % 64) & 1U) != 0;
}
constexpr void set_bit(std::uint64_t* bits, std::size_t place) {
    bits[place / 64] |= std::uint64_t{1} << (place % 64);
}
constexpr void clear_bit(std::uint64_t* bits, std::size_t place) {
    bits[place / 64] &= ~(std::uint64_t{1} << (place % 64));
}
constexpr std::size_t words_for(std::size_t places) {
    return (places + 63) / 64;
}
/// Calls `visit(place)` for those in the set, in ascending order.
template <typename Visit>
void for_each_place(const std::uint64_t* bits, std::size_t words, Visit&& visit) {
    for (std::size_t word = 0; word < words; ++word) {
        for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
            visit(static_cast<std::uint32_t>(64 * word) +
                  static_cast<std::uint32_t>(std::countr_zero(left)));
        }
    }
}

struct Records;
struct Together;

/// One of the candidates, who looks at them: a circle in the plane, or a sphere. Radii that are
/// below 0 hold nobody but those within their own notification range.
struct Probe {
    std::size_t place = 0;
    std::int32_t enter_mm = 0;
    std::int32_t leave_mm = 0;
    LayerMask layers_seen = kNoLayers;
};

/// The entities that the watchers of one cell may see, as columns: tested 64 at a time, a bit each.
///
///   load ──► columns near one origin, in float ──► test ──► enter and leave bits of each watcher
///
/// Exact  A float decides only what is further from the bound than rounding can reach (kGuard); 64
///        candidates of which one is nearer than that are tested again in integers.
/// Order  That of the slots given to load(): bit i of word q belongs to slot 64 * q + i.
/// Cost   load O(n), test O(n) for each probe. Allocates when there are more candidates, or words
///        of bits, than ever.
class Candidates {
public:
    /// Coordinates are floats without loss up to here, and so is the difference of two.
    static constexpr std::int32_t kExactMm = 1 << 24;

    /// `targets` is by slot. `now` is what moved_tick is compared with. A watcher that is tested
    /// stands less than kExactMm / 4 from the origin on each axis, z aside.
    void load(std::span<const Target> targets, std::span<const Slot> slots, Position origin,
              Dimensions dimensions, Tick now);

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t words() const { return words_for(size_); }
    [[nodiscard]] std::span<const Slot> slots() const { return slots_; }
    [[nodiscard]] Position position_of(std::size_t place) const {
        const Target& target = targets_[to_number(slots_[place])];
        return {target.x, target.y, target.z};
    }
    [[nodiscard]] bool shares_layer(std::size_t place, LayerMask layers_seen) const {
        return (columns_.layers[place] & layers_seen) != kNoLayers;
    }
    [[nodiscard]] std::uint32_t importance_of(std::size_t place) const {
        return targets_[to_number(slots_[place])].importance;
    }
    /// Which of 64 moved in this tick.
    [[nodiscard]] std::uint64_t moved(std::size_t word) const { return moved_[word]; }
    /// Longer stillness than this may be given too short, but never shorter than this.
    static constexpr Tick kStillTicksMax = (Tick{1} << 31U) - 1;
    /// For how many ticks it has not moved: 0 is in this tick.
    [[nodiscard]] std::uint32_t still_ticks(std::size_t place) const {
        return static_cast<std::uint32_t>(now_) - columns_.moved_tick[place];
    }

    /// Are floats as exact here as kGuard says, heights too? Else test() goes by integers alone.
    [[nodiscard]] bool are_floats_sure() const { return !is_tall_; }
    /// By place, how far away those in `of` are: the squared distance, of those in `known` (null:
    /// nobody) times `known_share`; infinite for all others. A share of 2^-19 off at most, where
    /// floats are sure. Writes words() * 64 keys to `keys`, aligned as columns are, and returns the
    /// largest that is finite.
    float weigh(Position from, const std::uint64_t* of, const std::uint64_t* known,
                float known_share, float* keys) const;
    /// Writes words() words: whose key is `bound` or less. Returns how many they are.
    std::size_t find_up_to(float bound, const float* keys, std::uint64_t* bits) const;

    /// False: it is outside, for certain.
    [[nodiscard]] bool is_about_in(const Rect& area, std::size_t place) const {
        const auto is_between = [](float at, std::int64_t origin, std::int64_t min,
                                   std::int64_t max) {
            const float slack = 1 + std::abs(at) / (1 << 20);
            return at + slack >= static_cast<float>(min - origin) &&
                   at - slack <= static_cast<float>(max - origin);
        };
        return is_between(columns_.x[place], origin_.x, area.min_x, area.max_x) &&
               is_between(columns_.y[place], origin_.y, area.min_y, area.max_y);
    }

    /// Writes words() words for each probe: which are in the enter range, and which in the leave
    /// range, be it the watcher's or their own notification range, and in a layer that it sees.
    void test(std::span<const Probe> probes, std::uint64_t* enter, std::uint64_t* leave) const;

    /// Those of the bits that are set, in order. Writes to `out`, up to kRoom more than there are.
    [[nodiscard]] std::span<const Slot> list(const std::uint64_t* bits, Slot* out) const {
        static_assert(sizeof(Slot) == sizeof(std::uint32_t));
        return {out, kernels_.list(columns_.slots.data(), words(), bits,
                                   reinterpret_cast<std::uint32_t*>(out))};
    }
    static constexpr std::size_t kRoom = 16;

    // For the part that is compiled once for each instruction set.
    struct Columns {
        Column<float> x, y, z;
        Column<float> notify_enter, notify_leave;  ///< squares; -1 for none
        Column<LayerMask> layers;
        Column<std::uint32_t> moved_tick;
        Column<std::uint32_t> slots;
    };
    /// What some of several probes ask, beside the distance in the plane.
    struct Asked {
        bool hysteresis = false;
        bool layers = false;
        bool notify = false;
        bool height = false;
    };
    /// Of the instruction set in use: what each frame calls.
    struct Kernels {
        std::size_t (*test)(const Columns& columns, const Asked& asked,
                            std::span<const Probe> probes, std::size_t words, std::uint64_t* enter,
                            std::uint64_t* leave, std::uint32_t* unsure);
        std::size_t (*list)(const std::uint32_t* slots, std::size_t words,
                            const std::uint64_t* bits, std::uint32_t* out);
    };

private:
    void make_room(std::size_t size);
    Together load_one_by_one(const Records& from);
    void test_exactly(const Probe& probe, std::size_t word, std::uint64_t& enter,
                      std::uint64_t& leave) const;

    Kernels kernels_ = {};
    Columns columns_;
    std::vector<std::uint64_t> moved_;
    mutable std::vector<std::uint32_t> unsure_;  ///< scratch of test(): words, of all probes
    std::span<const Target> targets_;
    std::span<const Slot> slots_;
    Position origin_;
    Dimensions dimensions_ = Dimensions::two;
    Tick now_ = kNever;
    std::size_t size_ = 0;
    LayerMask common_layers_ = kNoLayers;  ///< that all candidates are in
    bool have_notify_ = false;             ///< some candidate has a notification range
    bool is_tall_ = false;                 ///< heights differ by more than a float holds
};

/// Chooses the instruction set by its name in Highway ("" for the best): for tests. False: not
/// here.
bool use_simd_target(std::string_view name);
/// The one in use.
std::string_view simd_target();

}  // namespace marchland::engine
