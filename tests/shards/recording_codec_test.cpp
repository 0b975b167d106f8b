#include "shards/recording/crc32c.h"
#include "shards/recording/options_text.h"
#include "shards/recording/records.h"
#include "tests/net/hex.h"
#include "tests/properties/dice.h"
#include "tests/shards/sent_frame.h"
#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::tests {

namespace {

using shards::Bytes;

std::variant<shards::Record, shards::BadRecord> decoded(const Bytes& bytes) {
    return shards::RecordDecoder(bytes).next(engine::kNever);
}

/// The record, which must be the only one in `bytes`.
template <typename T>
T only(const Bytes& bytes) {
    shards::RecordDecoder decoder(bytes);
    const auto record = decoder.next(engine::kNever);
    EXPECT_TRUE(decoder.is_at_end());
    return std::get<T>(std::get<shards::Record>(record));
}

std::string reason(const std::string& hex) {
    const auto record = decoded(bytes_of(hex));
    const auto* bad = std::get_if<shards::BadRecord>(&record);
    return bad != nullptr ? bad->reason : "none";
}

std::int32_t any_mm(Dice& dice) {
    using Limits = std::numeric_limits<std::int32_t>;
    return dice.chance(10) ? dice.pick<std::int32_t>({Limits::min(), -1, 0, 1, Limits::max()})
                           : static_cast<std::int32_t>(dice.between(-100'000, 100'000));
}

engine::Position any_position(Dice& dice) {
    const std::int32_t x = any_mm(dice);
    const std::int32_t y = any_mm(dice);
    return {x, y, any_mm(dice)};
}

engine::View any_view(Dice& dice) {
    engine::View view;
    view.shape = static_cast<engine::Shape>(dice.below(5));
    for (std::int32_t* const size :
         {&view.radius_mm, &view.leave_radius_mm, &view.half_y_mm, &view.leave_half_y_mm,
          &view.half_z_mm, &view.leave_half_z_mm}) {
        *size = any_mm(dice);
    }
    view.half_opening = static_cast<engine::Angle>(dice.below(65'536));
    view.leave_half_opening = static_cast<engine::Angle>(dice.below(65'536));
    return view;
}

std::vector<engine::StateWrite> any_state(Dice& dice) {
    std::vector<engine::StateWrite> state;
    for (std::uint8_t number = 0; number < engine::kStateSlotsMax; ++number) {
        if (dice.chance(20)) {
            state.push_back({number, static_cast<std::int64_t>(dice.below(UINT32_MAX)) - 77});
        } else if (dice.chance(20)) {
            state.push_back({number, static_cast<float>(dice.below(UINT32_MAX)) / 3});
        } else if (dice.chance(20)) {
            state.push_back(
                {number, std::make_shared<const Bytes>(dice.below(1'024) + 1, std::byte{number})});
        }
    }
    if (state.empty()) {
        state.push_back({0, engine::Blob{}});
    }
    return state;
}

shards::Inputs any_inputs(Dice& dice) {
    shards::Inputs inputs;
    inputs.leave = dice.chance(30);
    if (dice.chance(50)) inputs.move = any_position(dice);
    if (dice.chance(50)) inputs.view = any_view(dice);
    if (dice.chance(50)) inputs.facing = static_cast<engine::Angle>(dice.below(65'536));
    if (dice.chance(50)) {
        inputs.layers = {static_cast<engine::LayerMask>(dice.below(UINT32_MAX)),
                         static_cast<engine::LayerMask>(dice.below(9))};
    }
    const auto any_blob = [&](std::size_t size) {
        return std::make_shared<const Bytes>(1 + size, static_cast<std::byte>(dice.below(256)));
    };
    inputs.keyframe = dice.chance(30);
    if (dice.chance(30)) {
        inputs.state = any_state(dice);
    }
    while (dice.chance(50) && inputs.messages.size() < engine::kMessagesPerTickMax) {
        inputs.messages.push_back({static_cast<std::uint16_t>(dice.below(65'536)),
                                   dice.chance(80) ? any_blob(dice.below(40)) : engine::Blob{}});
    }
    if (dice.chance(30)) {
        inputs.port_state = {static_cast<std::uint8_t>(dice.below(4)),
                             static_cast<std::uint16_t>(dice.below(65'536)),
                             static_cast<std::uint16_t>(dice.below(65'536)),
                             static_cast<std::uint32_t>(dice.below(UINT32_MAX))};
    }
    if (dice.chance(50) || inputs.is_empty()) {
        const std::int32_t radius_mm = any_mm(dice);
        inputs.notify = engine::NotifyRange{radius_mm, any_mm(dice)};
    }
    return inputs;
}

Bytes bytes_of(const engine::Blob& blob) {
    return blob == nullptr ? Bytes{} : *blob;
}

bool same_words(const shards::Inputs& a, const shards::Inputs& b) {
    return a.keyframe == b.keyframe && a.port_state == b.port_state && a.state == b.state &&
           std::ranges::equal(a.messages, b.messages, [](const auto& left, const auto& right) {
               return bytes_of(left.payload) == bytes_of(right.payload) && left.kind == right.kind;
           });
}

bool same(const shards::Inputs& a, const shards::Inputs& b) {
    return a.layers == b.layers && same_words(a, b) && a.move == b.move && a.view == b.view &&
           a.facing == b.facing && a.notify == b.notify && a.leave == b.leave;
}

}  // namespace

TEST(RecordingChecksum, IsThatOfTheStandardsExamples) {
    const std::string digits = "123456789";
    EXPECT_EQ(shards::crc32c(std::as_bytes(std::span(digits))), 0xe3069283U);
    EXPECT_EQ(shards::crc32c(std::vector<std::byte>(32)), 0x8a9136aaU);  // RFC 3720, B.4
    EXPECT_EQ(shards::crc32c({}), 0U);
}

RC_GTEST_PROP(RecordingCodec, ReadsInputsAsTheyWereWritten, (std::uint64_t seed)) {
    Dice dice(seed);
    const auto id = static_cast<engine::EntityId>(seed);
    const shards::Inputs inputs = any_inputs(dice);
    Bytes bytes;
    const bool has_successor = dice.chance(30);
    shards::encode_inputs(id, inputs, has_successor, bytes);
    const auto record = only<shards::InputsRecord>(bytes);
    RC_ASSERT(record.id == id);
    RC_ASSERT(record.has_successor == has_successor);
    RC_ASSERT(same(record.inputs, inputs));
}

RC_GTEST_PROP(RecordingCodec, ReadsAMoveAloneAsAnyOtherRecord, (std::uint64_t seed)) {
    Dice dice(seed);
    shards::Inputs inputs;
    if (dice.chance(50)) {
        inputs.move = any_position(dice);
    } else {
        inputs = any_inputs(dice);
    }
    const bool has_successor = dice.chance(20);
    shards::Inputs moved;
    moved.move = inputs.move;
    const bool is_move_alone = inputs.move && !has_successor && same(inputs, moved);
    Bytes bytes;
    shards::encode_inputs(static_cast<engine::EntityId>(seed), inputs, has_successor, bytes);
    shards::RecordDecoder decoder(bytes);
    const auto move = decoder.take_move();
    RC_ASSERT(move.has_value() == is_move_alone);
    RC_ASSERT(decoder.offset() == (move ? bytes.size() : 0));
    if (move) {
        const auto record = only<shards::InputsRecord>(bytes);
        RC_ASSERT(record.id == move->id && record.inputs.move == move->to);
        bytes.pop_back();
        RC_ASSERT(!shards::RecordDecoder(bytes).take_move());
    }
}

RC_GTEST_PROP(RecordingCodec, ReadsJoinsAsTheyWereWritten, (std::uint64_t seed)) {
    Dice dice(seed);
    engine::Entity entity;
    entity.id = static_cast<engine::EntityId>(seed);
    entity.position = any_position(dice);
    entity.layers = static_cast<engine::LayerMask>(dice.below(UINT32_MAX));
    entity.layers_seen = static_cast<engine::LayerMask>(dice.below(3));
    entity.view = any_view(dice);
    entity.facing = static_cast<engine::Angle>(dice.below(65'536));
    entity.kind = static_cast<std::uint16_t>(dice.below(65'536));
    entity.notify = {any_mm(dice), any_mm(dice)};
    entity.importance = static_cast<std::uint8_t>(dice.below(256));
    if (dice.chance(50)) {
        entity.state = engine::with(nullptr, any_state(dice), 1);
    }
    Bytes bytes;
    shards::encode_join(entity, dice.chance(50), bytes);
    const auto join = only<shards::JoinRecord>(bytes);
    const engine::Entity& read = join.entity;
    RC_ASSERT(read.id == entity.id && read.position == entity.position);
    RC_ASSERT(read.layers == entity.layers && read.layers_seen == entity.layers_seen);
    RC_ASSERT(read.view == entity.view && read.facing == entity.facing);
    RC_ASSERT(read.kind == entity.kind && read.notify == entity.notify);
    RC_ASSERT(read.importance == entity.importance);
    RC_ASSERT(engine::writes_of(read.state) == engine::writes_of(entity.state));
    Bytes again;
    shards::encode_join(read, join.takes_frames, again);
    RC_ASSERT(again == bytes);
}

RC_GTEST_PROP(RecordingCodec, NeverReadsBeyondARecordThatIsCutOff, (std::uint64_t seed)) {
    Dice dice(seed);
    Bytes bytes;
    shards::encode_inputs(engine::EntityId{300}, any_inputs(dice), false, bytes);
    bytes.resize(1 + dice.below(bytes.size() - 1));
    RC_ASSERT(std::holds_alternative<shards::BadRecord>(decoded(bytes)));
}

TEST(RecordingCodec, HasTheBytesOfTheDocument) {
    Bytes bytes;
    shards::encode_tick_begin({7, true, 1, 2'048}, 5, bytes);
    shards::Inputs inputs;
    inputs.move = engine::Position{-1'000, 300, 0};
    inputs.leave = true;
    shards::encode_inputs(engine::EntityId{9}, inputs, false, bytes);
    shards::encode_unframed(engine::EntityId{300}, bytes);
    shards::encode_tick_end(0x0123456789abcdefU, bytes);
    EXPECT_EQ(hex_of(bytes), "02020101 80100309 21cf0fd8 040005ac 0206efcd ab896745 2301");
}

/// Fields are listed once, to be written and to be read: a round trip says nothing of their order.
/// So each has a value of its own here. Recordings are kept: who changes bytes of this test makes a
/// new version of the format.
TEST(RecordingCodec, HasTheseBytesInVersion5) {
    EXPECT_EQ(shards::kRecordingVersion, 5U);
    Bytes bytes;
    const auto taken = [&] { return hex_of(std::exchange(bytes, {})); };

    const engine::Rect area{1, 2, 30, 40};
    const auto layout = shards::Layout::from_regions(area, {{"ab", area}});
    shards::encode_layout(3, std::get<shards::Layout>(layout), bytes);
    EXPECT_EQ(taken(), "01030102 61620204 3c50");

    shards::encode_tick_begin({9, true, 3, 4}, 7, bytes);
    EXPECT_EQ(taken(), "02020103 04");

    const engine::View view{engine::Shape::sector, 5, 6, 7, 8, 9, 10, 11, 12};
    const auto blob = std::make_shared<const Bytes>(2, std::byte{0xee});
    const std::vector<engine::StateWrite> state = {
        {1, std::int64_t{5}}, {2, 1.0F}, {3, engine::Blob(blob)}};
    shards::Inputs inputs;
    inputs.move = engine::Position{2, 3, 4};
    inputs.view = view;
    inputs.facing = engine::Angle{13};
    inputs.layers = {14, 15};
    inputs.notify = engine::NotifyRange{16, 17};
    inputs.leave = true;
    inputs.state = state;
    inputs.messages = {{18, blob}, {19, {}}};
    inputs.keyframe = true;
    inputs.port_state = {20, 21, 22, 23};
    shards::encode_inputs(engine::EntityId{1}, inputs, true, bytes);
    EXPECT_EQ(taken(),
              "0301ff0f 04060803 0a0c0e10 12140b0c 0d0e0f20 2203040a 09000080 3f0e02ee ee021202 "
              "eeee1300 14151617");

    engine::Entity entity;
    entity.id = engine::EntityId{20};
    entity.position = {2, 3, 4};
    entity.layers = 14;
    entity.layers_seen = 15;
    entity.view = view;
    entity.facing = 13;
    entity.kind = 18;
    entity.notify = {16, 17};
    entity.importance = 19;
    entity.state = engine::with(nullptr, state, 1);
    shards::encode_join(entity, true, bytes);
    EXPECT_EQ(taken(),
              "04140104 06080e0f 030a0c0e 1012140b 0c0d1220 22130304 0a090000 803f0e02 eeee");

    shards::encode_unframed(engine::EntityId{1}, bytes);
    shards::encode_tick_end(0x0123456789abcdefU, bytes);
    shards::encode_mark(shards::RecordKind::next_part, bytes);
    shards::encode_mark(shards::RecordKind::end, bytes);
    shards::encode_gone(engine::EntityId{1}, bytes);
    EXPECT_EQ(taken(), "050106ef cdab8967 45230107 080901");
}

TEST(RecordingCodec, ReadsLayoutsAsTheyWereWritten) {
    const shards::Layout layout = small_layout(3, 2);
    Bytes bytes;
    shards::encode_layout(12, layout, bytes);
    const auto record = only<shards::LayoutRecord>(bytes);
    EXPECT_EQ(record.from, 12U);
    ASSERT_EQ(record.regions.size(), layout.size());
    for (const shards::ShardId shard : layout.shards()) {
        EXPECT_EQ(record.regions[to_number(shard)], layout.region(shard));
    }
}

TEST(RecordingCodec, RefusesWhatNoRecorderWrites) {
    EXPECT_EQ(reason("00"), "a record of an unknown kind");
    EXPECT_EQ(reason("ff"), "a record of an unknown kind");
    EXPECT_EQ(reason("0301 00"), "inputs without any");
    EXPECT_EQ(reason("0301 8010"), "a number that is out of range");
    EXPECT_EQ(reason("0301 8008 8002 64 00 00"), "a number that is out of range")
        << "an authority of 9 bits";
    EXPECT_EQ(reason("0301 40 11"), "a state that is none") << "17 slots";
    EXPECT_EQ(reason("0301 40 01 02 8108"), "a state that is none") << "1,025 bytes";
    EXPECT_EQ(reason("0301 8001 00"), "messages without any");
    EXPECT_EQ(reason("0301 8001 41"), "a number that is out of range") << "65 messages";
    EXPECT_EQ(reason("0301 8001 01 808004 00"), "a number that is out of range")
        << "a kind of 17 bits";
    EXPECT_EQ(reason("0200 00"), "a tick that does not come after the one before");
    EXPECT_EQ(reason("0201 02"), "a number that is out of range");
    EXPECT_EQ(reason("0301 0180"), "a number that is cut off or longer than it need be");
    EXPECT_EQ(reason("0301 01808080 8010 0000"), "a length that does not fit 32 bits");
    EXPECT_EQ(reason("01030102 611b0204 3c50"), "a name with control characters");
    EXPECT_EQ(reason("01030102 617f0204 3c50"), "a name with control characters");
    EXPECT_EQ(reason("0600"), "cut off");
    EXPECT_EQ(reason("0100 8102"), "a number that is out of range") << "257 regions";
}

TEST(RecordingOptions, AreReadAsTheyWereWritten) {
    shards::ZoneOptions options = small_world();
    options.dimensions = engine::Dimensions::three;
    options.tick_rate_hz = 128;
    options.frame_gap_ticks_max = 7;
    options.index = "quadtree";
    options.crowd.visible_max = 70;
    options.crowd.sticky_percent = 5;
    options.crowd.rings = {{{0, 2}, {20, 3}, {30, 4}, {40, 5}}};
    options.crowd.frame_bytes_max = 700;
    options.crowd.stale_ticks_max = 9;
    options.slots = slots_of_all_audiences(7);
    const std::string text = shards::options_text(options);
    const auto read = std::get<shards::ZoneOptions>(shards::options_of(text));
    EXPECT_EQ(shards::options_text(read), text);
    EXPECT_EQ(read.world, options.world);
    EXPECT_EQ(read.index, "quadtree");
    EXPECT_EQ(read.frame_gap_ticks_max, 7U);
    EXPECT_EQ(read.crowd, options.crowd);
    EXPECT_EQ(read.slots, options.slots);
}

TEST(RecordingOptions, AreRefusedWithTheNameOfWhatIsWrong) {
    shards::ZoneOptions options = small_world();
    options.slots.resize(1);
    const std::string text = shards::options_text(options);
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string other = text;
        const std::size_t at = other.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        const auto read = shards::options_of(other.replace(at, from.size(), to));
        const auto* problem = std::get_if<std::string>(&read);
        return problem != nullptr ? *problem : "none";
    };
    EXPECT_EQ(changed("dimensions 2", "dimensions 4"), "'dimensions' is no number from 2 to 3");
    EXPECT_EQ(changed("dimensions 2", "dimensions 2 "), "'dimensions' is no number from 2 to 3");
    EXPECT_EQ(changed("dimensions", "directions"), "'dimensions' is missing");
    EXPECT_EQ(changed("index grid_cross_list", "index heap"), "'index' is none that is known");
    EXPECT_EQ(changed("index grid_cross_list\n", ""), "'index' is missing");
    EXPECT_EQ(changed("slot all 0", "slot all 3"), "'slot' is none");
    EXPECT_EQ(changed("slot all 0", "slot All 0"),
              "the slots have a name that is not 1 to 32 of a-z, 0-9 and _");
    EXPECT_EQ(changed("slot all 0 0 0 0 1 64 5\n", "slot all 0 0 0 0 1 64\n"), "none")
        << "as before there were slots of the facing";
    EXPECT_EQ(changed("64 5\n", "64 5 5\n"), "'slot' is none");
    EXPECT_EQ(changed("64 5\n", "64 181\n"), "the slots have a facing_step_deg of more than 180");
    EXPECT_EQ(changed("world.max_x_mm 99", "world.max_x_mm -1"), "the world has no inside");
    EXPECT_EQ(changed("ring_1.every_ticks 0", "ring_1.every_ticks 1"),
              "each update ring is wider and slower than the one before");
    EXPECT_EQ(changed("index grid_cross_list\n", "index grid\nnews 1\n"),
              "something follows the last option");
}

}  // namespace marchland::tests
