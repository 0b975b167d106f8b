#include "net/auth/token_signer.h"

#include "engine/assert.h"
#include "net/auth/json.h"
#include "net/auth/token_key.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace marchland::net {

namespace {

using Bio = std::unique_ptr<BIO, int (*)(BIO*)>;

std::shared_ptr<void> held(EVP_PKEY* key) {
    return {key, [](void* it) { EVP_PKEY_free(static_cast<EVP_PKEY*>(it)); }};
}

std::string base64url(std::string_view bytes) {
    std::vector<unsigned char> text(4 * ((bytes.size() + 2) / 3) + 1);
    const int size =
        EVP_EncodeBlock(text.data(), as_unsigned(bytes), static_cast<int>(bytes.size()));
    std::string encoded(reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(size));
    for (char& c : encoded) {
        c = c == '+' ? '-' : c == '/' ? '_' : c;
    }
    return encoded.substr(0, encoded.find('='));
}

std::string dumped(const json_t* value, std::size_t flags) {
    char* const text = json_dumps(value, flags | JSON_COMPACT);
    const std::unique_ptr<char, void (*)(void*)> freed(text, [](void* it) { free(it); });
    return text == nullptr ? std::string() : std::string(text);
}

std::string text_in(BIO* from) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(from, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

/// False when the text is no UTF-8.
bool set_text(json_t* table, const char* name, const std::string& text) {
    return text.empty() ||
           json_object_set_new(table, name, json_stringn(text.data(), text.size())) == 0;
}

void set_number(json_t* table, const char* name, std::int64_t number) {
    json_object_set_new(table, name, json_integer(number));
}

}  // namespace

std::optional<std::string> claims_text(const NewClaims& claims) {
    const Json table(json_object());
    json_t* const to = table.get();
    if (!set_text(to, "aud", claims.audience) || !set_text(to, "sub", claims.subject)) {
        return std::nullopt;
    }
    set_text(to, "role", claims.is_service ? "service" : "player");
    if (claims.not_before_s) {
        set_number(to, "nbf", *claims.not_before_s);
    }
    set_number(to, "exp", claims.expires_s);
    if (claims.kind) {
        set_number(to, "kind", *claims.kind);
    }
    if (claims.spawn) {
        json_t* const spawn = json_object();
        set_number(spawn, "x", claims.spawn->x);
        set_number(spawn, "y", claims.spawn->y);
        set_number(spawn, "z", claims.spawn->z);
        json_object_set_new(to, "spawn", spawn);
    }
    if (claims.leave_radius_mm_max) {
        set_number(to, "view_leave_radius_mm_max", *claims.leave_radius_mm_max);
    }
    if (claims.frames_hz) {
        set_number(to, "frames_hz", *claims.frames_hz);
    }
    for (const auto& [name, text] : claims.more) {
        json_t* value = json_loadb(text.data(), text.size(), JSON_DECODE_ANY, nullptr);
        value = value == nullptr ? json_stringn(text.data(), text.size()) : value;
        if (json_object_set_new(to, name.c_str(), value) != 0) {
            return std::nullopt;
        }
    }
    return dumped(to, 0);
}

std::variant<TokenSigner, std::string> TokenSigner::make(std::string_view bytes, std::string kid) {
    TokenSigner signer;
    if (bytes.starts_with("-----BEGIN")) {
        const Bio text(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())), BIO_free);
        EVP_PKEY* const key = PEM_read_bio_PrivateKey(
            text.get(), nullptr, [](char*, int, int, void*) { return -1; }, nullptr);
        if (key == nullptr) {
            return "holds no private key as PEM, or one with a passphrase";
        }
        signer.key_ = held(key);
        if (EVP_PKEY_get_id(key) != EVP_PKEY_ED25519) {
            return "is no key of Ed25519";
        }
        signer.algorithm_ = TokenAlgorithm::eddsa;
    } else {
        if (bytes.ends_with('\n')) {
            bytes.remove_suffix(bytes.ends_with("\r\n") ? 2 : 1);
        }
        if (bytes.size() < kSecretBytesMin) {
            return "is shorter than 32 bytes, too easy to guess for HS256";
        }
        signer.secret_ = bytes;
    }
    const Json header(json_object());
    set_text(header.get(), "alg", signer.algorithm_ == TokenAlgorithm::eddsa ? "EdDSA" : "HS256");
    set_text(header.get(), "typ", "JWT");
    if (!set_text(header.get(), "kid", kid)) {
        return "its kid is no UTF-8";
    }
    signer.header_ = base64url(dumped(header.get(), 0));
    return signer;
}

std::string TokenSigner::sign(std::string_view claims) const {
    std::string text = header_ + '.' + base64url(claims);
    std::array<unsigned char, EVP_MAX_MD_SIZE> signature{};
    std::size_t size = signature.size();
    if (algorithm_ == TokenAlgorithm::eddsa) {
        const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                         EVP_MD_CTX_free);
        MARCHLAND_ASSERT(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr,
                                            static_cast<EVP_PKEY*>(key_.get())) == 1);
        MARCHLAND_ASSERT(EVP_DigestSign(context.get(), signature.data(), &size, as_unsigned(text),
                                        text.size()) == 1);
    } else {
        unsigned int mac_size = 0;
        MARCHLAND_ASSERT(HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
                              as_unsigned(text), text.size(), signature.data(),
                              &mac_size) != nullptr);
        size = mac_size;
    }
    return text + '.' + base64url({reinterpret_cast<const char*>(signature.data()), size});
}

std::string TokenSigner::verifying_bytes() const {
    if (algorithm_ == TokenAlgorithm::hs256) {
        return secret_ + '\n';
    }
    const Bio text(BIO_new(BIO_s_mem()), BIO_free);
    MARCHLAND_ASSERT(PEM_write_bio_PUBKEY(text.get(), static_cast<EVP_PKEY*>(key_.get())) == 1);
    return text_in(text.get());
}

std::string new_signing_key(TokenAlgorithm algorithm) {
    if (algorithm == TokenAlgorithm::hs256) {
        std::array<char, kSecretBytesMin> bytes{};
        MARCHLAND_ASSERT(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                                    static_cast<int>(bytes.size())) == 1);
        return base64url({bytes.data(), bytes.size()}) + '\n';
    }
    const auto key = held(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    const Bio text(BIO_new(BIO_s_mem()), BIO_free);
    MARCHLAND_ASSERT(PEM_write_bio_PrivateKey(text.get(), static_cast<EVP_PKEY*>(key.get()),
                                              nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return text_in(text.get());
}

TokenContent content_of(std::string_view token) {
    const auto shown = [](std::string_view part) {
        const auto bytes = decoded_base64url(part);
        const Json value(bytes ? json_loadb(bytes->data(), bytes->size(), JSON_ALLOW_NUL, nullptr)
                               : nullptr);
        return value ? dumped(value.get(), JSON_ENSURE_ASCII) : std::string();
    };
    const std::size_t first = std::min(token.find('.'), token.size());
    const std::size_t second = std::min(token.find('.', first + 1), token.size());
    return {shown(token.substr(0, first)),
            first == token.size() ? "" : shown(token.substr(first + 1, second - first - 1))};
}

}  // namespace marchland::net
