#include "net/auth/token_gate.h"

#include "net/auth/claims.h"
#include "net/regular_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace marchland::net {

TokenGate::TokenGate(AuthOptions options, bool others_can_connect)
    : options_(std::move(options)),
      others_can_connect_(others_can_connect),
      files_(options_.keys) {}

std::vector<std::string> TokenGate::reload() {
    std::vector<TokenKeyFile> files;
    {
        const std::lock_guard lock(mutex_);
        files = files_;
    }
    return reload(std::move(files));
}

std::string kid_flaw(const std::vector<TokenKeyFile>& keys) {
    if (keys.size() < 2) {
        return "";
    }
    std::set<std::string_view> kids;
    for (const TokenKeyFile& key : keys) {
        if (key.kid.empty()) {
            return "where there are several keys each needs a kid, which tokens name";
        }
        if (!kids.insert(key.kid).second) {
            return "two keys have the same kid";
        }
    }
    return "";
}

std::vector<std::string> TokenGate::reload(std::vector<TokenKeyFile> files) {
    std::vector<std::string> flaws;
    if (auto flaw = kid_flaw(files); !flaw.empty()) {
        flaws.push_back("auth.keys: " + std::move(flaw));
    }
    std::vector<TokenKey> keys;
    for (const TokenKeyFile& file : files) {
        const auto bytes = file.algorithm == TokenAlgorithm::hs256
                               ? read_private_file(file.file, others_can_connect_)
                               : read_secret_file(file.file);
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
    const std::string& kid = parsed->header().kid;
    if (keys->size() > 1 && kid.empty()) {
        return "it names no key ('kid'), and this server has several";
    }
    const auto key =
        keys->size() == 1 ? keys->begin() : std::ranges::find(*keys, kid, &TokenKey::kid);
    const auto claims = key == keys->end() ? std::nullopt : key->claims_of(*parsed);
    if (!claims) {
        return "no key of this server has signed it";
    }
    return permit_from(*claims, options_, now);
}

}  // namespace marchland::net
