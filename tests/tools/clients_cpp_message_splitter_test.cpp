#include "tools/clients/cpp/message_splitter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace marchland::client {
namespace {

using Bytes = std::vector<std::byte>;

Bytes message(std::size_t length, std::uint8_t content) {
    Bytes bytes(4 + length, std::byte{content});
    const auto little_endian = static_cast<std::uint32_t>(length);
    std::memcpy(bytes.data(), &little_endian, 4);
    return bytes;
}

/// Reads like a connection: each piece into one aligned buffer, which the next one overwrites.
class Reader {
public:
    void read(std::span<const std::byte> piece) {
        chunk_.assign(piece.size() / 8 + 1, 0);
        std::memcpy(chunk_.data(), piece.data(), piece.size());
        splitter.begin(std::as_bytes(std::span(chunk_)).first(piece.size()));
        while (const auto whole = splitter.next(scratch_)) {
            all_aligned = all_aligned && reinterpret_cast<std::uintptr_t>(whole->data()) % 8 == 0;
            messages.emplace_back(whole->begin(), whole->end());
        }
        splitter.end();
    }

    MessageSplitter splitter;
    std::vector<Bytes> messages;
    bool all_aligned = true;

private:
    std::vector<std::uint64_t> chunk_;
    std::vector<std::uint64_t> scratch_;
};

RC_GTEST_PROP(MessageSplitterTest, MessagesAreTheSameHoweverTheStreamIsCut, ()) {
    std::vector<Bytes> sent;
    Bytes stream;
    for (const auto length :
         *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 70))) {
        sent.push_back(message(length, static_cast<std::uint8_t>(sent.size())));
        stream.insert(stream.end(), sent.back().begin(), sent.back().end());
    }
    Reader reader;
    std::size_t at = 0;
    while (at < stream.size()) {
        const std::size_t rest = stream.size() - at;
        const std::size_t piece = std::min(rest, *rc::gen::inRange<std::size_t>(1, 100));
        reader.read(std::span(stream).subspan(at, piece));
        at += piece;
    }
    RC_ASSERT(reader.messages == sent);
    RC_ASSERT(reader.all_aligned);
    RC_ASSERT(!reader.splitter.is_broken());
}

TEST(MessageSplitterTest, LengthOfZeroBreaksTheStream) {
    Reader reader;
    reader.read(message(0, 0));
    EXPECT_TRUE(reader.splitter.is_broken());
    EXPECT_TRUE(reader.messages.empty());
}

TEST(MessageSplitterTest, LengthOverTheLimitBreaksTheStreamAfterTheGoodMessages) {
    Bytes stream = message(5, 1);
    const auto length = static_cast<std::uint32_t>(MessageSplitter::kMessageBytesMax + 1);
    stream.resize(stream.size() + 4);
    std::memcpy(stream.data() + stream.size() - 4, &length, 4);
    Reader reader;
    reader.read(stream);
    EXPECT_EQ(reader.messages.size(), 1U);
    EXPECT_TRUE(reader.splitter.is_broken());
}

}  // namespace
}  // namespace marchland::client
