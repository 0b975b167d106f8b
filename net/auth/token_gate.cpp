#include "net/auth/token_gate.h"

#include "net/auth/claims.h"
#include "net/secret_file.h"

#include <optional>
#include <utility>

namespace marchland::net {

TokenGate::TokenGate(AuthOptions options) : options_(std::move(options)), files_(options_.keys) {}

std::vector<std::string> TokenGate::reload() {
    std::vector<TokenKeyFile> files;
    {
        const std::lock_guard lock(mutex_);
        files = files_;
    }
    return reload(std::move(files));
}

std::vector<std::string> TokenGate::reload(std::vector<TokenKeyFile> files) {
    std::vector<std::string> flaws;
    std::vector<TokenKey> keys;
    for (const TokenKeyFile& file : files) {
        const auto bytes = read_secret_file(file.file);
        if (const auto* flaw = std::get_if<FileFlaw>(&bytes)) {
            flaws.push_back(file.file + ": " + flaw->reason);
            continue;
        }
        auto key = TokenKey::make(file, std::get<std::string>(bytes));
        if (const auto* flaw = std::get_if<std::string>(&key)) {
            flaws.push_back(file.file + ": " + *flaw);
        } else {
            keys.push_back(std::get<TokenKey>(std::move(key)));
        }
    }
    if (flaws.empty()) {
        auto read = std::make_shared<const std::vector<TokenKey>>(std::move(keys));
        const std::lock_guard lock(mutex_);
        keys_.swap(read);
        files_.swap(files);
    }
    return flaws;
}

TokenGate::Keys TokenGate::keys() const {
    const std::lock_guard lock(mutex_);
    return keys_;
}

std::variant<Permit, std::string> TokenGate::check(
    const std::string& token, std::chrono::system_clock::time_point now) const {
    if (is_open_to_all()) {
        return Permit{};
    }
    if (token.empty()) {
        return "a token is needed, and none was shown";
    }
    const auto parsed = SignedToken::parse(token);
    if (!parsed) {
        return "it is no token that is signed with HS256 or EdDSA";
    }
    const Keys keys = this->keys();
    std::optional<std::string> claims;
    for (auto key = keys->begin(); key != keys->end() && !claims; ++key) {
        claims = key->claims_of(*parsed);
    }
    if (!claims) {
        return "no key of this server has signed it";
    }
    return permit_from(*claims, options_, now);
}

}  // namespace marchland::net
