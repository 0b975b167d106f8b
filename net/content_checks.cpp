#include "net/content_checks.h"

#include "engine/frame/events.h"

#include <spdlog/fmt/fmt.h>

namespace marchland::net {

std::optional<ErrorMessage> check_shape(const engine::View& view) {
    if (const char* const flaw = engine::flaw_of(view, engine::Dimensions::three)) {
        return ErrorMessage{ErrorCode::malformed, fmt::format("the view {}", flaw)};
    }
    return std::nullopt;
}

std::optional<ErrorMessage> check_blob(const flatbuffers::Vector<std::uint8_t>* blob) {
    if (blob != nullptr && blob->size() > engine::kBlobBytesMax) {
        return ErrorMessage{ErrorCode::too_large, fmt::format("a blob of {} bytes; the limit is {}",
                                                              blob->size(), engine::kBlobBytesMax)};
    }
    return std::nullopt;
}

std::optional<ErrorMessage> check_event(const flatbuffers::Vector<std::uint8_t>* payload,
                                        const flatbuffers::Vector<std::uint64_t>* to) {
    if (to != nullptr && to->size() > engine::kEventTargetsMax) {
        return ErrorMessage{ErrorCode::too_large,
                            fmt::format("an event to {} entities; the limit is {}", to->size(),
                                        engine::kEventTargetsMax)};
    }
    return check_blob(payload);
}

ErrorMessage other_major(std::uint16_t major, std::uint16_t minor) {
    return {ErrorCode::unsupported_version,
            fmt::format("this server speaks protocol {}.{}, the client {}.{}", kProtocolMajor,
                        kProtocolMinor, major, minor)};
}

}  // namespace marchland::net
