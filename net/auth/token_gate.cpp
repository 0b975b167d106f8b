#include "net/auth/token_gate.h"

#include "net/auth/json.h"
#include "net/regular_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace marchland::net {

namespace {

/// What is wrong with a token, for whoever showed it.
struct Refusal {
    std::string reason;
};

/// Seconds; those that a double holds exactly, so that no sum of two overflows.
constexpr std::int64_t kSecondsMax = std::int64_t{1} << 53;

std::optional<std::int64_t> whole_seconds(const json_t* value) {
    if (json_is_integer(value)) {
        const json_int_t seconds = json_integer_value(value);
        return seconds >= 0 && seconds <= kSecondsMax ? std::optional<std::int64_t>(seconds)
                                                      : std::nullopt;
    }
    // RFC 7519 allows fractions; they are dropped.
    const double seconds = json_is_real(value) ? std::floor(json_real_value(value)) : -1.0;
    return seconds >= 0 && seconds <= static_cast<double>(kSecondsMax)
               ? std::optional(static_cast<std::int64_t>(seconds))
               : std::nullopt;
}

void check_time(const json_t* claims, const AuthOptions& options,
                std::chrono::system_clock::time_point now) {
    const std::int64_t now_s =
        std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    const std::int64_t leeway_s = options.leeway_s;
    const auto expires_s = whole_seconds(json_object_get(claims, "exp"));
    if (!expires_s) {
        throw Refusal{"'exp' must be there, as seconds since 1970"};
    }
    if (now_s >= *expires_s + leeway_s) {
        throw Refusal{"it has expired"};
    }
    const json_t* const not_before = json_object_get(claims, "nbf");
    if (not_before == nullptr) {
        return;
    }
    const auto from_s = whole_seconds(not_before);
    if (!from_s) {
        throw Refusal{"'nbf' is no number of seconds since 1970"};
    }
    if (now_s < *from_s - leeway_s) {
        throw Refusal{"it is not valid yet"};
    }
}

/// Compared whole: a name with a zero byte in it is another name.
bool is_text(const json_t* value, std::string_view text) {
    return json_is_string(value) &&
           std::string_view(json_string_value(value), json_string_length(value)) == text;
}

void check_audience(const json_t* claims, const std::string& audience) {
    const json_t* const named = json_object_get(claims, "aud");
    bool is_ours = is_text(named, audience);
    for (std::size_t i = 0; i < json_array_size(named); ++i) {
        is_ours = is_ours || is_text(json_array_get(named, i), audience);
    }
    if (!is_ours) {
        throw Refusal{"it is for another audience"};
    }
}

Permit::Role role_in(const json_t* claims) {
    const json_t* const role = json_object_get(claims, "role");
    if (role == nullptr || is_text(role, "player")) {
        return Permit::Role::player;
    }
    if (is_text(role, "service")) {
        return Permit::Role::service;
    }
    throw Refusal{"'role' is neither player nor service"};
}

/// A whole number of a table; nothing when the table does not have it.
template <typename Value>
std::optional<Value> whole_in(const json_t* table, const char* name, std::int64_t min) {
    const json_t* const value = json_object_get(table, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < min || number > std::numeric_limits<Value>::max()) {
        throw Refusal{std::string("'") + name + "' is no whole number within its range"};
    }
    return static_cast<Value>(number);
}

std::optional<engine::Position> spawn_in(const json_t* claims) {
    const json_t* const spawn = json_object_get(claims, "spawn");
    if (spawn == nullptr) {
        return std::nullopt;
    }
    constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
    const auto x = whole_in<std::int32_t>(spawn, "x", kMin);
    const auto y = whole_in<std::int32_t>(spawn, "y", kMin);
    if (!x || !y) {
        throw Refusal{"'spawn' needs x and y"};
    }
    return engine::Position{*x, *y, whole_in<std::int32_t>(spawn, "z", kMin).value_or(0)};
}

/// All of it: it decides who may resume a session.
std::string subject_in(const json_t* claims) {
    const json_t* const value = json_object_get(claims, "sub");
    if (value != nullptr && !json_is_string(value)) {
        throw Refusal{"'sub' is no text"};  // or all whose is none would be one subject
    }
    return value == nullptr ? std::string()
                            : std::string(json_string_value(value), json_string_length(value));
}

/// A JSON object in the order of its names, so that equal claims are equal bytes. Empty when the
/// token has none.
std::string claims_for_services(const json_t* claims, const AuthOptions& options) {
    const Json named(json_object());
    for (const std::string& name : options.claims_for_services) {
        if (json_t* const value = json_object_get(claims, name.c_str())) {
            json_object_set(named.get(), name.c_str(), value);
        }
    }
    if (json_object_size(named.get()) == 0) {
        return {};
    }
    std::string text(kClaimsBytesMax, ' ');
    const std::size_t bytes =
        json_dumpb(named.get(), text.data(), text.size(), JSON_COMPACT | JSON_SORT_KEYS);
    if (bytes == 0 || bytes > kClaimsBytesMax) {
        throw Refusal{"its claims for services are over " + std::to_string(kClaimsBytesMax) +
                      " bytes"};
    }
    text.resize(bytes);
    return text;
}

Permit read_permit(const json_t* claims, const AuthOptions& options,
                   std::chrono::system_clock::time_point now) {
    if (!json_is_object(claims)) {
        throw Refusal{"its claims are no table"};
    }
    check_time(claims, options, now);
    check_audience(claims, options.audience);
    Permit permit;
    permit.role = role_in(claims);
    permit.subject = subject_in(claims);
    if (permit.role == Permit::Role::player) {
        if (permit.subject.empty() && options.second_login != AuthOptions::SecondLogin::allow) {
            throw Refusal{"'sub' must say who it is: auth.second_login is not \"allow\""};
        }
        permit.claims = claims_for_services(claims, options);
        permit.kind = whole_in<std::uint16_t>(claims, "kind", 0);
        permit.spawn = spawn_in(claims);
        permit.leave_radius_mm_max = whole_in<std::int32_t>(claims, "view_leave_radius_mm_max", 0);
        permit.frames_hz = whole_in<std::uint16_t>(claims, "frames_hz", 1);
    }
    return permit;
}

/// What the claims of a token allow, if they hold now. The string says, for people, why not.
///
///     aud    string or list, must name the audience
///     exp    seconds since 1970, needed
///     nbf    likewise, may be absent
///     sub    who it is; may be needed
///     role   "player" (when absent) or "service"
///     kind   0 to 65535
///     spawn  { "x": mm, "y": mm, "z": mm }, z may be absent
///     view_leave_radius_mm_max  0 and more
///     frames_hz                 1 and more
///
/// Those that `claims_for_services` names are copied for services, in a player's token.
///
/// kind, spawn, the view's limit and the rate are players': in a service's token they are passed
/// over, as other claims are in any. Of a claim that is there twice the last one counts. Source:
/// RFC 7519; from `role` on the names are Marchland's.
std::variant<Permit, std::string> permit_from(const std::string& claims, const AuthOptions& options,
                                              std::chrono::system_clock::time_point now) {
    const Json parsed(json_loadb(claims.data(), claims.size(), JSON_ALLOW_NUL, nullptr));
    try {
        return read_permit(parsed.get(), options, now);
    } catch (Refusal& refusal) {
        return std::move(refusal.reason);
    }
}

}  // namespace

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
