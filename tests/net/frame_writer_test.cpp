#include "net/frame_writer.h"

#include "engine/frame/frame_limits.h"
#include "net/decode_server.h"
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
using engine::LeaveReason;

constexpr engine::Tick kTick = 121;  ///< of all frames here

/// Entities, and a frame that names some of them.
class FrameOnPaper {
public:
    engine::Frame frame;

    FrameOnPaper() { frame.tick = kTick; }
    void leave(std::uint64_t id, LeaveReason reason) { leaves_.push_back({EntityId{id}, reason}); }
    void enter(const engine::Entity& entity) { enters_.push_back(entities_.insert(entity)); }
    void move(const engine::Entity& entity) { moves_.push_back(entities_.insert(entity)); }

    std::vector<std::byte> written(const net::FrameHeader& header = {}) {
        frame.leaves = leaves_;
        frame.enters = enters_;
        frame.moves = moves_;
        const auto bytes = net::write_frame(builder_, header, frame, entities_);
        return {bytes.begin(), bytes.end()};
    }

    net::FrameMessage sent(const net::FrameHeader& header = {}) {
        net::ServerMessage message;
        const auto error = net::decode_server(written(header), message);
        EXPECT_FALSE(error) << error->text;
        return std::get<net::FrameMessage>(message);
    }

private:
    flatbuffers::FlatBufferBuilder builder_;
    engine::EntityStore entities_;
    std::vector<engine::Leave> leaves_;
    std::vector<engine::Slot> enters_;
    std::vector<engine::Slot> moves_;
};

engine::Entity entity_at(std::uint64_t id, engine::Position position,
                         engine::Position previous = {}) {
    engine::Entity entity;
    entity.id = EntityId{id};
    entity.position = position;
    entity.shown = position;
    entity.moved_tick = kTick;
    entity.renewed_by = engine::step_between(previous, position).value_or(engine::Entity::kNotSent);
    return entity;
}

}  // namespace

TEST(FrameWriter, WritesTheDocumentedBytes) {
    FrameOnPaper paper;
    paper.frame.follows_last_tick = true;
    paper.leave(3, LeaveReason::out_of_range);
    engine::Entity entering = entity_at(12, {1'500, 2'500, 0});
    entering.kind = 7;
    entering.state = engine::with(nullptr, state_of(bytes_of("abcd")), 1);
    paper.enter(entering);
    const std::vector<engine::StateMask> entered_states{1};
    paper.frame.entered_states = entered_states;
    paper.move(entity_at(7, {1'250, 97, 0}, {1'000, 100, 0}));
    EXPECT_EQ(hex_of(paper.written({5, false, 100, 6'050'000})),
              "c4000000 10000000 00000000 08000e00 07000800 08000000 00000008 20000000 "
              "00001a00 28001400 04000000 08000c00 10000000 00000000 00001c00 1a000000 "
              "05000000 20000000 34000000 74000000 79000000 00000000 d0505c00 00000000 "
              "00000000 01000000 03000000 00000000 02000000 00000000 00000000 01000000 "
              "10000000 0c002400 18000600 08001400 0c000000 00000700 dc050000 c4090000 "
              "00000000 10000000 0c000000 00000000 00000000 05000000 010202ab cd000000 "
              "04000000 38f40305");
}

TEST(FrameWriter, TellsWhatTheFrameNames) {
    FrameOnPaper paper;
    paper.leave(1, LeaveReason::gone);
    paper.leave(2, LeaveReason::hidden);
    paper.enter(entity_at(4, {1, 2, 3}));
    paper.move(entity_at(5, {7, 8, 9}));

    const net::FrameMessage expected{
        kTick,
        77,
        true,
        {{EntityId{1}, LeaveReason::gone}, {EntityId{2}, LeaveReason::hidden}},
        {{EntityId{4}, 0, {1, 2, 3}, {}}},
        {{EntityId{5}, false, 7, 8, 9}}};
    EXPECT_EQ(paper.sent({77, true}), expected);
}

/// What is packed for all frames of a build is kept by slot: entities of another shard, and of a
/// slot so far away that it is kept in the same place, have moves of their own.
TEST(FrameWriter, SharesMovesWithinABuildAlone) {
    const auto x_of = [](FrameOnPaper& paper, std::uint64_t build) {
        paper.frame.build = build;
        return paper.sent().moves.back().x;
    };
    FrameOnPaper here;
    FrameOnPaper elsewhere;
    here.frame.follows_last_tick = true;
    elsewhere.frame.follows_last_tick = true;
    here.move(entity_at(1, {10, 0, 0}));
    elsewhere.move(entity_at(1, {20, 0, 0}));
    EXPECT_EQ(x_of(here, 1), 10);
    EXPECT_EQ(x_of(elsewhere, 2), 20);
    EXPECT_EQ(x_of(here, 3), 10);
    EXPECT_EQ(x_of(elsewhere, 0), 20);
    EXPECT_EQ(x_of(here, 0), 10);
    here.frame.build = 5;
    EXPECT_EQ(here.sent({.quantum_mm = 5}).moves.back().x, 2);
    const std::vector<std::uint8_t> was_held{1};
    here.frame.were_held = was_held;
    EXPECT_FALSE(here.sent().moves.back().is_relative);

    FrameOnPaper many;
    many.frame.follows_last_tick = true;
    for (std::int32_t id = 1; id <= 20'000; ++id) {
        many.move(entity_at(static_cast<std::uint64_t>(id), {id, 0, 0}));
    }
    EXPECT_EQ(x_of(many, 4), 20'000);
    std::int64_t expected = 0;
    for (const net::Moved& move : many.sent().moves) {
        ASSERT_EQ(move.x, ++expected);
    }
}

/// Of up to 320 members, of whom none, some or all of 64 neighbours are known, and move.
RC_GTEST_PROP(FrameWriter, NamesTheSameByRankAsById, ()) {
    const auto any_word = [] {
        return *rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(),
                               rc::gen::element<std::uint64_t>(0, UINT64_MAX, 1));
    };
    std::vector<std::uint64_t> known_bits;
    std::vector<std::uint64_t> move_bits;
    std::vector<EntityId> known;
    FrameOnPaper paper;
    const auto words = *rc::gen::inRange<std::uint64_t>(1, 6);
    for (std::uint64_t word = 0; word < words; ++word) {
        known_bits.push_back(any_word());
        move_bits.push_back(known_bits.back() & any_word());
        for (std::uint64_t bit = 0; bit < 64; ++bit) {
            const std::uint64_t id = 100 + 3 * (64 * word + bit);
            if ((known_bits.back() >> bit & 1U) != 0) {
                known.push_back(EntityId{id});
            }
            if ((move_bits.back() >> bit & 1U) != 0) {
                paper.move(entity_at(id, {static_cast<std::int32_t>(id), 0, 0}));
            }
        }
    }
    paper.frame.known_bits = known_bits;
    paper.frame.move_bits = move_bits;
    net::FrameMessage sent = paper.sent({.reads_ranks = true});
    RC_ASSERT(sent.moves_by_rank == !sent.moves.empty());
    RC_ASSERT(net::name_by_id(sent, known));
    RC_ASSERT(sent == paper.sent());
}

TEST(FrameWriter, WritesMovesAsDifferencesOnlyToWhatWasSent) {
    const auto is_relative = [](bool follows_last_tick, bool was_sent) {
        FrameOnPaper paper;
        paper.frame.follows_last_tick = follows_last_tick;
        engine::Entity entity = entity_at(5, {70, 80, 90}, {75, 80, 90});
        if (!was_sent) {
            entity.renewed_by = engine::Entity::kNotSent;
        }
        paper.move(entity);
        return paper.sent().moves.at(0).is_relative;
    };
    EXPECT_TRUE(is_relative(true, true));
    EXPECT_FALSE(is_relative(true, false));
    EXPECT_FALSE(is_relative(false, true));
    EXPECT_FALSE(is_relative(false, false));
}

TEST(FrameWriter, TellsAMoveThatWasHeldBackAsAWholePosition) {
    FrameOnPaper paper;
    paper.frame.follows_last_tick = true;
    paper.move(entity_at(5, {70, 80, 90}, {75, 80, 90}));
    paper.move(entity_at(6, {70, 80, 90}, {75, 80, 90}));
    const std::vector<std::uint8_t> were_held{1, 0};
    paper.frame.were_held = were_held;
    const net::FrameMessage sent = paper.sent();
    EXPECT_FALSE(sent.moves.at(0).is_relative);
    EXPECT_TRUE(sent.moves.at(1).is_relative);
}

/// Where a trajectory ends with int32, between two places of the grid.
TEST(FrameWriter, SendsWhatComesToTheEndOfInt32WholeAndOnTheGrid) {
    FrameOnPaper paper;
    paper.frame.follows_last_tick = true;
    engine::Entity renewed = entity_at(5, {0, 0, INT32_MAX - 107}, {0, 0, INT32_MAX});
    paper.move(renewed);
    engine::Entity goes_on = entity_at(6, {0, 0, INT32_MAX - 107});
    goes_on.velocity = {0, 0, 200};
    --goes_on.moved_tick;
    paper.move(goes_on);
    const net::FrameMessage sent = paper.sent({.quantum_mm = 10});
    ASSERT_EQ(sent.moves.size(), 2U);
    EXPECT_FALSE(sent.moves[0].is_relative);
    EXPECT_EQ(sent.moves[0].z, (INT32_MAX - 107) / 10);
    EXPECT_FALSE(sent.moves[1].is_relative);
    EXPECT_EQ(sent.moves[1].z, INT32_MAX / 10);
}

TEST(FrameWriter, SaysWhatACrowdIsSpared) {
    FrameOnPaper paper;
    paper.frame.is_capped = true;
    paper.frame.is_slowed = true;
    EXPECT_TRUE(paper.sent().is_capped);
    EXPECT_TRUE(paper.sent().is_slowed);
    EXPECT_FALSE(paper.sent().is_over_budget);
    paper.frame.is_over_budget = true;
    EXPECT_TRUE(paper.sent().is_over_budget);
    EXPECT_FALSE(paper.sent().is_filling);
    paper.frame.is_filling = true;
    EXPECT_TRUE(paper.sent().is_filling);
}

/// Of a frame of those who walk; the model is the engine's, so that what it chooses depends on
/// nobody who packs.
TEST(FrameWriter, FramesOfThoseWhoWalkCostNoMoreThanTheModelOfTheByteBudget) {
    using engine::FrameCost;
    FrameOnPaper paper;
    paper.frame.follows_last_tick = true;
    std::vector<std::uint8_t> were_held;
    std::size_t cost = FrameCost::kFrame + FrameCost::kLeave + FrameCost::kEnter;
    paper.leave(1, LeaveReason::capped);
    paper.enter(entity_at(2, {1, 2, 3}));
    for (std::uint64_t id = 100; id < 2'100; id += 7) {
        const std::int32_t x = -67'000'000 + static_cast<std::int32_t>(id) * 60'000;
        paper.move(entity_at(id, {x, 67'000'000, 1'000}, {x + 4'000, 66'996'000, 1'000}));
        were_held.push_back(id % 3 == 0 ? 1 : 0);
        cost += were_held.back() != 0 ? FrameCost::kWhole : FrameCost::kDifference;
    }
    paper.frame.were_held = were_held;
    EXPECT_LE(paper.written().size(), cost);
}

RC_GTEST_PROP(FrameWriter, MovesLeadToWhereTheEntityIs, (bool follows_last_tick)) {
    const auto ids = *rc::gen::container<std::set<std::uint64_t>>(
        rc::gen::inRange<std::uint64_t>(0, net::kEntityIdEnd));
    FrameOnPaper paper;
    paper.frame.follows_last_tick = follows_last_tick;
    std::vector<engine::Entity> moved;
    std::vector<engine::Position> befores;
    for (const std::uint64_t id : ids) {
        befores.push_back(any_position());
        const auto by = *rc::gen::arbitrary<bool>() ? any_step() : engine::Step{};
        moved.push_back(entity_at(id, after_steps(befores.back(), by, 1), befores.back()));
        moved.back().velocity = any_step();
        if (*rc::gen::arbitrary<bool>()) {
            moved.back().renewed_by = engine::Entity::kNotSent;
        }
        paper.move(moved.back());
    }
    const net::FrameMessage sent = paper.sent();
    RC_ASSERT(sent.moves.size() == moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
        RC_ASSERT(sent.moves[i].entity == moved[i].id);
        RC_ASSERT(net::position_after(sent.moves[i], befores[i]) == moved[i].position);
        RC_ASSERT(net::velocity_after(sent.moves[i]) == moved[i].velocity);
    }
}

TEST(FrameWriter, SpendsAtMostEightBytesOnEachOfSixtyWalkers) {
    FrameOnPaper paper;
    paper.frame.follows_last_tick = true;
    for (std::uint64_t id = 0; id < 60; ++id) {
        paper.move(entity_at(1'000 + 80 * id, {4'250, -250, 0}, {4'000, 0, 0}));
    }
    EXPECT_LE(paper.written({1, false}).size(), 60U * 8U);
}

TEST(FrameWriter, IsRefusedByItsReaderWhenCutOffAnywhere) {
    FrameOnPaper paper;
    paper.leave(3, LeaveReason::out_of_range);
    paper.enter(entity_at(12, {1'500, 2'500, 0}));
    paper.move(entity_at(7, {1'250, 97, 0}));
    const std::vector<std::byte> whole = paper.written();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<long>(size));
        net::ServerMessage ignored;
        EXPECT_TRUE(net::decode_server(part, ignored)) << size;
    }
}

}  // namespace marchland::tests
