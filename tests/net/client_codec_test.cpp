#include "net/decode_client.h"
#include "net/encode_client.h"
#include "net/encode_server.h"
#include "tests/net/hex.h"
#include "tests/net/random_messages.h"
#include "marchland_generated.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace marchland::tests {

namespace {

using net::ErrorCode;
using Decoded = std::variant<net::ClientMessage, net::ErrorMessage>;

std::vector<std::byte> encoded(const net::ClientMessage& message) {
    flatbuffers::FlatBufferBuilder builder;
    const auto bytes = net::encode(builder, message);
    return {bytes.begin(), bytes.end()};
}

std::optional<ErrorCode> error_of(const Decoded& decoded) {
    const auto* const error = std::get_if<net::ErrorMessage>(&decoded);
    return error == nullptr ? std::nullopt : std::optional(error->code);
}

/// Of a copy, which begins at a multiple of 8 as a received message does.
std::optional<ErrorCode> error_of(std::span<const std::byte> bytes) {
    const std::vector<std::byte> message(bytes.begin(), bytes.end());
    return error_of(net::decode_client(message));
}

void set_length_prefix(std::vector<std::byte>& message) {
    const auto length = static_cast<std::uint32_t>(message.size() - 4);
    std::memcpy(message.data(), &length, sizeof length);
}

}  // namespace

RC_GTEST_PROP(ClientMessages, AreDecodedAsTheyWereEncoded, ()) {
    const net::ClientMessage message = any_client_message();
    RC_ASSERT(net::decode_client(encoded(message)) == Decoded(message));
}

TEST(ClientMessages, AreDrawnOfEveryKind) {
    std::set<std::size_t> drawn;
    rc::check([&] {
        for (int i = 0; i < 10; ++i) {
            drawn.insert(any_client_message().index());
        }
    });
    EXPECT_EQ(drawn.size(), std::variant_size_v<net::ClientMessage> - 1) << "all but skipped ones";
}

TEST(ClientMessages, HaveTheDocumentedBytes) {
    const net::Hello hello{3,
                           0,
                           7,
                           engine::Position{1'000, -2'000, 3},
                           engine::View::circle(50'000, 55'000),
                           state_of(bytes_of("abcd"))};
    EXPECT_EQ(hex_of(encoded(hello)),
              "68000000 0c000000 08000c00 07000800 08000000 00000001 14000000 10001e00 "
              "04000000 06000800 14001800 10000000 03000700 e8030000 30f8ffff 03000000 "
              "14000000 1c000000 00000a00 0c000000 04000800 0a000000 50c30000 d8d60000 "
              "05000000 010202ab cd000000");
    EXPECT_EQ(hex_of(encoded(net::Move{5, {1'250, -2'000, 3}})),
              "34000000 0c000000 08000c00 07000800 08000000 00000002 0c000000 08001400 "
              "04000800 08000000 05000000 e2040000 30f8ffff 03000000");
    EXPECT_EQ(hex_of(encoded(net::SetView{engine::View::circle(30'000, 33'000)})),
              "40000000 0c000000 08000e00 07000800 08000000 00000003 0c000000 00000600 "
              "0a000400 06000000 10000000 00000a00 0c000000 04000800 0a000000 30750000 "
              "e8800000");
    EXPECT_EQ(hex_of(encoded(net::Move{6, {1'250, -2'000, 3}, engine::kQuarterTurn})),
              "3c000000 0c000000 08000e00 07000800 08000000 00000002 10000000 00000a00 "
              "18000800 0c000600 0a000000 00000040 06000000 e2040000 30f8ffff 03000000");
    EXPECT_EQ(hex_of(encoded(net::SetView{engine::View::sector(30'000, 33'000, 8'192, 9'000)})),

              "54000000 0c000000 08000e00 07000800 08000000 00000003 0c000000 00000600 "
              "0a000400 06000000 1c000000 00001600 14000700 0c001000 00000000 00000000 "
              "08000a00 16000000 00000003 00202823 30750000 e8800000");
    EXPECT_EQ(hex_of(encoded(net::Ping{0x1122334455667788})),
              "2c000000 0c000000 08000e00 07000800 08000000 00000004 0c000000 00000600 "
              "0c000400 06000000 88776655 44332211");
    EXPECT_EQ(hex_of(encoded(net::LeaveZone{})),
              "20000000 0c000000 08000c00 07000800 08000000 00000005 08000000 04000400 "
              "04000000");
}

TEST(ClientMessages, AreReadWhicheverWayTheirWriterAligns) {
    flatbuffers::FlatBufferBuilder builder;
    const auto ping = wire::CreatePing(builder, 42);
    builder.Finish(wire::CreateMessage(builder, wire::Body::Ping, ping.Union()));
    std::vector<std::byte> message(4 + builder.GetSize());
    std::memcpy(message.data() + 4, builder.GetBufferPointer(), builder.GetSize());
    set_length_prefix(message);

    EXPECT_EQ(net::decode_client(message), Decoded(net::Ping{42}));
}

RC_GTEST_PROP(ClientMessages, AreRefusedWhenCutOffAnywhere, ()) {
    const std::vector<std::byte> whole = encoded(any_client_message());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<long>(size));
        RC_ASSERT(error_of(part) == ErrorCode::malformed);
        if (size >= 4) {
            // A part whose prefix claims that it is whole may hold a message still; it may not make
            // the decoder read on where it ends, which AddressSanitizer would see.
            set_length_prefix(part);
            static_cast<void>(net::decode_client(part));
        }
    }
}

RC_GTEST_PROP(ClientMessages, DoNoHarmWithAnyByteChanged, ()) {
    std::vector<std::byte> message = encoded(any_client_message());
    const auto place = *rc::gen::inRange<std::size_t>(4, message.size());
    message[place] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
    const Decoded decoded = net::decode_client(message);
    if (const auto* const set_view = std::get_if<net::ClientMessage>(&decoded)) {
        // Whatever is let through is within what the session relies on.
        if (const auto* const view = std::get_if<net::SetView>(set_view)) {
            RC_ASSERT(engine::flaw_of(view->view, engine::Dimensions::three) == nullptr);
        }
    }
}

RC_GTEST_PROP(ClientMessages, AreRefusedWhenTheyAreNoise, (std::vector<std::uint8_t> noise)) {
    std::vector<std::byte> message(4 + noise.size());
    std::transform(noise.begin(), noise.end(), message.begin() + 4,
                   [](std::uint8_t byte) { return std::byte{byte}; });
    set_length_prefix(message);
    RC_ASSERT(error_of(message) == ErrorCode::malformed);
}

TEST(ClientMessages, OfAnotherMajorVersionAreRefusedWithBothVersions) {
    net::Hello hello;
    hello.protocol_major = 1;
    hello.protocol_minor = 4;
    const Decoded decoded = net::decode_client(encoded(hello));
    ASSERT_EQ(error_of(decoded), ErrorCode::unsupported_version);
    EXPECT_EQ(std::get<net::ErrorMessage>(decoded).text,
              "this server speaks protocol 3.2, the client 1.4");
}

TEST(ClientMessages, OfAnotherMinorVersionAreRead) {
    net::Hello hello;
    hello.protocol_minor = 9;
    EXPECT_EQ(error_of(encoded(hello)), std::nullopt);
}

TEST(ClientMessages, AreRefusedWhenAViewContradictsItself) {
    const engine::View views[] = {
        engine::View::circle(10, 9),
        engine::View::circle(-1, 9),
        {static_cast<engine::Shape>(5), 1, 2},
        engine::View::rectangle(1, 3, 1, 2),
        engine::View::rectangle(1, -1, 1, 2),
        engine::View::box({1, 1, 5}, {1, 1, 4}),
        engine::View::cylinder(1, 1, -1, 4),
        engine::View::sector(1, 1, 2, 1),
        engine::View::sector(1, 1, 2, engine::kHalfTurn + 1),
    };
    for (const engine::View& view : views) {
        EXPECT_EQ(error_of(encoded(net::SetView{view})), ErrorCode::malformed);
        net::Hello hello;
        hello.view = view;
        EXPECT_EQ(error_of(encoded(hello)), ErrorCode::malformed);
    }
}

TEST(ClientMessages, AreRefusedWhenAPackedStateIsNone) {
    const auto error_of_packed = [](const char* hex) {
        flatbuffers::FlatBufferBuilder builder;
        const auto bytes = bytes_of(hex);
        const auto state =
            builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        const auto body = wire::CreateSetState(builder, state).Union();
        builder.FinishSizePrefixed(wire::CreateMessage(builder, wire::Body::SetState, body));
        const std::span<const std::uint8_t> message(builder.GetBufferPointer(), builder.GetSize());
        return error_of(std::as_bytes(message));
    };
    EXPECT_EQ(error_of_packed("00"), std::nullopt);
    EXPECT_EQ(error_of_packed("01000a"), std::nullopt);
    EXPECT_EQ(error_of_packed("02000a04 0c"), std::nullopt);
    for (const char* const none :
         {"01", "0100", "0100800000", "0100 0a 00", "02040a00 0a", "0200 0a00 0a", "01030a",
          "01400a", "0101000000", "010203aabb", "0102818000", "0102810800", "11"}) {
        EXPECT_EQ(error_of_packed(none), ErrorCode::malformed) << none;
    }
}

TEST(ClientMessages, AreOutOfOrderWhenOnlyAServerSendsThem) {
    flatbuffers::FlatBufferBuilder builder;
    EXPECT_EQ(error_of(net::encode(builder, net::Pong{1, 2})), ErrorCode::out_of_order);
    EXPECT_EQ(error_of(net::encode(builder, net::Welcome{})), ErrorCode::out_of_order);
    EXPECT_EQ(error_of(net::encode(builder, net::ErrorMessage{})), ErrorCode::out_of_order);
}

TEST(ClientMessages, OfAnUnknownTypeAreSkippedOnlyWhenTheySayThatTheyMayBe) {
    EXPECT_EQ(net::decode_client(message_of_unknown_type(true)), Decoded(net::SkippedMessage{}));
    EXPECT_EQ(error_of(net::decode_client(message_of_unknown_type(false))), ErrorCode::malformed);
}

TEST(ClientMessages, AreRefusedWhenAMessageIsOverALimitOrHasTwoAudiences) {
    net::SendMessage message{1, 2, {}};
    message.payload.resize(engine::kBlobBytesMax);
    EXPECT_EQ(error_of(encoded(message)), std::nullopt);
    message.payload.emplace_back();
    EXPECT_EQ(error_of(encoded(message)), ErrorCode::too_large);
    net::MessageTo one;
    one.payload = message.payload;
    EXPECT_EQ(error_of(encoded(net::SendMessages{{one}})), ErrorCode::too_large);
    one.payload.clear();
    one.within = net::Circle{{1, 2, 3}, 5};
    one.layers = 2;
    EXPECT_EQ(error_of(encoded(net::SendMessages{{one}})), std::nullopt) << "both are true";
    one.to_viewers_of = engine::EntityId{1};
    EXPECT_EQ(error_of(encoded(net::SendMessages{{one}})), ErrorCode::malformed);
    one.to_viewers_of = {};
    one.within->radius_mm = -1;
    EXPECT_EQ(error_of(encoded(net::SendMessages{{one}})), ErrorCode::malformed);
    net::TransferPlayer transfer{engine::EntityId{1}, std::string(net::kAddressBytesMax, 'x')};
    EXPECT_EQ(error_of(encoded(transfer)), std::nullopt);
    transfer.address.push_back('x');
    EXPECT_EQ(error_of(encoded(transfer)), ErrorCode::too_large);
    transfer.address.clear();
    EXPECT_EQ(error_of(encoded(transfer)), ErrorCode::too_large);
}

TEST(ClientMessages, OfServicesAreRefusedWhenTheirContentIsOverALimit) {
    EXPECT_EQ(error_of(encoded(net::Despawn{std::vector<engine::EntityId>(1'024)})), std::nullopt);
    EXPECT_EQ(error_of(encoded(net::Despawn{std::vector<engine::EntityId>(1'025)})),
              ErrorCode::too_large);
    EXPECT_EQ(error_of(encoded(net::Change{std::vector<net::ChangeOne>(1'025)})),
              ErrorCode::too_large);
    net::ServiceHello hello;
    hello.name = std::string(net::kServiceNameBytesMax + 1, 'x');
    EXPECT_EQ(error_of(encoded(hello)), ErrorCode::too_large);
    net::SpawnOne spawn;
    spawn.view = engine::View::circle(10, 9);
    EXPECT_EQ(error_of(encoded(net::Spawn{{spawn}})), ErrorCode::malformed);
}

/// One kilobyte that every entity of a list names would be made a megabyte of, a hundred times
/// over.
TEST(ClientMessages, OfServicesAreRefusedWhenTheyNameTheSameBytesTooOften) {
    flatbuffers::FlatBufferBuilder builder;
    const wire::Position position(1, 2, 3);
    const auto state = builder.CreateVector(std::vector<std::uint8_t>(1'024));
    const auto one = wire::CreateSpawnOne(builder, 1, 1, &position, 0, nullptr, 0, nullptr, state);
    const auto list = builder.CreateVector(std::vector(60'000, one));
    const auto body = wire::CreateSpawn(builder, list).Union();
    builder.FinishSizePrefixed(wire::CreateMessage(builder, wire::Body::Spawn, body));
    const std::span<const std::uint8_t> bytes(builder.GetBufferPointer(), builder.GetSize());
    EXPECT_EQ(error_of(std::as_bytes(bytes)), ErrorCode::too_large);
}

TEST(ClientMessages, OfServicesOfAnotherMajorVersionAreRefusedWithBothVersions) {
    net::ServiceHello hello;
    hello.protocol_major = 2;
    EXPECT_EQ(error_of(encoded(hello)), ErrorCode::unsupported_version);
}

/// A few thousand bytes that would be a megabyte.
TEST(ClientMessages, WhoseItemsShareTheirBytesAreMalformed) {
    flatbuffers::FlatBufferBuilder builder;
    const auto payload = builder.CreateVector(std::vector<std::uint8_t>(1'024));
    const auto message = wire::CreateMessageTo(builder, 0, true, 1, payload);
    const auto messages =
        builder.CreateVector(std::vector<flatbuffers::Offset<wire::MessageTo>>(1'024, message));
    const auto body = wire::CreateSendMessages(builder, messages);
    builder.FinishSizePrefixed(
        wire::CreateMessage(builder, wire::Body::SendMessages, body.Union()));
    EXPECT_EQ(error_of(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()))),
              ErrorCode::malformed);
}

}  // namespace marchland::tests
