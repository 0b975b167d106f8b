#include "net/resume_token.h"

#include "engine/frame/varint.h"
#include "net/regular_file.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace marchland::net {

namespace {

constexpr std::size_t kSaidBytes = 13;
constexpr std::size_t kSignatureBytes = 16;

void fill_with_random(std::span<std::byte> bytes) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                   static_cast<int>(bytes.size())) != 1) {
        throw std::runtime_error("no random bytes for a key");
    }
}

std::array<std::byte, kSignatureBytes> signature_of(std::span<const std::byte> said,
                                                    std::uint64_t zone,
                                                    const ResumeTokens::Key& key) {
    std::vector<std::byte> signed_bytes(said.begin(), said.end());
    engine::append_u64(zone, signed_bytes);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(signed_bytes.data()), signed_bytes.size(),
             digest.data(), &size) == nullptr ||
        size < kSignatureBytes) {
        throw std::runtime_error("no HMAC-SHA256");
    }
    std::array<std::byte, kSignatureBytes> signature{};
    std::memcpy(signature.data(), digest.data(), signature.size());
    return signature;
}

}  // namespace

ResumeTokens::ResumeTokens() : key_{}, zone_(0) {
    fill_with_random(key_);
}

std::vector<std::byte> ResumeTokens::sign(const SessionPass& pass) const {
    std::vector<std::byte> token;
    token.push_back(static_cast<std::byte>(pass.session.kind));
    engine::append_u64(pass.session.number, token);
    engine::append_u32(pass.generation, token);
    const auto signature = signature_of(token, zone_, key_);
    token.insert(token.end(), signature.begin(), signature.end());
    return token;
}

std::optional<SessionPass> ResumeTokens::check(std::span<const std::byte> token) const {
    if (token.size() != kSaidBytes + kSignatureBytes) {
        return std::nullopt;
    }
    const auto said = token.first(kSaidBytes);
    const auto signature = signature_of(said, zone_, key_);
    if (CRYPTO_memcmp(signature.data(), token.data() + kSaidBytes, kSignatureBytes) != 0) {
        return std::nullopt;
    }
    const auto kind = static_cast<shards::SessionKey::Kind>(said[0]);
    return SessionPass{{kind, engine::read_u64(said.subspan(1))},
                       engine::read_u32(said.subspan(9))};
}

std::variant<ResumeTokens::Key, std::string> load_or_make_key(const std::filesystem::path& file) {
    ResumeTokens::Key key;
    std::error_code error;
    if (!std::filesystem::exists(file, error) && !error) {
        fill_with_random(key);
        // Under its name it is whole or not there at all.
        const std::string made = file.string() + ".new";
        const int descriptor = ::open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        const bool is_written =
            descriptor >= 0 &&
            ::write(descriptor, key.data(), key.size()) == static_cast<ssize_t>(key.size()) &&
            ::fsync(descriptor) == 0 && ::rename(made.c_str(), file.c_str()) == 0;
        const int error_number = errno;
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        if (is_written) {
            return key;
        }
        return file.string() + ": " + std::strerror(error_number);
    }
    const auto read = read_private_file(file.string(), true);
    const auto* const bytes = std::get_if<std::string>(&read);
    if (bytes == nullptr) {
        return file.string() + ": " + std::get<FileFlaw>(read).reason;
    }
    if (bytes->size() != key.size()) {
        return file.string() + ": a key for resume tokens has 32 bytes";
    }
    std::memcpy(key.data(), bytes->data(), key.size());
    return key;
}

}  // namespace marchland::net
