#include "net/packed_moves.h"

#include "tests/net/hex.h"
#include "tests/net/random_messages.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace marchland::tests {

namespace {

using engine::EntityId;
using net::Moved;

constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();

std::vector<std::byte> packed(const std::vector<Moved>& moves) {
    std::vector<std::byte> bytes(moves.size() * net::kMovedBytesMax);
    std::byte* end = bytes.data();
    EntityId previous{};
    for (const Moved& move : moves) {
        end = net::pack_move(move, to_number(move.entity) - to_number(previous), end);
        previous = move.entity;
    }
    bytes.resize(static_cast<std::size_t>(end - bytes.data()));
    return bytes;
}

bool is_sound(const std::string& hex) {
    std::vector<Moved> ignored;
    return net::unpack_moves(bytes_of(hex), ignored);
}

rc::Gen<std::vector<Moved>> any_moves() {
    return rc::gen::exec([] {
        const auto ids = *rc::gen::container<std::set<std::uint64_t>>(rc::gen::oneOf(
            rc::gen::inRange<std::uint64_t>(0, 200), rc::gen::inRange<std::uint64_t>(0, 1 << 20),
            rc::gen::inRange<std::uint64_t>(0, net::kEntityIdEnd)));
        std::vector<Moved> moves;
        for (const std::uint64_t id : ids) {
            const bool is_relative = *rc::gen::arbitrary<bool>();
            const engine::Position a = any_position();
            const engine::Position b = is_relative ? any_position() : engine::Position{};
            moves.push_back({EntityId{id}, is_relative, std::int64_t{a.x} - b.x,
                             std::int64_t{a.y} - b.y, std::int64_t{a.z} - b.z, any_step()});
        }
        return moves;
    });
}

}  // namespace

RC_GTEST_PROP(PackedMoves, AreUnpackedAsTheyWere, ()) {
    const std::vector<Moved> moves = *any_moves();
    std::vector<Moved> unpacked;
    RC_ASSERT(net::unpack_moves(packed(moves), unpacked));
    RC_ASSERT(unpacked == moves);
}

/// The example of docs/wire_format.md.
TEST(PackedMoves, HaveTheBytesOfTheDocumentedExample) {
    const std::vector<Moved> moves = {
        {EntityId{7}, true, 250, -3, 0},
        {EntityId{9}, true, 0, 0, -40},
        {EntityId{300}, false, 12'345, -70'000, 0, {70, 0, 0}},
    };
    EXPECT_EQ(hex_of(packed(moves)), "38f40305 1200004f 9f12f2c0 01dfc508 008c0100 00");
}

TEST(PackedMoves, TakeFiveBytesForAWalkerAmongNeighbours) {
    EXPECT_EQ(packed({{EntityId{15}, true, 250, -250, 0}}).size(), 5U);
}

TEST(PackedMoves, StayWithinTheirBoundAtTheEndsOfEveryRange) {
    const std::int64_t widest = kHighest - kLowest;
    constexpr engine::Step kFastest{-engine::Step::kMaxMm, engine::Step::kMaxMm,
                                    -engine::Step::kMaxMm};
    const Moved moves[] = {
        {EntityId{net::kEntityIdEnd - 1}, false, kLowest, kHighest, kLowest, kFastest},
        {EntityId{net::kEntityIdEnd - 1}, true, widest, -widest, widest, kFastest},
    };
    for (const Moved& move : moves) {
        EXPECT_LE(packed({move}).size(), net::kMovedBytesMax);
        std::vector<Moved> unpacked;
        ASSERT_TRUE(net::unpack_moves(packed({move}), unpacked));
        EXPECT_EQ(unpacked, std::vector<Moved>{move});
    }
}

TEST(PackedMoves, AreRefusedWhenCutOffAnywhereInsideAnEntity) {
    const std::vector<std::byte> whole =
        packed({{EntityId{70'000}, false, 1'000, 2'000, 3'000, {300, 0, -300}}});
    for (std::size_t size = 1; size < whole.size(); ++size) {
        std::vector<Moved> ignored;
        EXPECT_FALSE(net::unpack_moves(std::span(whole).first(size), ignored)) << size;
    }
}

TEST(PackedMoves, AreRefusedWhenIdsDoNotAscend) {
    EXPECT_TRUE(is_sound("38 00 00  08 00 00"));
    EXPECT_FALSE(is_sound("38 00 00  00 00 00"));
}

/// Only a frame says so: there the mark is in front of the block.
TEST(PackedMoves, AreRefusedWhereRanksAreNotExpected) {
    EXPECT_FALSE(is_sound("01  08 00 00"));
}

RC_GTEST_PROP(PackedMoves, NamedByRankAreThoseOfTheirIds, ()) {
    const std::vector<Moved> all = *any_moves();
    std::vector<EntityId> known;
    net::FrameMessage by_id;
    net::FrameMessage by_rank;
    by_rank.moves_by_rank = true;
    for (const Moved& one : all) {
        if (*rc::gen::arbitrary<bool>()) {
            by_id.moves.push_back(one);
            by_rank.moves.push_back(one);
            by_rank.moves.back().entity = EntityId{known.size()};
        }
        known.push_back(one.entity);
    }
    net::FrameMessage named = by_rank;
    RC_ASSERT(net::name_by_id(named, known));
    RC_ASSERT(named == by_id);
    by_rank.moves.push_back({EntityId{known.size()}, true, 0, 0, 0});
    RC_ASSERT(!net::name_by_id(by_rank, known));
}

TEST(PackedMoves, MayBeginWithIdZero) {
    EXPECT_TRUE(is_sound("00 02 02"));
}

TEST(PackedMoves, AreRefusedWhenAnIdReachesTheEnd) {
    const Moved last{EntityId{net::kEntityIdEnd - 1}, true, 0, 0, 0};
    const std::string block = hex_of(packed({last}));
    EXPECT_TRUE(is_sound(block));
    EXPECT_FALSE(is_sound(block + "08 00 00"));
}

TEST(PackedMoves, AreRefusedWhenAPositionIsNot32Bits) {
    EXPECT_TRUE(is_sound("0b feffffff0f 00 00"));   // x = 2^31 - 1
    EXPECT_FALSE(is_sound("0b 8080808010 00 00"));  // x = 2^31
    EXPECT_TRUE(is_sound("0b ffffffff0f 00 00"));   // x = -2^31
    EXPECT_FALSE(is_sound("0b 8180808010 00 00"));  // x = -2^31 - 1
}

TEST(PackedMoves, AreRefusedWhenNoTwoPositionsDifferSoMuch) {
    EXPECT_TRUE(is_sound("08 feffffff1f 00"));   // 2^32 - 1
    EXPECT_FALSE(is_sound("08 8080808020 00"));  // 2^32
}

TEST(PackedMoves, AreRefusedWhenAnAbsolutePositionHasNoZ) {
    EXPECT_FALSE(is_sound("09 00 00"));
}

TEST(PackedMoves, AreRefusedWhenAVelocityIsNoneOrTooFast) {
    EXPECT_TRUE(is_sound("0c 00 00  02 00"));
    EXPECT_FALSE(is_sound("0c 00 00  00 00"));
    EXPECT_TRUE(is_sound("0c 00 00  feff03 00"));   // 32,767
    EXPECT_FALSE(is_sound("0c 00 00  808004 00"));  // 32,768
}

TEST(PackedMoves, LeadToAVelocityOrNowhere) {
    const Moved move{EntityId{1}, true, 0, 0, 0, {300, -2, 0}};
    EXPECT_EQ(net::velocity_after(move, 10), (engine::Step{3'000, -20, 0}));
    EXPECT_FALSE(net::velocity_after(move, 110));
}

TEST(PackedMoves, LeadToThePositionOrNowhere) {
    const engine::Position sent{1'000, -1'000, 5};
    EXPECT_EQ(net::position_after({EntityId{1}, true, -3, 4, 0}, sent),
              (engine::Position{997, -996, 5}));
    EXPECT_EQ(net::position_after({EntityId{1}, false, -3, 4, 9}, sent),
              (engine::Position{-3, 4, 9}));
    EXPECT_FALSE(net::position_after({EntityId{1}, true, kHighest, 0, 0}, sent));
    EXPECT_FALSE(net::position_after({EntityId{1}, true, 0, kLowest, 0}, sent));
}

}  // namespace marchland::tests
