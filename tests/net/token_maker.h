#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace marchland::tests {

/// base64url without padding (RFC 7515, appendix C).
std::string base64url(std::string_view bytes);

/// "header.claims", the part of a token that is signed.
std::string unsigned_token(std::string_view header, std::string_view claims);

/// Of tokens without another header the secret's kid is "old", a pair's "new".
/// A token signed with HMAC-SHA256, by OpenSSL: not by the library that checks it.
std::string hs256_token(std::string_view claims, std::string_view secret,
                        std::string_view header = R"({"alg":"HS256","typ":"JWT","kid":"old"})");

/// A pair of Ed25519 keys, made anew.
class Ed25519Pair {
public:
    Ed25519Pair();

    [[nodiscard]] std::string public_pem() const;
    [[nodiscard]] std::string token(
        std::string_view claims, std::string_view header = R"({"alg":"EdDSA","kid":"new"})") const;

private:
    std::shared_ptr<void> key_;
};

/// A folder of its own, gone with its object.
class KeyFolder {
public:
    KeyFolder();
    ~KeyFolder();
    KeyFolder(const KeyFolder&) = delete;
    KeyFolder& operator=(const KeyFolder&) = delete;

    /// Writes a file and returns its path.
    std::string write(const std::string& name, std::string_view content) const;
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }

private:
    std::filesystem::path folder_;
};

}  // namespace marchland::tests
