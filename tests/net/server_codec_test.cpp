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

#include <algorithm>

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

engine::CrowdLimits any_crowd_limits() {
    engine::CrowdLimits limits;
    limits.visible_max = any_number<std::uint32_t>();
    limits.sticky_percent = static_cast<std::uint32_t>(any_between(0, engine::kStickyPercentMax));
    if (any_bool()) {
        limits.frame_bytes_max = static_cast<std::uint32_t>(
            any_between(engine::CrowdLimits::kFrameBytesMin + 1, UINT32_MAX));
    }
    limits.stale_ticks_max = static_cast<std::uint32_t>(any_between(256, engine::kStaleTicksMax));
    const auto rings = static_cast<std::size_t>(any_between(0, engine::kUpdateRingsMax));
    for (std::size_t i = 0; i < rings; ++i) {
        limits.rings.at(i) = {static_cast<std::int32_t>(i * 1'000),
                              static_cast<std::uint32_t>(i + 2)};
    }
    return limits.is_any_set() ? limits : engine::CrowdLimits{};
}

engine::StateSlots any_slots() {
    engine::StateSlots slots(static_cast<std::size_t>(any_between(0, 3)));
    for (std::size_t i = 0; i < slots.size(); ++i) {
        engine::StateSlot& slot = slots[i];
        slot.name = "slot_" + std::to_string(i);
        slot.type = static_cast<engine::StateType>(any_between(0, 2));
        slot.writer = static_cast<engine::StateWriter>(any_between(0, 1));
        slot.audience = static_cast<engine::StateAudience>(any_between(0, 3));
        slot.radius_mm = static_cast<std::int32_t>(any_between(0, INT32_MAX));
        slot.layers = any_number<engine::LayerMask>();
        slot.bytes_max = static_cast<std::uint32_t>(any_between(1, 1'024));
    }
    return slots;
}

engine::Dimensions any_dimensions() {
    return any_bool() ? engine::Dimensions::two : engine::Dimensions::three;
}

std::uint32_t any_quantum() {
    return static_cast<std::uint32_t>(any_between(1, INT32_MAX));
}

net::Welcome any_welcome() {
    net::Welcome welcome;
    welcome.entity = engine::EntityId{any_number<std::uint64_t>()};
    welcome.tick = any_number<std::uint64_t>();
    welcome.tick_rate_hz = any_number<std::uint16_t>();
    welcome.dimensions = any_dimensions();
    welcome.world_min = any_position();
    welcome.world_max = any_position();
    welcome.spawn = any_position();
    welcome.view = any_view_in(welcome.dimensions);
    welcome.leave_radius_mm_max = any_number<std::int32_t>();
    welcome.crowd = any_crowd_limits();
    welcome.server_time_us = any_number<std::uint64_t>();
    welcome.quantum_mm = any_quantum();
    welcome.resume_token = any_blob();
    welcome.resume_grace_ms = any_number<std::uint32_t>();
    welcome.resumed = any_bool();
    welcome.states_per_second_max = any_number<std::uint32_t>();
    welcome.slots = any_slots();
    welcome.messages = {any_number<std::uint32_t>(), any_number<std::uint32_t>()};
    welcome.message_number = any_number<std::uint32_t>();
    welcome.restart_grace_ms = any_number<std::uint32_t>();
    return welcome;
}

net::SpawnedOne any_spawned_one() {
    return {any_id(), any_number<std::uint32_t>()};
}

std::vector<net::SpawnedOne> any_spawned() {
    std::vector<net::SpawnedOne> spawned(static_cast<std::size_t>(any_between(0, 100)));
    std::ranges::generate(spawned, any_spawned_one);
    return spawned;
}

net::ServiceWelcome any_service_welcome() {
    net::ServiceWelcome welcome;
    welcome.tick = any_number<std::uint64_t>();
    welcome.server_time_us = any_number<std::uint64_t>();
    welcome.tick_rate_hz = any_number<std::uint16_t>();
    welcome.dimensions = any_dimensions();
    welcome.world_min = any_position();
    welcome.world_max = any_position();
    welcome.leave_radius_mm_max = any_number<std::int32_t>();
    welcome.notify_leave_radius_mm_max = any_number<std::int32_t>();
    welcome.quantum_mm = any_quantum();
    welcome.resume_token = any_blob();
    welcome.resume_grace_ms = any_number<std::uint32_t>();
    welcome.resumed = any_bool();
    welcome.message_bytes_max = any_number<std::uint32_t>();
    welcome.entities_max = any_number<std::uint32_t>();
    welcome.watchers_max = any_number<std::uint32_t>();
    welcome.entities = any_spawned();
    welcome.slots = any_slots();
    welcome.restart_grace_ms = any_number<std::uint32_t>();
    return welcome;
}

template <typename Message>
bool is_decoded_as_encoded(const Message& message) {
    net::ServerMessage decoded;
    return !net::decode_server(encoded(message), decoded) && decoded == net::ServerMessage(message);
}

}  // namespace

RC_GTEST_PROP(ServerMessages, WelcomeIsDecodedAsItWasEncoded, ()) {
    const net::Welcome welcome = any_welcome();
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
    RC_ASSERT(is_decoded_as_encoded(any_service_welcome()));
    RC_ASSERT(is_decoded_as_encoded(net::Spawned{any_spawned()}));
    RC_ASSERT(is_decoded_as_encoded(
        net::PlayerJoined{any_id(), any_number<std::uint16_t>(), any_position(), any_state(),
                          any_text(), any_text(), any_blob(), any_number<std::uint64_t>()}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerLeft{
        any_id(), any_bool() ? net::PlayerLeftReason::left : net::PlayerLeftReason::closed}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerAway{any_id(), any_number<std::uint32_t>()}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerBack{any_id(), any_text()}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerMessage{any_id(), any_number<std::uint16_t>(),
                                                       any_number<std::uint64_t>(), any_position(),
                                                       any_blob()}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerAsks{
        any_number<std::uint64_t>(), any_number<std::uint16_t>(), maybe(any_position), any_text(),
        any_text(), any_blob(), any_number<std::uint32_t>()}));
    RC_ASSERT(is_decoded_as_encoded(net::MessagesLost{any_number<std::uint64_t>()}));
    RC_ASSERT(is_decoded_as_encoded(net::PlayersListed{}));
    RC_ASSERT(is_decoded_as_encoded(any_positions()));
    RC_ASSERT(is_decoded_as_encoded(net::PlayerMove{any_id(),
                                                    any_number<std::uint32_t>(),
                                                    any_number<std::uint64_t>(),
                                                    any_position(),
                                                    maybe(any_number<engine::Angle>),
                                                    {7, -8, 9}}));
    RC_ASSERT(is_decoded_as_encoded(net::CommandRefused{
        any_number<std::uint8_t>(), any_id(), any_number<std::uint32_t>(),
        any_bool() ? net::RefusalReason::not_there : net::RefusalReason::not_writer}));
}

TEST(ServerMessages, OfAnUnknownTypeAreSkippedOnlyWhenTheySayThatTheyMayBe) {
    net::ServerMessage decoded;
    EXPECT_FALSE(net::decode_server(message_of_unknown_type(true), decoded));
    EXPECT_EQ(decoded, net::ServerMessage(net::SkippedMessage{}));
    EXPECT_TRUE(is_refused(message_of_unknown_type(false)));
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
    const std::vector<std::byte> whole = encoded(any_welcome());
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
    using net::ErrorCode;
    const std::vector<std::pair<ErrorCode, std::string>> names{
        {ErrorCode::malformed, "malformed"},
        {ErrorCode::too_large, "too_large"},
        {ErrorCode::unsupported_version, "unsupported_version"},
        {ErrorCode::out_of_order, "out_of_order"},
        {ErrorCode::out_of_range, "out_of_range"},
        {ErrorCode::too_fast, "too_fast"},
        {ErrorCode::handshake_timeout, "handshake_timeout"},
        {ErrorCode::idle_timeout, "idle_timeout"},
        {ErrorCode::too_slow, "too_slow"},
        {ErrorCode::full, "full"},
        {ErrorCode::stopping, "stopping"},
        {ErrorCode::unauthorized, "unauthorized"},
        {ErrorCode::address_limit, "address_limit"},
        {ErrorCode::not_allowed, "not_allowed"},
        {ErrorCode::resume_refused, "resume_refused"},
        {ErrorCode::superseded, "superseded"},
        {ErrorCode::removed, "removed"},
        {ErrorCode::second_login, "second_login"},
        {ErrorCode::overloaded, "overloaded"},
        {ErrorCode::transferred, "transferred"},
        {ErrorCode::not_admitted, "not_admitted"}};
    EXPECT_EQ(names.size() + 1, net::kErrorCodesEnd);
    for (const auto& [code, name] : names) {
        EXPECT_EQ(net::name_of(code), name);
    }
    EXPECT_EQ(net::name_of(ErrorCode{}), "unknown");
    EXPECT_EQ(net::name_of(static_cast<ErrorCode>(999)), "unknown");
}

}  // namespace marchland::tests
