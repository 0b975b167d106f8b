#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>

namespace marchland::shards {

/// A shard of a zone, from 0 to kShardsMax - 1. It is kept while the layout changes around it, and
/// given to another shard once the one that had it is gone.
enum class ShardId : std::uint16_t {};

constexpr std::uint16_t to_number(ShardId shard) {
    return static_cast<std::uint16_t>(shard);
}

/// The most shards that one zone may have, those that hand their last entities over included.
inline constexpr std::size_t kShardsMax = 256;

/// Of a recording or a state's store: no other has it.
inline std::uint64_t new_random_number() {
    std::random_device device;
    return device() | (std::uint64_t{device()} << 32U);
}

/// A set of shards, small enough to keep one beside every entity.
class ShardSet {
public:
    void add(ShardId shard) { word_of(shard) |= bit_of(shard); }
    void remove(ShardId shard) { word_of(shard) &= ~bit_of(shard); }
    [[nodiscard]] bool contains(ShardId shard) const {
        return (words_[to_number(shard) / 64U] & bit_of(shard)) != 0;
    }
    [[nodiscard]] bool is_empty() const { return *this == ShardSet{}; }

    [[nodiscard]] ShardSet without(const ShardSet& other) const {
        ShardSet rest;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            rest.words_[i] = words_[i] & ~other.words_[i];
        }
        return rest;
    }

    /// Calls `visit(ShardId)` for each member, in ascending order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
                visit(static_cast<ShardId>(i * 64U + bit));
            }
        }
    }

    friend bool operator==(const ShardSet&, const ShardSet&) = default;

private:
    static constexpr std::uint64_t bit_of(ShardId shard) {
        return std::uint64_t{1} << (to_number(shard) % 64U);
    }
    std::uint64_t& word_of(ShardId shard) { return words_[to_number(shard) / 64U]; }

    std::array<std::uint64_t, kShardsMax / 64U> words_{};
};

}  // namespace marchland::shards
