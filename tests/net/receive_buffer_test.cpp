#include "net/receive_buffer.h"

#include "tests/net/hex.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace marchland::tests {

namespace {

using Next = net::ReceiveBuffer::Next;

/// A prefix and `size` bytes that count up.
std::vector<std::byte> message_of(std::size_t size) {
    std::vector<std::byte> message = {
        static_cast<std::byte>(size & 0xffU), static_cast<std::byte>(size >> 8U), {}, {}};
    for (std::size_t i = 0; i < size; ++i) {
        message.push_back(static_cast<std::byte>(i));
    }
    return message;
}

std::size_t receive(net::ReceiveBuffer& buffer, std::span<const std::byte> bytes) {
    const std::span<std::byte> space = buffer.writable();
    const std::size_t size = std::min(space.size(), bytes.size());
    std::copy_n(bytes.begin(), size, space.begin());
    buffer.commit(size);
    return size;
}

}  // namespace

RC_GTEST_PROP(ReceiveBuffer, GivesOutWhatCameHoweverItIsCut, ()) {
    const auto sizes =
        *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 301));
    std::vector<std::byte> stream;
    for (const std::size_t size : sizes) {
        const auto message = message_of(size);
        stream.insert(stream.end(), message.begin(), message.end());
    }
    net::ReceiveBuffer buffer(300);
    std::vector<std::size_t> given_out;
    std::span<const std::byte> rest = stream;
    while (!rest.empty()) {
        const auto part = *rc::gen::inRange<std::size_t>(1, 400);
        rest = rest.subspan(receive(buffer, rest.first(std::min(part, rest.size()))));
        std::span<const std::byte> message;
        while (buffer.next(message) == Next::message) {
            RC_ASSERT(reinterpret_cast<std::uintptr_t>(message.data()) % 8 == 0U);
            given_out.push_back(message.size() - 4);
            RC_ASSERT(std::ranges::equal(message, message_of(given_out.back())));
        }
    }
    RC_ASSERT(given_out == sizes);
}

TEST(ReceiveBuffer, WaitsForTheWholeMessage) {
    net::ReceiveBuffer buffer(64);
    const std::vector<std::byte> whole = message_of(10);
    std::span<const std::byte> message;
    for (const std::byte byte : whole) {
        EXPECT_EQ(buffer.next(message), Next::incomplete);
        receive(buffer, {&byte, 1});
    }
    EXPECT_EQ(buffer.next(message), Next::message);
    EXPECT_TRUE(std::ranges::equal(message, whole));
    EXPECT_EQ(buffer.next(message), Next::incomplete);
}

TEST(ReceiveBuffer, RefusesAPrefixOverTheLimitBeforeTheMessageComes) {
    net::ReceiveBuffer buffer(64);
    receive(buffer, bytes_of("41000000"));
    std::span<const std::byte> message;
    EXPECT_EQ(buffer.next(message), Next::too_large);

    net::ReceiveBuffer highest(64);
    receive(highest, bytes_of("ffffffff"));
    EXPECT_EQ(highest.next(message), Next::too_large);
}

TEST(ReceiveBuffer, TakesAMessageOfExactlyTheLimit) {
    net::ReceiveBuffer buffer(64);
    std::span<const std::byte> rest;
    const std::vector<std::byte> whole = message_of(64);
    rest = whole;
    std::span<const std::byte> message;
    while (buffer.next(message) == Next::incomplete) {
        rest = rest.subspan(receive(buffer, rest));
    }
    EXPECT_TRUE(std::ranges::equal(message, whole));
}

}  // namespace marchland::tests
