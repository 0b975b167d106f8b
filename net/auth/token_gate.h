#pragma once

#include "engine/entity.h"
#include "net/auth/auth_options.h"
#include "net/auth/token_key.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace marchland::net {

/// What whoever signed a token allows who shows it. Nothing: whatever the server allows everybody.
struct Permit {
    enum class Role : std::uint8_t { player, service };

    Role role = Role::player;
    std::optional<std::uint16_t> kind;                ///< what its entity is, whatever it asks for
    std::optional<engine::Position> spawn;            ///< where it begins, whatever it asks for
    std::optional<std::int32_t> leave_radius_mm_max;  ///< how far its views may reach
    std::optional<std::uint16_t> frames_hz;           ///< how many frames a second it gets
    std::string subject;      ///< who it is: foreign text, no longer than its token
    std::string claims = {};  ///< a player's, that services are sent: JSON, or empty

    friend bool operator==(const Permit&, const Permit&) = default;
};

/// Who may come in, by the token that is shown. Keys come from files, and may be read again while
/// clients come and go: that is how one takes over from another. Who is in stays in.
///
/// Threads  Any. The mutex guards one pointer and the list of files: a check takes it and lets go,
///          and looks at signatures after that; a reload exchanges both.
/// Cost     check: one signature, of the key that the token's `kid` names, or of the only one.
class TokenGate {
public:
    /// `others_can_connect`: than this machine. Then secrets must be readable by those alone who
    /// need them.
    explicit TokenGate(AuthOptions options, bool others_can_connect = false);

    /// Reads all key files. What is wrong, a line for each file; then the keys stay as they were.
    [[nodiscard]] std::vector<std::string> reload();
    /// Reads these from here on, in place of those before; where anything is wrong, that list
    /// stays, too.
    [[nodiscard]] std::vector<std::string> reload(std::vector<TokenKeyFile> files);

    [[nodiscard]] bool is_open_to_all() const { return options_.mode == AuthOptions::Mode::none; }

    /// What the token allows; or why it allows nothing, for people.
    [[nodiscard]] std::variant<Permit, std::string> check(
        const std::string& token, std::chrono::system_clock::time_point now) const;

private:
    using Keys = std::shared_ptr<const std::vector<TokenKey>>;

    [[nodiscard]] Keys keys() const;

    const AuthOptions options_;
    const bool others_can_connect_;
    mutable std::mutex mutex_;
    Keys keys_ = std::make_shared<const std::vector<TokenKey>>();
    std::vector<TokenKeyFile> files_;  ///< that the keys are from, or are to be at first
};

}  // namespace marchland::net
