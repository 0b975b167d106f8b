#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace marchland::net {

/// How a key's tokens are signed. A key has one: so no token can choose how it is checked.
enum class TokenAlgorithm : std::uint8_t {
    hs256,  ///< HMAC with SHA-256; the file holds the secret, at least 32 bytes
    eddsa,  ///< Ed25519; the file holds the public key as PEM
};

/// No more than this; each has a `kid` where there are several, so that a token costs one signature
/// to check.
inline constexpr std::size_t kTokenKeysMax = 16;

/// Of the claims that services are sent, as JSON; a token with more is refused.
inline constexpr std::size_t kClaimsBytesMax = 2'048;
inline constexpr std::size_t kClaimsForServicesMax = 16;

struct TokenKeyFile {
    std::string file;
    TokenAlgorithm algorithm = TokenAlgorithm::eddsa;
    std::string kid;  ///< empty, where it is the only key: for tokens of any key id

    friend bool operator==(const TokenKeyFile&, const TokenKeyFile&) = default;
};

/// Who may come in.
struct AuthOptions {
    enum class Mode : std::uint8_t {
        none,  ///< everybody; only where nobody but this machine can connect
        jwt,   ///< who shows a token that one of the keys has signed
    };

    /// A Hello of a player whose subject is in the zone already.
    enum class SecondLogin : std::uint8_t {
        allow,    ///< one more entity
        refuse,   ///< sent `second_login`, as long as the entity is there
        replace,  ///< takes the entity over; the connection before is sent `second_login`
    };

    Mode mode = Mode::none;
    std::string audience;  ///< what a token's `aud` must name
    /// How far the clock of whoever signs may be off, for `exp` and `nbf`.
    std::uint32_t leeway_s = 30;
    std::vector<TokenKeyFile> keys;  ///< several, while one takes over from another
    /// But for `allow`, one subject is one entity, and a player's token needs a `sub`.
    SecondLogin second_login = SecondLogin::allow;
    /// What services are sent of a player's token, beside its subject.
    std::vector<std::string> claims_for_services = {};

    friend bool operator==(const AuthOptions&, const AuthOptions&) = default;
};

/// Why these cannot be distinguished by the `kid` that a token names; empty when they can.
std::string kid_flaw(const std::vector<TokenKeyFile>& keys);

}  // namespace marchland::net
