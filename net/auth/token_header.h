#pragma once

#include "net/auth/auth_options.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace marchland::net {

/// Longer than any that says what we look at.
inline constexpr std::size_t kTokenBytesMax = 4096;

/// What stands in a token's header, as far as it is looked at before the signature is.
struct TokenHeader {
    TokenAlgorithm algorithm{};
    std::string kid;  ///< empty: none is named
};

/// The bytes of base64url in its one spelling, without padding; nothing where it is none.
std::optional<std::string> decoded_base64url(std::string_view part);

/// Nothing when it is no signed token of an algorithm that we take, or too long to be one.
///
/// Nobody has checked a signature yet, so this comes before any library that would do what a header
/// asks for: who asks to be inflated (`zip`: kilobytes become megabytes), to be signed over other
/// bytes (`b64`), to be taken for a token in a token (`cty`), or for what is critical, is refused.
///
/// Bounds   kTokenBytesMax in; what it allocates is a small multiple of the header.
/// Source   RFC 7515 (JWS, 4.1.11 for `crit`), RFC 7797 (`b64`), RFC 7519, 5.2 (`cty`).
std::optional<TokenHeader> header_of(std::string_view token);

}  // namespace marchland::net
