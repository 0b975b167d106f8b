#include "net/auth/token_key.h"

#include "engine/assert.h"

#include <rhonabwy.h>
#include <utility>

namespace marchland::net {

namespace {

/// Once in a process.
void start_library() {
    static const bool is_started = r_global_init() == RHN_OK;
    MARCHLAND_ASSERT(is_started);
}

std::string_view without_final_newline(std::string_view text) {
    if (text.ends_with('\n')) {
        text.remove_suffix(text.ends_with("\r\n") ? 2 : 1);
    }
    return text;
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

std::optional<SignedToken> SignedToken::parse(const std::string& token) {
    auto header = header_of(token);
    if (!header) {
        return std::nullopt;
    }
    start_library();
    jws_t* parsed = nullptr;
    if (r_jws_init(&parsed) != RHN_OK) {
        return std::nullopt;
    }
    std::shared_ptr<void> held(parsed, [](void* it) { r_jws_free(static_cast<jws_t*>(it)); });
    if (r_jws_advanced_parsen(parsed, token.data(), token.size(), R_PARSE_NONE,
                              R_FLAG_IGNORE_REMOTE) != RHN_OK) {
        return std::nullopt;
    }
    return SignedToken(*std::move(header), std::move(held));
}

std::optional<std::string> TokenKey::claims_of(const SignedToken& token) const {
    if (!fits(token.header())) {
        return std::nullopt;
    }
    auto* const parsed = static_cast<jws_t*>(token.token_.get());
    const std::unique_ptr<jwk_t, void (*)(jwk_t*)> key(r_jwk_copy(static_cast<jwk_t*>(key_.get())),
                                                       r_jwk_free);
    if (r_jws_verify_signature(parsed, key.get(), R_FLAG_IGNORE_REMOTE) != RHN_OK) {
        return std::nullopt;
    }
    std::size_t size = 0;
    const unsigned char* const claims = r_jws_get_payload(parsed, &size);
    return claims == nullptr ? std::string()
                             : std::string(reinterpret_cast<const char*>(claims), size);
}

}  // namespace marchland::net
