#include "net/auth/token_key.h"

#include "engine/assert.h"
#include "net/auth/json.h"

#include <cstdint>
#include <rhonabwy.h>
#include <utility>

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
