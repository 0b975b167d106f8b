#include "net/transport/web_socket_frames.h"

#include "tests/net/hex.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace marchland::tests {

namespace {

using net::WebSocketFrames;
using Bytes = std::vector<std::byte>;
using Result = WebSocketFrames::Result;

/// A frame as a client sends it, by the book.
Bytes client_frame(std::uint8_t first, const Bytes& payload, std::uint32_t mask = 0x37fa213d) {
    Bytes frame{static_cast<std::byte>(first)};
    const std::size_t size = payload.size();
    const std::size_t wide = size < 126 ? 0 : size < 65'536 ? 2 : 8;
    frame.push_back(static_cast<std::byte>(0x80U | (wide == 0 ? size : wide == 2 ? 126U : 127U)));
    for (std::size_t i = wide; i > 0; --i) {
        frame.push_back(static_cast<std::byte>(size >> (8 * (i - 1))));
    }
    for (std::size_t i = 4; i > 0; --i) {
        frame.push_back(static_cast<std::byte>(mask >> (8 * (i - 1))));
    }
    for (std::size_t i = 0; i < size; ++i) {
        frame.push_back(payload[i] ^ static_cast<std::byte>(mask >> (8 * (3 - i % 4))));
    }
    return frame;
}

struct Taken {
    Result result = Result::more;
    Bytes up;
    Bytes down;
};

Taken take(const Bytes& bytes, std::size_t piece = SIZE_MAX) {
    WebSocketFrames frames;
    Taken taken;
    for (std::size_t at = 0; at < bytes.size() && taken.result == Result::more;) {
        const std::size_t size = std::min(piece, bytes.size() - at);
        taken.result = frames.take(std::span(bytes).subspan(at, size), taken.up, taken.down);
        at += size;
    }
    return taken;
}

Bytes any_payload(std::size_t size) {
    Bytes payload(size);
    for (std::size_t i = 0; i < size; ++i) {
        payload[i] = static_cast<std::byte>(i * 31 % 253);
    }
    return payload;
}

}  // namespace

TEST(WebSocketFrames, TakesTheMaskedExampleOfRfc6455) {
    // RFC 6455, 5.7: "Hello", masked; there a text message, here a binary one.
    const Taken taken = take(bytes_of("82 85 37fa213d 7f9f4d5158"));
    EXPECT_EQ(taken.result, Result::more);
    EXPECT_EQ(taken.up, bytes_of("48656c6c6f"));
}

TEST(WebSocketFrames, WritesLengthsInTheirShortestForm) {
    for (const auto& [size, header] : {std::pair{0U, "8200"},
                                       {125U, "827d"},
                                       {126U, "827e007e"},
                                       {65'535U, "827effff"},
                                       {65'536U, "827f0000000000010000"}}) {
        Bytes written;
        const Bytes payload = any_payload(size);
        net::append_binary(payload, written);
        Bytes expected = bytes_of(header);
        expected.insert(expected.end(), payload.begin(), payload.end());
        EXPECT_EQ(written, expected) << size;
    }
}

TEST(WebSocketFrames, APingIsAnsweredWithItsPayloadAlsoBetweenFragments) {
    Bytes stream = client_frame(0x02, bytes_of("0102"));
    for (const Bytes& part :
         {client_frame(0x89, bytes_of("aa bb")), client_frame(0x80, bytes_of("03"))}) {
        stream.insert(stream.end(), part.begin(), part.end());
    }
    const Taken taken = take(stream);
    EXPECT_EQ(taken.result, Result::more);
    EXPECT_EQ(taken.up, bytes_of("010203"));
    EXPECT_EQ(taken.down, bytes_of("8a02aabb"));
}

TEST(WebSocketFrames, ACloseIsAnsweredWithItsCode) {
    const Taken taken = take(client_frame(0x88, bytes_of("03e8 6279 65")));
    EXPECT_EQ(taken.result, Result::closed);
    EXPECT_EQ(taken.down, bytes_of("8802 03e8"));
    EXPECT_EQ(take(client_frame(0x88, {})).down, bytes_of("8800"));
}

TEST(WebSocketFrames, ACloseCodeThatMayNotBeSentIsAProtocolErrorAndNoEcho) {
    for (const auto* const code :
         {"0000", "03e7", "03ec", "03ed", "03ee", "03f7", "0bb7", "1388"}) {
        const Taken taken = take(client_frame(0x88, bytes_of(code)));
        EXPECT_EQ(taken.result, Result::failed) << code;
        EXPECT_EQ(taken.down, bytes_of("8802 03ea")) << code;
    }
    for (const std::string code : {"03e8", "03eb", "03ef", "03f6", "0bb8", "1387"}) {
        EXPECT_EQ(take(client_frame(0x88, bytes_of(code))).down, bytes_of("8802" + code)) << code;
    }
}

TEST(WebSocketFrames, WhatRfc6455ForbidsEndsWithAProtocolError) {
    const Bytes too_long = any_payload(126);
    const Bytes forbidden[] = {
        bytes_of("8200"),        // not masked
        client_frame(0xC2, {}),  // reserved bits
        client_frame(0xA2, {}),
        client_frame(0x92, {}),
        client_frame(0x83, {}),  // opcodes that nobody defined
        client_frame(0x8B, {}),
        client_frame(0x80, {}),  // goes on with nothing
        client_frame(0x09, {}),  // a ping in fragments
        client_frame(0x89, too_long),
        client_frame(0x88, bytes_of("03")),  // half a code
        bytes_of("82 fe 0001 00000000 00"),  // lengths longer than need be
        bytes_of("82 ff 0000000000000001 00000000 00"),
        bytes_of("82 ff ffffffffffffffff 00000000 00"),
    };
    for (const Bytes& frame : forbidden) {
        const Taken taken = take(frame.size() == 2 ? bytes_of("8200 00000000") : frame);
        EXPECT_EQ(taken.result, Result::failed) << std::to_integer<int>(frame[0]);
        EXPECT_EQ(taken.down, bytes_of("8802 03ea"));
    }
    Bytes twice = client_frame(0x02, {});
    const Bytes again = client_frame(0x82, {});
    twice.insert(twice.end(), again.begin(), again.end());
    EXPECT_EQ(take(twice).result, Result::failed);  // a message in the middle of one
}

RC_GTEST_PROP(WebSocketFrames, APayloadIsTheSameHoweverItIsCut, ()) {
    const auto size = *rc::gen::inRange<std::size_t>(0, 70'000);
    const auto piece = *rc::gen::inRange<std::size_t>(1, 2'000);
    const auto mask = *rc::gen::arbitrary<std::uint32_t>();
    const Bytes payload = any_payload(size);
    const Taken taken = take(client_frame(0x82, payload, mask), piece);
    RC_ASSERT(taken.result == Result::more);
    RC_ASSERT(taken.up == payload);
    RC_ASSERT(taken.down.empty());
}

RC_GTEST_PROP(WebSocketFrames, AnyBytesAreTakenAndNeverMakeMoreThanTheyAre, ()) {
    const auto noise =
        *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
    Bytes bytes;
    for (const std::uint8_t byte : noise) {
        bytes.push_back(static_cast<std::byte>(byte));
    }
    const Taken taken = take(bytes);
    RC_ASSERT(taken.up.size() <= bytes.size());
    RC_ASSERT(taken.down.size() <= bytes.size() + 4);
}

RC_GTEST_PROP(WebSocketFrames, OfEitherEndAreReadByTheOther, ()) {
    for (const auto sender : {net::WebSocketEnd::client, net::WebSocketEnd::server}) {
        const Bytes payload = any_payload(*rc::gen::inRange<std::size_t>(0, 70'000));
        Bytes wire;
        net::append_binary(payload, wire, sender);
        net::append_close(net::WebSocketClose::normal, wire, sender);
        WebSocketFrames frames(sender);
        Taken taken;
        RC_ASSERT(frames.take(wire, taken.up, taken.down) == Result::closed);
        RC_ASSERT(taken.up == payload);
        // The answer is the other end's, and masked where that is a client.
        RC_ASSERT(taken.down.size() == (sender == net::WebSocketEnd::server ? 8U : 4U));
    }
}

TEST(WebSocketFrames, OfAServerAreRefusedWhenTheyAreMasked) {
    WebSocketFrames frames(net::WebSocketEnd::server);
    Taken taken;
    EXPECT_EQ(frames.take(client_frame(0x82, {}), taken.up, taken.down), Result::failed);
}

}  // namespace marchland::tests
