#include "net/verify_message.h"

#include "engine/assert.h"

#include <cstring>

namespace marchland::net {

namespace {

// Our messages nest three tables deep. A frame has one table for each entity that entered.
constexpr flatbuffers::uoffset_t kDepthMax = 8;
constexpr flatbuffers::uoffset_t kTablesMax = 4'000'000;

}  // namespace

const wire::Message* verify_message(std::span<const std::byte> message,
                                    std::vector<std::uint64_t>& realigned) {
    MARCHLAND_ASSERT(reinterpret_cast<std::uintptr_t>(message.data()) % 8 == 0);
    if (message.size() <= kLengthPrefixBytes || message.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
        return nullptr;
    }
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(message.data());
    flatbuffers::Verifier prefixed(bytes, message.size(), kDepthMax, kTablesMax);
    if (wire::VerifySizePrefixedMessageBuffer(prefixed)) {
        return wire::GetSizePrefixedMessage(bytes);
    }

    const std::size_t size = message.size() - kLengthPrefixBytes;
    if (flatbuffers::ReadScalar<flatbuffers::uoffset_t>(bytes) != size) {
        return nullptr;
    }
    realigned.resize((size + 7) / 8);
    std::memcpy(realigned.data(), bytes + kLengthPrefixBytes, size);
    const auto* const body = reinterpret_cast<const std::uint8_t*>(realigned.data());
    flatbuffers::Verifier plain(body, size, kDepthMax, kTablesMax);
    return wire::VerifyMessageBuffer(plain) ? wire::GetMessage(body) : nullptr;
}

}  // namespace marchland::net
