#pragma once

#include "net/auth/auth_options.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace marchland::net {

/// What stands in a token's header, as far as it is looked at before the signature is.
struct TokenHeader {
    TokenAlgorithm algorithm{};
    std::string kid;  ///< empty: none is named
};

/// A key that signatures are checked with. The only place that knows the JWT library (Rhonabwy).
///
/// Threads  One at a time: the library does not say that a key may be shared.
/// Errors   A token is foreign: whatever is wrong with it, the answer is nothing.
/// Source   RFC 7515 (JWS), RFC 8037 (EdDSA). Two attacks are ruled out by how this is called: the
///          key says its algorithm (a public key is never taken for a secret, `none` is none of
///          them), and keys or addresses in a token's header are never read.
class TokenKey {
public:
    /// `bytes`: the file's. The string says why they are no such key.
    static std::variant<TokenKey, std::string> make(const TokenKeyFile& file,
                                                    std::string_view bytes);

    /// The claims, as JSON, of a token that this key has signed.
    [[nodiscard]] std::optional<std::string> claims_of(const std::string& token) const;

    /// May this key have signed a token with that header?
    [[nodiscard]] bool fits(const TokenHeader& header) const {
        return header.algorithm == algorithm_ &&
               (header.kid.empty() || kid_.empty() || header.kid == kid_);
    }

private:
    TokenKey(const TokenKeyFile& file, std::shared_ptr<void> key)
        : algorithm_(file.algorithm), kid_(file.kid), key_(std::move(key)) {}

    TokenAlgorithm algorithm_;
    std::string kid_;
    std::shared_ptr<void> key_;  ///< a jwk_t
};

/// Nothing when it is no signed token of an algorithm that we take, or too long to be one.
std::optional<TokenHeader> header_of(const std::string& token);

}  // namespace marchland::net
