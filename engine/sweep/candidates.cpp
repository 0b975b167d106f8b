#include "engine/sweep/candidates.h"

#include "engine/assert.h"

#include <algorithm>
#include <bit>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sweep/candidates.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#ifndef MARCHLAND_ENGINE_CANDIDATES_ONCE
#define MARCHLAND_ENGINE_CANDIDATES_ONCE
namespace marchland::engine {
/// Relative to the origin of the columns.
struct FloatPlace {
    float x = 0;
    float y = 0;
    float z = 0;
    bool has_height = false;
};
inline float square_of(std::int32_t radius_mm) {
    return radius_mm < 0 ? -1.0F : static_cast<float>(radius_mm) * static_cast<float>(radius_mm);
}
/// Larger, as a share of a squared radius, than what rounding does to a squared distance about as
/// large: six roundings of at most 2^-24 each.
inline constexpr float kGuard = 1.0F / (1 << 19);

/// Where the records of the candidates are, and what is asked of them.
struct Records {
    const Target* targets;
    const std::uint32_t* slots;
    std::size_t size;  ///< 1 or more
    Position origin;
    std::uint32_t tick;
    bool has_height;
};
/// Of all of them together.
struct Together {
    LayerMask common_layers = ~kNoLayers;
    bool have_notify = false;
    bool is_tall = false;   ///< a height is kExactMm / 4 or more from the origin's
    bool is_apart = false;  ///< a difference to the origin is no int32: columns are wrong
};
}  // namespace marchland::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace marchland::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename Tag, typename Mask>
HWY_INLINE std::uint64_t bits_of(Tag tag, Mask mask) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    (void)tag;
    return mask.raw;  // by memory it would wait for the store
#else
    alignas(8) std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(tag, mask, bytes);
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, bytes, sizeof bits);
    return bits;
#endif
}

/// The lowest bits, one for each lane.
template <typename Tag>
HWY_INLINE auto mask_of(Tag tag, std::uint64_t bits) {
    alignas(8) std::uint8_t bytes[8];
    __builtin_memcpy(bytes, &bits, sizeof bits);
    return hn::LoadMaskBits(tag, bytes);
}

/// True: some of the 64 is too near to a bound for floats.
template <bool kHysteresis, bool kLayers, bool kNotify, bool kHeight>
HWY_INLINE bool test_word(const Candidates::Columns& columns, const Probe& probe, std::size_t first,
                          std::uint64_t& enter, std::uint64_t& leave) {
    const hn::CappedTag<float, 16> floats;
    const hn::RebindToUnsigned<decltype(floats)> words;
    const std::size_t lanes = hn::Lanes(floats);
    const auto x = hn::Set(floats, columns.x[probe.place]);
    const auto y = hn::Set(floats, columns.y[probe.place]);
    const auto zero = hn::Zero(floats);
    const auto guard_share = hn::Set(floats, kGuard);
    const auto own_enter_max = hn::Set(floats, square_of(probe.enter_mm));
    const auto own_leave_max = hn::Set(floats, square_of(probe.leave_mm));
    auto enter_max = own_enter_max;
    auto leave_max = own_leave_max;
    auto guard = hn::Mul(leave_max, guard_share);
    // The least distance to a bound; where each candidate has bounds of its own, less its guard.
    auto nearest = hn::Set(floats, std::numeric_limits<float>::max());
    std::uint64_t enter_bits = 0;
    std::uint64_t leave_bits = 0;
    for (std::size_t i = 0; i < 64; i += lanes) {
        const std::size_t at = first + i;
        const auto dx = hn::Sub(hn::Load(floats, columns.x.data() + at), x);
        const auto dy = hn::Sub(hn::Load(floats, columns.y.data() + at), y);
        auto square = hn::MulAdd(dy, dy, hn::Mul(dx, dx));
        if constexpr (kHeight) {
            const auto dz = hn::Sub(hn::Load(floats, columns.z.data() + at),
                                    hn::Set(floats, columns.z[probe.place]));
            square = hn::MulAdd(dz, dz, square);
        }
        if constexpr (kNotify) {
            enter_max = hn::Max(own_enter_max, hn::Load(floats, columns.notify_enter.data() + at));
            leave_max = hn::Max(own_leave_max, hn::Load(floats, columns.notify_leave.data() + at));
            guard = hn::Mul(enter_max, guard_share);
        }
        const auto note_nearest = [&](auto beyond) {
            const auto away = hn::Abs(beyond);
            nearest = hn::Min(kNotify ? hn::Sub(away, guard) : away, nearest);
        };
        auto in_enter = hn::Lt(square, enter_max);
        note_nearest(hn::Sub(square, enter_max));
        auto in_leave = in_enter;
        if constexpr (kHysteresis) {
            in_leave = hn::Lt(square, leave_max);
            if constexpr (kNotify) {
                guard = hn::Mul(leave_max, guard_share);
            }
            note_nearest(hn::Sub(square, leave_max));
        }
        if constexpr (kLayers) {
            const auto both = hn::And(hn::Load(words, columns.layers.data() + at),
                                      hn::Set(words, probe.layers_seen));
            const auto shares = hn::RebindMask(floats, hn::Ne(both, hn::Zero(words)));
            in_enter = hn::And(in_enter, shares);
            in_leave = hn::And(in_leave, shares);
        }
        enter_bits |= bits_of(floats, in_enter) << i;
        if constexpr (kHysteresis) {
            leave_bits |= bits_of(floats, in_leave) << i;
        }
    }
    enter = enter_bits;
    leave = kHysteresis ? leave_bits : enter_bits;
    return !hn::AllFalse(floats, hn::Le(nearest, kNotify ? zero : guard));
}

/// Writes to `unsure` the words that are to be tested again; returns how many.
template <bool kHysteresis, bool kLayers, bool kNotify, bool kHeight>
std::size_t test_words(const Candidates::Columns& columns, std::span<const Probe> probes,
                       std::size_t words, std::uint64_t* enter, std::uint64_t* leave,
                       std::uint32_t* unsure) {
    std::size_t unsure_count = 0;
    std::size_t at = 0;
    for (const Probe& probe : probes) {
        for (std::size_t word = 0; word < words; ++word, ++at) {
            if (test_word<kHysteresis, kLayers, kNotify, kHeight>(
                    columns, probe, 64 * word, enter[at], leave[at])) [[unlikely]] {
                unsure[unsure_count++] = static_cast<std::uint32_t>(at);
            }
        }
    }
    return unsure_count;
}

std::size_t test_all(const Candidates::Columns& columns, const Candidates::Asked& asked,
                     std::span<const Probe> probes, std::size_t words, std::uint64_t* enter,
                     std::uint64_t* leave, std::uint32_t* unsure) {
    const auto run = [&](auto test) { return test(columns, probes, words, enter, leave, unsure); };
    if (asked.notify) {
        return asked.height ? run(test_words<true, true, true, true>)
                            : run(test_words<true, true, true, false>);
    }
    if (asked.height) {
        return run(test_words<true, true, false, true>);
    }
    if (asked.layers) {
        return run(test_words<true, true, false, false>);
    }
    return asked.hysteresis ? run(test_words<true, false, false, false>)
                            : run(test_words<false, false, false, false>);
}

#if HWY_TARGET == HWY_AVX2
/// For each set of eight lanes: where they are, one after another, four bits each.
struct LaneTable {
    alignas(64) std::uint32_t of[256] = {};

    constexpr LaneTable() {
        for (std::uint32_t set = 0; set < 256; ++set) {
            std::uint32_t place = 0;
            for (std::uint32_t lane = 0; lane < 8; ++lane) {
                if ((set >> lane & 1U) != 0) {
                    of[set] |= lane << (4 * place++);
                }
            }
        }
    }
};
inline constexpr LaneTable kLanesOf;
#endif

/// Of 64 slots, those whose bits are set; reads and writes whole registers.
HWY_INLINE std::uint32_t* list_word(const std::uint32_t* from, std::uint64_t bits,
                                    std::uint32_t* to) {
    const hn::CappedTag<std::uint32_t, 16> tag;
    if (bits == 0) {
        return to;
    }
    // How many registers hold one is hard to predict: where there are four, all are looked at.
    constexpr bool kAreFew = hn::MaxLanes(tag) == 16;
    for (std::size_t i = 0; kAreFew ? i < 64 : bits != 0;
         i += hn::Lanes(tag), from += hn::Lanes(tag), bits >>= hn::Lanes(tag)) {
        const auto slots = hn::LoadU(tag, from);
#if HWY_TARGET == HWY_AVX2
        // Highway 1.0.3 has its table on the stack, which g++ 12 then copies for each register.
        const __m256i lanes =
            _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(kLanesOf.of[bits & 255U])),
                              _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                            _mm256_permutevar8x32_epi32(slots.raw, lanes));
        to += std::popcount(bits & 255U);
#else
        alignas(8) std::uint8_t bytes[8];
        __builtin_memcpy(bytes, &bits, sizeof bits);
        // To a register first: Zen 4 takes 140 cycles to compress to memory.
        hn::StoreU(hn::CompressBits(slots, bytes), tag, to);
        to += std::popcount(bits & ((std::uint64_t{1} << hn::Lanes(tag)) - 1));
#endif
    }
    return to;
}

#if HWY_TARGET != HWY_SCALAR
/// Four records of four words: the words of the same place, in each half of a register of two
/// records' width.
template <typename Tag, typename Vector>
HWY_INLINE void transpose(Tag tag, Vector (&record)[4]) {
    const auto low = hn::InterleaveLower(tag, record[0], record[2]);
    const auto low_odd = hn::InterleaveLower(tag, record[1], record[3]);
    const auto high = hn::InterleaveUpper(tag, record[0], record[2]);
    const auto high_odd = hn::InterleaveUpper(tag, record[1], record[3]);
    record[0] = hn::InterleaveLower(tag, low, low_odd);
    record[1] = hn::InterleaveUpper(tag, low, low_odd);
    record[2] = hn::InterleaveLower(tag, high, high_odd);
    record[3] = hn::InterleaveUpper(tag, high, high_odd);
}

/// Records to columns, a register of records at a time. Writes whole registers: the last is filled
/// with the last record.
Together load_all(const Records& from, Candidates::Columns& columns, std::uint64_t* moved) {
    const hn::CappedTag<std::uint32_t, 8> words;
    const hn::RebindToSigned<decltype(words)> ints;
    const hn::RebindToFloat<decltype(words)> floats;
    constexpr std::size_t kLanes = hn::MaxLanes(words);
    using Vector = hn::Vec<decltype(words)>;
    const auto tick = hn::Set(words, from.tick);
    auto common_layers = hn::Set(words, ~kNoLayers);
    auto notify = hn::Zero(words);
    auto wrapped = hn::Zero(ints);
    auto height = hn::Zero(floats);
    const auto difference = [&](Vector word, std::int32_t origin) {
        const auto at = hn::BitCast(ints, word);
        const auto from_origin = hn::Sub(at, hn::Set(ints, origin));
        wrapped =
            hn::Or(wrapped, hn::And(hn::Xor(at, hn::Set(ints, origin)), hn::Xor(at, from_origin)));
        return hn::ConvertTo(floats, from_origin);
    };
    for (std::size_t i = 0; i < from.size; i += kLanes) {
        const auto record = [&](std::size_t lane) {
            const std::uint32_t slot = from.slots[std::min(i + lane, from.size - 1)];
            return reinterpret_cast<const std::uint32_t*>(from.targets + slot);
        };
        // As in Target: x, y, z, layers; moved_tick, the two notification radii.
        Vector first[4];
        Vector second[4];
        if constexpr (kLanes == 8) {
            for (std::size_t lane = 0; lane < 4; ++lane) {
                first[lane] = hn::Load(words, record(lane));
                second[lane] = hn::Load(words, record(lane + 4));
            }
            transpose(words, first);
            transpose(words, second);
            for (std::size_t word = 0; word < 4; ++word) {
                const Vector low = first[word];
                first[word] = hn::ConcatLowerLower(words, second[word], low);
                second[word] = hn::ConcatUpperUpper(words, second[word], low);
            }
        } else {
            for (std::size_t lane = 0; lane < 4; ++lane) {
                first[lane] = hn::Load(words, record(lane));
                second[lane] = hn::Load(words, record(lane) + 4);
            }
            transpose(words, first);
            transpose(words, second);
        }
        hn::Store(difference(first[0], from.origin.x), floats, columns.x.data() + i);
        hn::Store(difference(first[1], from.origin.y), floats, columns.y.data() + i);
        if (from.has_height) {
            const auto z = difference(first[2], from.origin.z);
            height = hn::Max(height, hn::Abs(z));
            hn::Store(z, floats, columns.z.data() + i);
        }
        hn::Store(first[3], words, columns.layers.data() + i);
        hn::Store(second[0], words, columns.moved_tick.data() + i);
        if (i + kLanes <= from.size) {
            hn::Store(hn::LoadU(words, from.slots + i), words, columns.slots.data() + i);
        } else {
            std::copy(from.slots + i, from.slots + from.size, columns.slots.data() + i);
        }
        common_layers = hn::And(common_layers, first[3]);
        notify = hn::Or(notify, second[2]);
        const std::uint64_t bits = bits_of(words, hn::Eq(second[0], tick)) << (i % 64);
        moved[i / 64] = i % 64 == 0 ? bits : moved[i / 64] | bits;
    }
    Together all;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        all.common_layers &= hn::ExtractLane(common_layers, lane);
    }
    all.have_notify = !hn::AllTrue(words, hn::Eq(notify, hn::Zero(words)));
    all.is_tall = !hn::AllTrue(
        floats, hn::Lt(height, hn::Set(floats, static_cast<float>(Candidates::kExactMm / 4))));
    all.is_apart = !hn::AllFalse(ints, hn::Lt(wrapped, hn::Zero(ints)));
    return all;
}
#else
Together load_all(const Records&, Candidates::Columns&, std::uint64_t*) {
    return {.is_apart = true};
}
#endif

/// Of `size` columns, a multiple of 64. `from` is where the one stands who looks.
float weigh_all(const Candidates::Columns& columns, const FloatPlace& from, std::size_t size,
                const std::uint64_t* of, const std::uint64_t* known, float known_share,
                float* keys) {
    const hn::CappedTag<float, 16> floats;
    const std::size_t lanes = hn::Lanes(floats);
    const auto infinite = hn::Set(floats, std::numeric_limits<float>::infinity());
    const auto share = hn::Set(floats, known_share);
    auto most = hn::Zero(floats);
    for (std::size_t i = 0; i < size; i += lanes) {
        const auto dx = hn::Sub(hn::Load(floats, columns.x.data() + i), hn::Set(floats, from.x));
        const auto dy = hn::Sub(hn::Load(floats, columns.y.data() + i), hn::Set(floats, from.y));
        auto key = hn::MulAdd(dy, dy, hn::Mul(dx, dx));
        if (from.has_height) {
            const auto dz =
                hn::Sub(hn::Load(floats, columns.z.data() + i), hn::Set(floats, from.z));
            key = hn::MulAdd(dz, dz, key);
        }
        if (known != nullptr) {
            const auto is_known = mask_of(floats, known[i / 64] >> (i % 64));
            key = hn::IfThenElse(is_known, hn::Mul(key, share), key);
        }
        const auto is_asked = mask_of(floats, of[i / 64] >> (i % 64));
        most = hn::Max(most, hn::IfThenElseZero(is_asked, key));
        hn::Store(hn::IfThenElse(is_asked, key, infinite), floats, keys + i);
    }
    return hn::GetLane(hn::MaxOfLanes(floats, most));
}

std::size_t find_up_to_all(float bound, const float* keys, std::size_t words, std::uint64_t* bits) {
    const hn::CappedTag<float, 16> floats;
    const auto most = hn::Set(floats, bound);
    std::size_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < 64; i += hn::Lanes(floats)) {
            const auto key = hn::Load(floats, keys + 64 * word + i);
            found |= bits_of(floats, hn::Le(key, most)) << i;
        }
        bits[word] = found;
        count += static_cast<std::size_t>(std::popcount(found));
    }
    return count;
}

std::size_t list_all(const std::uint32_t* slots, std::size_t words, const std::uint64_t* bits,
                     std::uint32_t* out) {
    std::uint32_t* to = out;
    for (std::size_t word = 0; word < words; ++word) {
        to = list_word(slots + 64 * word, bits[word], to);
    }
    return static_cast<std::size_t>(to - out);
}

Candidates::Kernels kernels() {
    return {&test_all, &list_all};
}

const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace marchland::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace marchland::engine {
HWY_EXPORT(test_all);
HWY_EXPORT(load_all);
HWY_EXPORT(list_all);
HWY_EXPORT(weigh_all);
HWY_EXPORT(find_up_to_all);
HWY_EXPORT(kernels);
HWY_EXPORT(target_name);
namespace {

/// Two int32 are at most 2^32 apart.
float difference(std::int32_t at, std::int32_t origin) {
    return static_cast<float>(std::int64_t{at} - origin);
}

}  // namespace

void Candidates::make_room(std::size_t size) {
    const std::size_t padded = 64 * words_for(size);
    if (columns_.x.size() < padded) {
        for (Column<float>* const column : {&columns_.x, &columns_.y, &columns_.z,
                                            &columns_.notify_enter, &columns_.notify_leave}) {
            column->resize(padded);
        }
        columns_.layers.resize(padded);
        columns_.moved_tick.resize(padded);
        columns_.slots.resize(padded);
        moved_.resize(padded / 64);
    }
}

void Candidates::load(std::span<const Target> targets, std::span<const Slot> slots, Position origin,
                      Dimensions dimensions, Tick now) {
    make_room(slots.size());
    targets_ = targets;
    slots_ = slots;
    origin_ = origin;
    dimensions_ = dimensions;
    now_ = now;
    size_ = slots.size();
    MARCHLAND_ASSERT(size_ > 0);
    const Records records{targets.data(),
                          reinterpret_cast<const std::uint32_t*>(slots.data()),
                          size_,
                          origin,
                          static_cast<std::uint32_t>(now),
                          dimensions == Dimensions::three};
    Together all = HWY_DYNAMIC_DISPATCH(load_all)(records, columns_, moved_.data());
    kernels_ = HWY_DYNAMIC_DISPATCH(kernels)();
    if (all.is_apart) {
        all = load_one_by_one(records);
    }
    common_layers_ = all.common_layers;
    have_notify_ = all.have_notify;
    is_tall_ = all.is_tall;
    if (have_notify_) {
        for (std::size_t i = 0; i < size_; ++i) {
            const NotifyRange& notify = targets[to_number(slots[i])].notify;
            const bool is_seen_from_afar = is_notify_source(notify);
            columns_.notify_enter[i] = is_seen_from_afar ? square_of(notify.radius_mm) : -1;
            columns_.notify_leave[i] = is_seen_from_afar ? square_of(notify.leave_radius_mm) : -1;
        }
    }
    // Those that fill the last word are further away than any range.
    std::fill(columns_.x.begin() + static_cast<std::ptrdiff_t>(size_),
              columns_.x.begin() + static_cast<std::ptrdiff_t>(64 * words()), 1e18F);
    if (size_ % 64 != 0) {
        moved_[size_ / 64] &= (std::uint64_t{1} << (size_ % 64)) - 1;
    }
}

/// For candidates that are further from the origin than an int32 holds, as few in a large world
/// are.
Together Candidates::load_one_by_one(const Records& from) {
    Together all;
    std::fill_n(moved_.begin(), words(), 0);
    for (std::size_t i = 0; i < size_; ++i) {
        const Target& target = from.targets[from.slots[i]];
        columns_.x[i] = difference(target.x, from.origin.x);
        columns_.y[i] = difference(target.y, from.origin.y);
        columns_.layers[i] = target.layers;
        columns_.moved_tick[i] = target.moved_tick;
        columns_.slots[i] = from.slots[i];
        moved_[i / 64] |= std::uint64_t{target.moved_tick == from.tick} << (i % 64);
        all.common_layers &= target.layers;
        all.have_notify = all.have_notify || target.notify.leave_radius_mm > 0;
        if (from.has_height) {
            columns_.z[i] = difference(target.z, from.origin.z);
            all.is_tall =
                all.is_tall || std::abs(columns_.z[i]) >= static_cast<float>(kExactMm / 4);
        }
    }
    return all;
}

void Candidates::test(std::span<const Probe> probes, std::uint64_t* enter,
                      std::uint64_t* leave) const {
    const std::size_t all = probes.size() * words();
    if (is_tall_) {
        for (std::size_t at = 0; at < all; ++at) {
            test_exactly(probes[at / words()], at % words(), enter[at], leave[at]);
        }
        return;
    }
    Asked asked{.notify = have_notify_, .height = dimensions_ == Dimensions::three};
    for (const Probe& probe : probes) {
        asked.hysteresis = asked.hysteresis || probe.enter_mm != probe.leave_mm;
        asked.layers = asked.layers || (common_layers_ & probe.layers_seen) == kNoLayers;
    }
    if (unsure_.size() < all) {
        unsure_.resize(all);
    }
    const std::size_t unsure =
        kernels_.test(columns_, asked, probes, words(), enter, leave, unsure_.data());
    for (std::size_t i = 0; i < unsure; ++i) {
        const std::size_t at = unsure_[i];
        test_exactly(probes[at / words()], at % words(), enter[at], leave[at]);
    }
}

float Candidates::weigh(Position from, const std::uint64_t* of, const std::uint64_t* known,
                        float known_share, float* keys) const {
    const FloatPlace at{.x = difference(from.x, origin_.x),
                        .y = difference(from.y, origin_.y),
                        .z = difference(from.z, origin_.z),
                        .has_height = dimensions_ == Dimensions::three};
    return HWY_DYNAMIC_DISPATCH(weigh_all)(columns_, at, 64 * words(), of, known, known_share,
                                           keys);
}

std::size_t Candidates::find_up_to(float bound, const float* keys, std::uint64_t* bits) const {
    return HWY_DYNAMIC_DISPATCH(find_up_to_all)(bound, keys, words(), bits);
}

void Candidates::test_exactly(const Probe& probe, std::size_t word, std::uint64_t& enter,
                              std::uint64_t& leave) const {
    std::uint64_t in_enter = 0;
    std::uint64_t in_leave = 0;
    const Position from = position_of(probe.place);
    const auto is_in = [&](const Target& target, std::int32_t radius_mm) {
        return radius_mm >= 0 &&
               is_within(from, {target.x, target.y, target.z}, radius_mm, dimensions_);
    };
    for (std::size_t i = 64 * word; i < std::min(size_, 64 * word + 64); ++i) {
        const Target& target = targets_[to_number(slots_[i])];
        if ((target.layers & probe.layers_seen) == kNoLayers) {
            continue;
        }
        const bool notifies = is_notify_source(target.notify);
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        if (is_in(target, probe.enter_mm) || (notifies && is_in(target, target.notify.radius_mm))) {
            in_enter |= bit;
        }
        if (is_in(target, probe.leave_mm) ||
            (notifies && is_in(target, target.notify.leave_radius_mm))) {
            in_leave |= bit;
        }
    }
    enter = in_enter;
    leave = in_leave;
}

std::string_view simd_target() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

bool use_simd_target(std::string_view name) {
    hwy::SetSupportedTargetsForTest(0);
    bool is_known = name.empty();
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        if (name == hwy::TargetName(target)) {
            hwy::SetSupportedTargetsForTest(target);
            is_known = true;
        }
    }
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return is_known;
}

}  // namespace marchland::engine
#endif
