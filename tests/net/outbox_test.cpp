#include "net/outbox.h"

#include "tests/net/hex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace marchland::tests {

namespace {

std::string waiting(const net::Outbox& outbox) {
    std::vector<std::byte> bytes;
    for (const auto& buffer : outbox.buffers()) {
        const auto* const data = static_cast<const std::byte*>(buffer.data());
        bytes.insert(bytes.end(), data, data + buffer.size());
    }
    return hex_of(bytes);
}

const std::vector<std::byte> kFrame = bytes_of("f1f2f3");

}  // namespace

TEST(Outbox, SendsControlMessagesBeforeAFrameThatWasNotBegun) {
    net::Outbox outbox;
    outbox.put_frame(kFrame);
    outbox.push(bytes_of("01"));
    outbox.push(bytes_of("02"));
    EXPECT_EQ(waiting(outbox), "0102f1f2 f3");
}

TEST(Outbox, FinishesAFrameThatWasBegun) {
    net::Outbox outbox;
    outbox.push(bytes_of("01"));
    outbox.put_frame(kFrame);
    EXPECT_FALSE(outbox.consume(2));
    outbox.push(bytes_of("02"));
    EXPECT_EQ(waiting(outbox), "f2f302");
    EXPECT_TRUE(outbox.consume(2));
    EXPECT_EQ(waiting(outbox), "02");
    EXPECT_FALSE(outbox.consume(1));
    EXPECT_TRUE(outbox.is_empty());
}

TEST(Outbox, KeepsItsOrderWhenControlMessagesAreCut) {
    net::Outbox outbox;
    outbox.push(bytes_of("0102"));
    outbox.put_frame(kFrame);
    EXPECT_FALSE(outbox.consume(1));
    outbox.push(bytes_of("03"));
    EXPECT_EQ(waiting(outbox), "0203f1f2 f3");
    EXPECT_TRUE(outbox.consume(5));
}

TEST(Outbox, SaysOnceThatTheFrameIsSent) {
    net::Outbox outbox;
    outbox.put_frame(kFrame);
    EXPECT_TRUE(outbox.consume(3));
    EXPECT_FALSE(outbox.consume(0));
    outbox.put_frame(kFrame);
    EXPECT_EQ(waiting(outbox), "f1f2f3");
}

TEST(Outbox, DropsOnlyAFrameThatWasNotBegun) {
    net::Outbox outbox;
    outbox.put_frame(kFrame);
    outbox.drop_frame_if_not_begun();
    EXPECT_TRUE(outbox.is_empty());

    outbox.put_frame(kFrame);
    outbox.consume(1);
    outbox.drop_frame_if_not_begun();
    EXPECT_EQ(waiting(outbox), "f2f3");
}

TEST(Outbox, HasRoomUpToItsLimit) {
    net::Outbox outbox;
    outbox.push(std::vector<std::byte>(net::Outbox::kControlBytesMax - 10));
    EXPECT_TRUE(outbox.has_room(10));
    EXPECT_FALSE(outbox.has_room(11));
}

}  // namespace marchland::tests
