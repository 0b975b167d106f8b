#include "net/decode_server.h"
#include "net/encode_client.h"
#include "net/encode_server.h"
#include "tests/net/documented_welcome.h"
#include "tests/net/hex.h"
#include "tests/net/random_messages.h"
#include "marchland_generated.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace marchland::tests {

namespace {

template <typename Message>
std::vector<std::byte> encoded(const Message& message) {
    flatbuffers::FlatBufferBuilder builder;
    const auto bytes = net::encode(builder, message);
    return {bytes.begin(), bytes.end()};
}

/// A frame as only a broken server would send it.
std::vector<std::byte> odd_frame(std::uint8_t leave_reason,
                                 const std::vector<std::uint8_t>& moves) {
    flatbuffers::FlatBufferBuilder builder;
    const std::vector<wire::Left> leaves = {{1, static_cast<wire::LeaveReason>(leave_reason)}};
    const auto frame =
        wire::CreateFrameDirect(builder, 1, 0, false, &leaves, nullptr, &moves).Union();
    builder.FinishSizePrefixed(wire::CreateMessage(builder, wire::Body::Frame, frame));
    const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {bytes.begin(), bytes.end()};
}

bool is_refused(const std::vector<std::byte>& message) {
    net::ServerMessage ignored;
    return net::decode_server(message, ignored).has_value();
}

rc::Gen<engine::CrowdLimits> any_crowd_limits() {
    return rc::gen::exec([] {
        engine::CrowdLimits limits;
        limits.visible_max = *rc::gen::inRange<std::uint32_t>(0, UINT32_MAX);
        limits.sticky_percent = *rc::gen::inRange<std::uint32_t>(0, engine::kStickyPercentMax + 1);
        limits.frame_bytes_max = *rc::gen::inRange<std::uint32_t>(0, UINT32_MAX);
        limits.stale_ticks_max = *rc::gen::inRange<std::uint32_t>(256, engine::kStaleTicksMax + 1);
        const auto rings = *rc::gen::inRange<std::size_t>(0, engine::kUpdateRingsMax + 1);
        for (std::size_t i = 0; i < rings; ++i) {
            limits.rings.at(i) = {static_cast<std::int32_t>(i * 1'000),
                                  static_cast<std::uint32_t>(i + 2)};
        }
        return limits.is_any_set() ? limits : engine::CrowdLimits{};
    });
}

rc::Gen<net::SendLimit> any_credit() {
    return rc::gen::build<net::SendLimit>(
        rc::gen::set(&net::SendLimit::per_second_max, any_number<std::uint32_t>()),
        rc::gen::set(&net::SendLimit::bytes_max, any_number<std::uint32_t>()));
}

rc::Gen<engine::StateSlots> any_slots() {
    return rc::gen::exec([] {
        engine::StateSlots slots(*rc::gen::inRange<std::size_t>(0, 4));
        for (std::size_t i = 0; i < slots.size(); ++i) {
            engine::StateSlot& slot = slots[i];
            slot.name = "slot_" + std::to_string(i);
            slot.type = *rc::gen::element(engine::StateType::integer, engine::StateType::real,
                                          engine::StateType::bytes);
            slot.writer =
                *rc::gen::element(engine::StateWriter::service, engine::StateWriter::player);
            slot.audience =
                *rc::gen::element(engine::StateAudience::all, engine::StateAudience::own,
                                  engine::StateAudience::near, engine::StateAudience::layer);
            slot.radius_mm = *rc::gen::inRange(0, INT32_MAX);
            slot.layers = *rc::gen::arbitrary<engine::LayerMask>();
            slot.bytes_max = *rc::gen::inRange(1U, 1'025U);
        }
        return slots;
    });
}

rc::Gen<net::Welcome> any_welcome() {
    using net::Welcome;
    const auto dimensions = *rc::gen::element(engine::Dimensions::two, engine::Dimensions::three);
    return rc::gen::build<Welcome>(
        rc::gen::set(&Welcome::entity,
                     rc::gen::map(any_number<std::uint64_t>(),
                                  [](std::uint64_t id) { return engine::EntityId{id}; })),
        rc::gen::set(&Welcome::tick, any_number<std::uint64_t>()),
        rc::gen::set(&Welcome::tick_rate_hz, any_number<std::uint16_t>()),
        rc::gen::set(&Welcome::dimensions, rc::gen::just(dimensions)),
        rc::gen::set(&Welcome::world_min, any_position()),
        rc::gen::set(&Welcome::world_max, any_position()),
        rc::gen::set(&Welcome::spawn, any_position()),
        rc::gen::set(&Welcome::view, any_view(dimensions)),
        rc::gen::set(&Welcome::leave_radius_mm_max, any_number<std::int32_t>()),
        rc::gen::set(&Welcome::crowd, any_crowd_limits()),
        rc::gen::set(&Welcome::server_time_us, any_number<std::uint64_t>()),
        rc::gen::set(&Welcome::quantum_mm, rc::gen::inRange<std::uint32_t>(1, INT32_MAX)),
        rc::gen::set(&Welcome::resume_token, any_blob()),
        rc::gen::set(&Welcome::resume_grace_ms, any_number<std::uint32_t>()),
        rc::gen::set(&Welcome::resumed, rc::gen::arbitrary<bool>()),
        rc::gen::set(&Welcome::states_per_second_max, any_number<std::uint32_t>()),
        rc::gen::set(&Welcome::slots, any_slots()), rc::gen::set(&Welcome::messages, any_credit()),
        rc::gen::set(&Welcome::message_number, any_number<std::uint32_t>()));
}

rc::Gen<std::vector<net::SpawnedOne>> any_spawned() {
    return rc::gen::container<std::vector<net::SpawnedOne>>(rc::gen::build<net::SpawnedOne>(
        rc::gen::set(&net::SpawnedOne::entity, any_id()),
        rc::gen::set(&net::SpawnedOne::ref, any_number<std::uint32_t>())));
}

rc::Gen<net::ServiceWelcome> any_service_welcome() {
    using net::ServiceWelcome;
    return rc::gen::build<ServiceWelcome>(
        rc::gen::set(&ServiceWelcome::tick, any_number<std::uint64_t>()),
        rc::gen::set(&ServiceWelcome::server_time_us, any_number<std::uint64_t>()),
        rc::gen::set(&ServiceWelcome::tick_rate_hz, any_number<std::uint16_t>()),
        rc::gen::set(&ServiceWelcome::dimensions,
                     rc::gen::element(engine::Dimensions::two, engine::Dimensions::three)),
        rc::gen::set(&ServiceWelcome::world_min, any_position()),
        rc::gen::set(&ServiceWelcome::world_max, any_position()),
        rc::gen::set(&ServiceWelcome::leave_radius_mm_max, any_number<std::int32_t>()),
        rc::gen::set(&ServiceWelcome::notify_leave_radius_mm_max, any_number<std::int32_t>()),
        rc::gen::set(&ServiceWelcome::quantum_mm, rc::gen::inRange<std::uint32_t>(1, INT32_MAX)),
        rc::gen::set(&ServiceWelcome::resume_token, any_blob()),
        rc::gen::set(&ServiceWelcome::resume_grace_ms, any_number<std::uint32_t>()),
        rc::gen::set(&ServiceWelcome::resumed, rc::gen::arbitrary<bool>()),
        rc::gen::set(&ServiceWelcome::message_bytes_max, any_number<std::uint32_t>()),
        rc::gen::set(&ServiceWelcome::entities_max, any_number<std::uint32_t>()),
        rc::gen::set(&ServiceWelcome::watchers_max, any_number<std::uint32_t>()),
        rc::gen::set(&ServiceWelcome::entities, any_spawned()),
        rc::gen::set(&ServiceWelcome::slots, any_slots()));
}

template <typename Message>
bool is_decoded_as_encoded(const Message& message) {
    net::ServerMessage decoded;
    return !net::decode_server(encoded(message), decoded) && decoded == net::ServerMessage(message);
}

}  // namespace

RC_GTEST_PROP(ServerMessages, WelcomeIsDecodedAsItWasEncoded, ()) {
    const net::Welcome welcome = *any_welcome();
    net::ServerMessage decoded;
    RC_ASSERT(!net::decode_server(encoded(welcome), decoded));
    RC_ASSERT(decoded == net::ServerMessage(welcome));
}

RC_GTEST_PROP(ServerMessages, PongAndErrorAreDecodedAsTheyWereEncoded,
              (std::uint64_t nonce, std::uint64_t tick, std::uint16_t code, std::string text)) {
    net::ServerMessage decoded;
    const net::Pong pong{nonce, tick};
    RC_ASSERT(!net::decode_server(encoded(pong), decoded));
    RC_ASSERT(decoded == net::ServerMessage(pong));
    const net::ErrorMessage error{static_cast<net::ErrorCode>(code), text};
    RC_ASSERT(!net::decode_server(encoded(error), decoded));
    RC_ASSERT(decoded == net::ServerMessage(error));
}

RC_GTEST_PROP(ServerMessages, ToServicesAreDecodedAsTheyWereEncoded, ()) {
    RC_ASSERT(is_decoded_as_encoded(*any_service_welcome()));
    RC_ASSERT(is_decoded_as_encoded(net::Spawned{*any_spawned()}));
    const auto text = rc::gen::arbitrary<std::string>();
    RC_ASSERT(is_decoded_as_encoded(net::PlayerJoined{
        *any_id(), *any_number<std::uint16_t>(), *any_position(), *any_state(), *text, *text}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerLeft{
        *any_id(), *rc::gen::element(net::PlayerLeftReason::left, net::PlayerLeftReason::closed)}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerAway{*any_id(), *any_number<std::uint32_t>()}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerBack{*any_id(), *text}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerMessage{*any_id(), *any_number<std::uint16_t>(),
                                                       *any_number<std::uint64_t>(),
                                                       *any_position(), *any_blob()}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerAsks{
        *any_number<std::uint64_t>(), *any_number<std::uint16_t>(), *any_optional(any_position()),
        *text, *text, *any_blob(), *any_number<std::uint32_t>()}));
    RC_ASSERT(is_decoded_as_encoded(net::MessagesLost{*any_number<std::uint64_t>()}));
    RC_ASSERT(is_decoded_as_encoded(*any_positions()));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerMove{*any_id(),
                                                    *any_number<std::uint32_t>(),
                                                    *any_number<std::uint64_t>(),
                                                    *any_position(),
                                                    *any_optional(any_number<engine::Angle>()),
                                                    {7, -8, 9}}));
    RC_ASSERT(is_decoded_as_encoded(net::CommandRefused{
        *any_number<std::uint8_t>(), *any_id(), *any_number<std::uint32_t>(),
        *rc::gen::element(net::RefusalReason::not_there, net::RefusalReason::not_writer)}));
}

TEST(ServerMessages, OfAnUnknownTypeAreSkippedOnlyWhenTheySayThatTheyMayBe) {
    const auto message = [](bool is_optional) {
        flatbuffers::FlatBufferBuilder builder;
        const auto body = wire::CreateLeave(builder).Union();
        builder.FinishSizePrefixed(
            wire::CreateMessage(builder, static_cast<wire::Body>(77), body, is_optional));
        const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    net::ServerMessage decoded;
    EXPECT_FALSE(net::decode_server(message(true), decoded));
    EXPECT_EQ(decoded, net::ServerMessage(net::SkippedMessage{}));
    EXPECT_TRUE(is_refused(message(false)));
}

TEST(ServerMessages, HaveTheDocumentedBytes) {
    net::Welcome welcome = documented_welcome();
    welcome.quantum_mm = 1;
    EXPECT_EQ(hex_of(encoded(welcome)),
              "c4000000 0c000000 08000c00 07000800 08000000 00000006 28000000 24005c00 "
              "08000000 40004800 0a000700 0c001800 24003000 34000000 50000000 38003c00 "
              "24000000 00000002 03001400 e05ef8ff e05ef8ff 00000080 20a10700 20a10700 "
              "ffffff7f e8030000 30f8ffff 03000000 4c000000 a0860100 24000000 10270000 "
              "11000000 00000000 78000000 00000000 808d5b00 00000000 00000000 10000000 "
              "00010203 04050607 08090a0b 0c0d0e0f 00000a00 0c000000 04000800 0a000000 "
              "50c30000 d8d60000");
    EXPECT_EQ(hex_of(encoded(net::Pong{0x1122334455667788, 121})),
              "34000000 0c000000 08000c00 07000800 08000000 00000007 0c000000 08001400 "
              "04000c00 08000000 88776655 44332211 79000000 00000000");
    EXPECT_EQ(hex_of(encoded(net::ErrorMessage{net::ErrorCode::full, "full"})),
              "38000000 0c000000 08000c00 07000800 08000000 00000009 0c000000 08000c00 "
              "06000800 08000000 00000a00 04000000 04000000 66756c6c 00000000");
}

RC_GTEST_PROP(ServerMessages, AreRefusedWhenCutOffAnywhere, ()) {
    const std::vector<std::byte> whole = encoded(*any_welcome());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        RC_ASSERT(is_refused({whole.begin(), whole.begin() + static_cast<long>(size)}));
    }
}

TEST(ServerMessages, AreRefusedWhenAFrameIsOdd) {
    EXPECT_FALSE(is_refused(odd_frame(1, {0, 0, 0})));
    EXPECT_TRUE(is_refused(odd_frame(0, {0, 0, 0})));
    EXPECT_FALSE(is_refused(odd_frame(4, {0, 0, 0})));
    EXPECT_TRUE(is_refused(odd_frame(5, {0, 0, 0})));
    EXPECT_TRUE(is_refused(odd_frame(1, {0, 0})));
}

TEST(ServerMessages, AFramesHeadIsTheFrameWithoutItsLists) {
    const std::vector<std::byte> bytes = odd_frame(1, {0, 0, 0});
    net::ServerMessage whole;
    ASSERT_FALSE(net::decode_server(bytes, whole));
    auto expected = std::get<net::FrameMessage>(whole);
    EXPECT_EQ(expected.leaves.size(), 1U);
    expected.leaves.clear();
    expected.moves.clear();
    net::FrameMessage head;
    head.leaves.resize(7);
    ASSERT_TRUE(net::decode_frame_head(bytes, head));
    EXPECT_EQ(head, expected);
    EXPECT_FALSE(net::decode_frame_head(encoded(net::Pong{1, 2}), head));
    EXPECT_FALSE(net::decode_frame_head(std::span(bytes).first(bytes.size() / 2), head));
}

TEST(ServerMessages, AreRefusedWhenOnlyAClientSendsThem) {
    EXPECT_TRUE(is_refused(encoded(net::ClientMessage(net::Hello{}))));
    EXPECT_TRUE(is_refused(encoded(net::ClientMessage(net::Ping{}))));
}

TEST(ErrorCode, HasANameForEachNumber) {
    for (std::uint16_t number = 1; number <= 11; ++number) {
        EXPECT_NE(net::name_of(static_cast<net::ErrorCode>(number)), "unknown") << number;
    }
    EXPECT_EQ(net::name_of(net::ErrorCode::not_allowed), "not_allowed");
    EXPECT_EQ(net::name_of(net::ErrorCode::resume_refused), "resume_refused");
    EXPECT_EQ(net::name_of(net::ErrorCode::too_slow), "too_slow");
    EXPECT_EQ(net::name_of(static_cast<net::ErrorCode>(999)), "unknown");
}

}  // namespace marchland::tests
