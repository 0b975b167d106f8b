#include "net/auth/token_key.h"

#include "engine/assert.h"

#include <cstdlib>
#include <jansson.h>
#include <rhonabwy.h>
#include <utility>

namespace marchland::net {

namespace {

constexpr std::size_t kTokenBytesMax = 4096;
/// RFC 7518, 3.2: a key is as long as the hash at least.
constexpr std::size_t kSecretBytesMin = 32;

struct FreeToken {
    void operator()(jwt_t* token) const { r_jwt_free(token); }
};
using Token = std::unique_ptr<jwt_t, FreeToken>;

/// Once in a process.
void start_library() {
    static const bool is_started = r_global_init() == RHN_OK;
    MARCHLAND_ASSERT(is_started);
}

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// base64url, and the one spelling of its bytes: bits that say nothing are 0 (RFC 4648, 3.5). The
/// library reads others, too, and checks the signature as if they had been spelt like this.
bool is_base64url(std::string_view part) {
    if (part.find_first_not_of(kDigits) != std::string_view::npos || part.size() % 4 == 1) {
        return false;
    }
    const std::size_t spare_bits = part.size() % 4 == 2 ? 4 : part.size() % 4 == 3 ? 2 : 0;
    return spare_bits == 0 || kDigits.find(part.back()) % (std::size_t{1} << spare_bits) == 0;
}

/// Three parts: neither an encrypted token (five) nor anything that the library would have to guess
/// at.
bool is_in_form(std::string_view token) {
    const std::size_t first = token.find('.');
    const std::size_t last = token.rfind('.');
    return token.size() <= kTokenBytesMax && first != last &&
           is_base64url(token.substr(0, first)) &&
           is_base64url(token.substr(first + 1, last - first - 1)) &&
           is_base64url(token.substr(last + 1));
}

Token parse(const std::string& token) {
    start_library();
    jwt_t* parsed = nullptr;
    if (!is_in_form(token) || r_jwt_init(&parsed) != RHN_OK) {
        return nullptr;
    }
    Token held(parsed);
    const bool is_signed = r_jwt_advanced_parsen(parsed, token.data(), token.size(), R_PARSE_NONE,
                                                 R_FLAG_IGNORE_REMOTE) == RHN_OK &&
                           r_jwt_get_type(parsed) == R_JWT_TYPE_SIGN;
    return is_signed ? std::move(held) : nullptr;
}

/// RFC 7515, 4.1.11: who does not understand what is critical must refuse; we understand none.
bool asks_for_critical(jwt_t* token) {
    json_t* const critical = r_jwt_get_header_json_t_value(token, "crit");  // a copy, and ours
    json_decref(critical);
    return critical != nullptr;
}

std::string_view without_final_newline(std::string_view text) {
    if (text.ends_with('\n')) {
        text.remove_suffix(text.ends_with("\r\n") ? 2 : 1);
    }
    return text;
}

const unsigned char* as_unsigned(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::string import_secret(jwk_t* key, std::string_view bytes) {
    const std::string_view secret = without_final_newline(bytes);
    if (secret.starts_with("-----BEGIN")) {
        return "is a PEM file, which is no secret for HS256; is it a key for EdDSA?";
    }
    if (secret.size() < kSecretBytesMin) {
        return "is shorter than 32 bytes, too easy to guess for HS256";
    }
    return r_jwk_import_from_symmetric_key(key, as_unsigned(secret), secret.size()) == RHN_OK
               ? ""
               : "cannot be taken in as a secret";
}

std::string import_public_key(jwk_t* key, std::string_view bytes) {
    if (r_jwk_import_from_pem_der(key, R_X509_TYPE_PUBKEY, R_FORMAT_PEM, as_unsigned(bytes),
                                  bytes.size()) != RHN_OK) {
        return "holds no public key as PEM";
    }
    const char* const curve = r_jwk_get_property_str(key, "crv");
    return curve != nullptr && std::string_view(curve) == "Ed25519" ? "" : "is no key of Ed25519";
}

}  // namespace

std::variant<TokenKey, std::string> TokenKey::make(const TokenKeyFile& file,
                                                   std::string_view bytes) {
    start_library();
    jwk_t* key = nullptr;
    if (r_jwk_init(&key) != RHN_OK) {
        return "no memory for a key";
    }
    std::shared_ptr<void> held(key, [](void* it) { r_jwk_free(static_cast<jwk_t*>(it)); });
    std::string flaw = file.algorithm == TokenAlgorithm::hs256 ? import_secret(key, bytes)
                                                               : import_public_key(key, bytes);
    if (!flaw.empty()) {
        return flaw;
    }
    return TokenKey(file, std::move(held));
}

std::optional<std::string> TokenKey::claims_of(const std::string& token) const {
    const auto header = header_of(token);
    if (!header || !fits(*header)) {
        return std::nullopt;
    }
    const Token parsed = parse(token);
    if (r_jwt_verify_signature(parsed.get(), static_cast<jwk_t*>(key_.get()),
                               R_FLAG_IGNORE_REMOTE) != RHN_OK) {
        return std::nullopt;
    }
    const std::unique_ptr<char, void (*)(void*)> claims(r_jwt_get_full_claims_str(parsed.get()),
                                                        r_free);
    return claims ? std::optional<std::string>(claims.get()) : std::nullopt;
}

std::optional<TokenHeader> header_of(const std::string& token) {
    const Token parsed = parse(token);
    if (!parsed || asks_for_critical(parsed.get())) {
        return std::nullopt;
    }
    const char* const kid = r_jwt_get_header_str_value(parsed.get(), "kid");
    const std::string kid_text = kid == nullptr ? "" : kid;
    switch (r_jwt_get_sign_alg(parsed.get())) {
        case R_JWA_ALG_HS256:
            return TokenHeader{TokenAlgorithm::hs256, kid_text};
        case R_JWA_ALG_EDDSA:
            return TokenHeader{TokenAlgorithm::eddsa, kid_text};
        default:
            return std::nullopt;
    }
}

}  // namespace marchland::net
