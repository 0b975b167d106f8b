#include "tests/net/token_maker.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace marchland::tests {

namespace {

const unsigned char* as_unsigned(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::string as_text(const unsigned char* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

void require_made(bool is_done) {
    if (!is_done) {
        throw std::runtime_error("OpenSSL");
    }
}

}  // namespace

std::string base64url(std::string_view bytes) {
    std::vector<unsigned char> text(4 * ((bytes.size() + 2) / 3) + 1);
    const int size =
        EVP_EncodeBlock(text.data(), as_unsigned(bytes), static_cast<int>(bytes.size()));
    std::string encoded = as_text(text.data(), static_cast<std::size_t>(size));
    for (char& c : encoded) {
        c = c == '+' ? '-' : c == '/' ? '_' : c;
    }
    return encoded.substr(0, encoded.find('='));
}

std::string unsigned_token(std::string_view header, std::string_view claims) {
    return base64url(header) + '.' + base64url(claims);
}

std::string hs256_token(std::string_view claims, std::string_view secret, std::string_view header) {
    const std::string text = unsigned_token(header, claims);
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned int size = 0;
    require_made(HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                      as_unsigned(text), text.size(), mac.data(), &size) != nullptr);
    return text + '.' + base64url(as_text(mac.data(), size));
}

Ed25519Pair::Ed25519Pair()
    : key_(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"),
           [](void* key) { EVP_PKEY_free(static_cast<EVP_PKEY*>(key)); }) {
    require_made(key_ != nullptr);
}

std::string Ed25519Pair::public_pem() const {
    const std::unique_ptr<BIO, int (*)(BIO*)> text(BIO_new(BIO_s_mem()), BIO_free);
    require_made(PEM_write_bio_PUBKEY(text.get(), static_cast<EVP_PKEY*>(key_.get())) == 1);
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(text.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

std::string Ed25519Pair::token(std::string_view claims, std::string_view header) const {
    const std::string text = unsigned_token(header, claims);
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                     EVP_MD_CTX_free);
    std::array<unsigned char, 64> signature{};
    std::size_t size = signature.size();
    require_made(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr,
                                    static_cast<EVP_PKEY*>(key_.get())) == 1 &&
                 EVP_DigestSign(context.get(), signature.data(), &size, as_unsigned(text),
                                text.size()) == 1);
    return text + '.' + base64url(as_text(signature.data(), size));
}

KeyFolder::KeyFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "marchland_keys_XXXXXX").string();
    require_made(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
}

KeyFolder::~KeyFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string KeyFolder::write(const std::string& name, std::string_view content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return path(name);
}

}  // namespace marchland::tests
