#pragma once

#include "shards/state/fold.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace marchland::net {

/// A session, and which of the resume tokens that were given for it, from 1 on.
struct SessionPass {
    shards::SessionKey session;
    std::uint32_t generation = 0;

    friend bool operator==(const SessionPass&, const SessionPass&) = default;
};

/// Resume tokens: what a client shows to go on where its last connection ended. They name the
/// session it is and are signed, so they outlive the server's memory:
///
///   kind (1) | entity or owner (8) | generation (4)
///   | HMAC-SHA256 of these and of the zone's number, cut to 16 bytes
///
/// Ids are never given twice in one zone, however often a backup is put back
/// (StateStore::put_back), so these numbers name one session. A zone that begins with nothing has
/// another number: then tokens from before are none of its own.
///
/// Threads  Any.
/// Errors   Whatever is wrong with a token, the answer is nothing.
class ResumeTokens {
public:
    using Key = std::array<std::byte, 32>;

    /// Good for as long as this process lives. Throws std::runtime_error when the system has no
    /// randomness.
    ResumeTokens();
    ResumeTokens(const Key& key, std::uint64_t zone_number) : key_(key), zone_(zone_number) {}

    [[nodiscard]] std::vector<std::byte> sign(const SessionPass& pass) const;
    [[nodiscard]] std::optional<SessionPass> check(std::span<const std::byte> token) const;

private:
    Key key_;
    std::uint64_t zone_;
};

/// The key of the file, which is made where it is not there; or what is wrong with it.
std::variant<ResumeTokens::Key, std::string> load_or_make_key(const std::filesystem::path& file);

}  // namespace marchland::net
