#pragma once

#include "engine/entity.h"
#include "net/auth/auth_options.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace marchland::net {

/// What a new token says; docs/security.md has what each means. Nothing, or empty: it does not say.
struct NewClaims {
    std::string audience;
    std::string subject;
    bool is_service = false;
    std::optional<std::int64_t> not_before_s;  ///< since 1970
    std::int64_t expires_s = 0;
    std::optional<std::uint16_t> kind;
    std::optional<engine::Position> spawn;
    std::optional<std::int32_t> leave_radius_mm_max;
    std::optional<std::uint16_t> frames_hz;
    /// Others, by their names: JSON, or what is none as a text.
    std::map<std::string, std::string> more = {};
};

/// As JSON. Nothing when a text is no UTF-8.
std::optional<std::string> claims_text(const NewClaims& claims);

/// The issuer's end: signs tokens that a zone checks. By OpenSSL, not by the library that checks
/// them.
///
/// Threads  Any; a signature changes nothing here.
/// Source   RFC 7515, RFC 8037; Ed25519 signatures take OpenSSL some 50 us.
class TokenSigner {
public:
    /// `bytes`: a file's. A private key of Ed25519 as PEM signs with EdDSA, a secret of 32 bytes or
    /// more, less a final newline, with HS256. `kid`: for the tokens' headers; empty: none. The
    /// string says what is wrong.
    static std::variant<TokenSigner, std::string> make(std::string_view bytes, std::string kid);

    [[nodiscard]] TokenAlgorithm algorithm() const { return algorithm_; }
    /// A token with these claims.
    [[nodiscard]] std::string sign(std::string_view claims) const;
    /// What a zone needs to check it: the public key as PEM, or the secret.
    [[nodiscard]] std::string verifying_bytes() const;

private:
    TokenSigner() = default;

    TokenAlgorithm algorithm_ = TokenAlgorithm::hs256;
    std::string header_;  ///< base64url
    std::string secret_;
    std::shared_ptr<void> key_;  ///< an EVP_PKEY, with EdDSA
};

/// A new private key as PEM, or a new secret of 43 characters and a newline.
std::string new_signing_key(TokenAlgorithm algorithm);

/// What a token says, before anybody has looked who signed it: for showing only. Each is JSON in
/// ASCII, one line, so that it may be printed; empty where it is no JSON.
struct TokenContent {
    std::string header;
    std::string claims;
};
TokenContent content_of(std::string_view token);

}  // namespace marchland::net
