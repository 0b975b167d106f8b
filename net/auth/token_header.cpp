#include "net/auth/token_header.h"

#include "net/auth/json.h"

#include <cstdint>

namespace marchland::net {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// base64url, and the one spelling of its bytes: bits that say nothing are 0 (RFC 4648, 3.5). The
/// library that checks signatures reads others, too, as if they had been spelt like this.
bool is_base64url(std::string_view part) {
    if (part.find_first_not_of(kDigits) != std::string_view::npos || part.size() % 4 == 1) {
        return false;
    }
    const std::size_t spare_bits = part.size() % 4 == 2 ? 4 : part.size() % 4 == 3 ? 2 : 0;
    return spare_bits == 0 || kDigits.find(part.back()) % (std::size_t{1} << spare_bits) == 0;
}

/// Of a part that is_base64url().
std::string decoded(std::string_view part) {
    std::string bytes;
    std::uint32_t bits = 0;
    unsigned int count = 0;
    for (const char digit : part) {
        bits = bits << 6U | static_cast<std::uint32_t>(kDigits.find(digit));
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<char>(bits >> count & 0xFFU));
        }
    }
    return bytes;
}

/// The first of three parts: neither an encrypted token (five) nor anything that the library would
/// have to guess at.
std::optional<std::string_view> header_part(std::string_view token) {
    const std::size_t first = token.find('.');
    const std::size_t last = token.rfind('.');
    const bool is_in_form = token.size() <= kTokenBytesMax && first != last &&
                            is_base64url(token.substr(0, first)) &&
                            is_base64url(token.substr(first + 1, last - first - 1)) &&
                            is_base64url(token.substr(last + 1));
    return is_in_form ? std::optional(token.substr(0, first)) : std::nullopt;
}

bool asks_for_more(const json_t* header) {
    for (const char* const name : {"zip", "b64", "cty", "crit"}) {
        if (json_object_get(header, name) != nullptr) {
            return true;
        }
    }
    return false;
}

std::optional<TokenAlgorithm> algorithm_in(const json_t* header) {
    const json_t* const value = json_object_get(header, "alg");
    const std::string_view name = json_is_string(value) ? json_string_value(value) : "";
    return name == "HS256"   ? std::optional(TokenAlgorithm::hs256)
           : name == "EdDSA" ? std::optional(TokenAlgorithm::eddsa)
                             : std::nullopt;
}

}  // namespace

std::optional<std::string> decoded_base64url(std::string_view part) {
    return is_base64url(part) ? std::optional(decoded(part)) : std::nullopt;
}

std::optional<TokenHeader> header_of(std::string_view token) {
    const auto part = header_part(token);
    if (!part) {
        return std::nullopt;
    }
    const std::string text = decoded(*part);
    // Without duplicates and zero bytes: so nobody who reads it again can read something else.
    const Json header(json_loadb(text.data(), text.size(), JSON_REJECT_DUPLICATES, nullptr));
    const auto algorithm = algorithm_in(header.get());
    if (!algorithm || asks_for_more(header.get())) {
        return std::nullopt;
    }
    const json_t* const kid = json_object_get(header.get(), "kid");
    return TokenHeader{*algorithm, json_is_string(kid) ? json_string_value(kid) : ""};
}

}  // namespace marchland::net
