#include "net/content_checks.h"

#include "net/wire_values.h"

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

std::optional<ErrorMessage> read_state(const flatbuffers::Vector<std::uint8_t>* packed,
                                       std::vector<engine::StateWrite>& into) {
    auto state = state_from_wire(packed);
    if (!state) {
        return ErrorMessage{ErrorCode::malformed, "the packed state is not sound"};
    }
    into = std::move(*state);
    return std::nullopt;
}

std::optional<ErrorMessage> check_transfer(const flatbuffers::String* address,
                                           const flatbuffers::Vector<std::uint8_t>* carried) {
    if (address->size() == 0 || address->size() > kAddressBytesMax) {
        return ErrorMessage{ErrorCode::too_large,
                            fmt::format("an address of {} bytes; 1 to {} may be", address->size(),
                                        kAddressBytesMax)};
    }
    return check_blob(carried);
}

ErrorMessage other_major(std::uint16_t major, std::uint16_t minor) {
    return {ErrorCode::unsupported_version,
            fmt::format("this server speaks protocol {}.{}, the client {}.{}", kProtocolMajor,
                        kProtocolMinor, major, minor)};
}

}  // namespace marchland::net
