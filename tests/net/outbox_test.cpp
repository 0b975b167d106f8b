#include "net/outbox.h"

#include "tests/net/hex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace marchland::tests {

namespace {

std::string sent(net::Outbox& outbox) {
    std::vector<std::byte> bytes;
    for (const auto& buffer : outbox.begin_send()) {
        const auto* const data = static_cast<const std::byte*>(buffer.data());
        bytes.insert(bytes.end(), data, data + buffer.size());
    }
    return hex_of(bytes);
}

const std::vector<std::byte> kFrame = bytes_of("f1f2f3");

}  // namespace

TEST(Outbox, SendsControlMessagesBeforeAFrame) {
    net::Outbox outbox;
    outbox.put_frame(kFrame);
    outbox.push(bytes_of("01"));
    outbox.push(bytes_of("02"));
    EXPECT_EQ(sent(outbox), "0102f1f2 f3");
}

TEST(Outbox, KeepsWhatIsBeingSentInPlaceAndWhatComesMeanwhileForTheNextSend) {
    net::Outbox outbox;
    outbox.push(bytes_of("01"));
    outbox.put_frame(kFrame);
    const auto buffers = outbox.begin_send();
    outbox.push(std::vector<std::byte>(1'000));
    EXPECT_EQ(*static_cast<const std::byte*>(buffers[0].data()), std::byte{1});
    EXPECT_EQ(outbox.sending_bytes(), 4U);
    EXPECT_EQ(outbox.bytes(), 1'004U);
    EXPECT_TRUE(outbox.end_send());
    EXPECT_TRUE(outbox.is_waiting());
    EXPECT_EQ(outbox.bytes(), 1'000U);
}

TEST(Outbox, SaysOnceThatTheFrameIsSent) {
    net::Outbox outbox;
    outbox.put_frame(kFrame);
    EXPECT_EQ(sent(outbox), "f1f2f3");
    EXPECT_TRUE(outbox.end_send());
    EXPECT_TRUE(outbox.is_empty());
    outbox.push(bytes_of("01"));
    EXPECT_EQ(sent(outbox), "01");
    EXPECT_FALSE(outbox.end_send());
}

TEST(Outbox, DropsOnlyAFrameThatIsNotBeingSent) {
    net::Outbox outbox;
    outbox.put_frame(kFrame);
    outbox.drop_frame();
    EXPECT_TRUE(outbox.is_empty());

    outbox.put_frame(kFrame);
    EXPECT_EQ(sent(outbox), "f1f2f3");
    outbox.drop_frame();
    EXPECT_TRUE(outbox.is_sending());
    EXPECT_TRUE(outbox.end_send());
}

TEST(Outbox, HasRoomUpToItsLimitForAllThatIsNotSent) {
    net::Outbox outbox;
    outbox.push(std::vector<std::byte>(net::Outbox::kControlBytesMax - 20));
    static_cast<void>(outbox.begin_send());
    outbox.push(std::vector<std::byte>(10));
    EXPECT_TRUE(outbox.has_room(10));
    EXPECT_FALSE(outbox.has_room(11));
}

}  // namespace marchland::tests
