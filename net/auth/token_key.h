#pragma once

#include "net/auth/auth_options.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

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

/// Of HS256: as long as the hash at least (RFC 7518, 3.2).
inline constexpr std::size_t kSecretBytesMin = 32;

/// As OpenSSL and Rhonabwy take bytes.
inline const unsigned char* as_unsigned(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// A token that was taken apart, once, for however many keys it is shown to. Nobody has checked yet
/// who signed it.
class SignedToken {
public:
    /// Nothing when header_of() says nothing, or it is no JWS.
    static std::optional<SignedToken> parse(const std::string& token);

    [[nodiscard]] const TokenHeader& header() const { return header_; }

private:
    friend class TokenKey;
    SignedToken(TokenHeader header, std::shared_ptr<void> token)
        : header_(std::move(header)), token_(std::move(token)) {}

    TokenHeader header_;
    std::shared_ptr<void> token_;  ///< a jws_t
};

/// A key that signatures are checked with. The only place that knows the JWT library (Rhonabwy).
///
/// Threads  Any. A key of the library is a value of Jansson, which may be read by several threads;
///          nobody says that the library does no more than read it, so each check has a copy.
/// Errors   A token is foreign: whatever is wrong with it, the answer is nothing.
/// Source   RFC 7515 (JWS), RFC 8037 (EdDSA). Two attacks are ruled out by how this is called: the
///          key says its algorithm (a public key is never taken for a secret, `none` is none of
///          them), and keys or addresses in a token's header are never read. A third by what is
///          refused before: see header_of().
class TokenKey {
public:
    /// `bytes`: the file's. The string says why they are no such key.
    static std::variant<TokenKey, std::string> make(const TokenKeyFile& file,
                                                    std::string_view bytes);

    /// The claims, JSON of a foreign hand, of a token that this key has signed.
    [[nodiscard]] std::optional<std::string> claims_of(const SignedToken& token) const;

    /// May this key, if it is the only one, have signed a token with that header?
    [[nodiscard]] bool fits(const TokenHeader& header) const {
        return header.algorithm == algorithm_ &&
               (header.kid.empty() || kid_.empty() || header.kid == kid_);
    }
    [[nodiscard]] const std::string& kid() const { return kid_; }

private:
    TokenKey(const TokenKeyFile& file, std::shared_ptr<void> key)
        : algorithm_(file.algorithm), kid_(file.kid), key_(std::move(key)) {}

    TokenAlgorithm algorithm_;
    std::string kid_;
    std::shared_ptr<void> key_;  ///< a jwk_t
};

}  // namespace marchland::net
