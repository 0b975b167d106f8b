#pragma once

#include "net/messages.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::net {

/// Who may not come in. One of subject and address is empty.
struct Ban {
    std::string subject;  ///< of a token
    std::string address;  ///< of the client: bannable_address()
    std::optional<std::chrono::system_clock::time_point> until;  ///< nothing: until it is lifted
    std::string reason;  ///< for the operator; the client is sent only that it is banned
};

/// Who may come in, as operators of a running server decide.
///
/// Bounds   kBansMax bans; those that are over make room.
/// Threads  Any. The mutex guards the bans, looked at once for each Hello, and the drain's notice.
class OperatorRules {
public:
    using TimePoint = std::chrono::system_clock::time_point;
    static constexpr std::size_t kBansMax = 10'000;

    /// Takes the place of one of the same subject or address. False: there are as many as may be.
    [[nodiscard]] bool ban(Ban ban, TimePoint now);
    /// False: there was none. Both as in a Ban.
    bool unban(std::string_view subject, std::string_view address);
    /// Those in force.
    [[nodiscard]] std::vector<Ban> bans(TimePoint now);

    /// From here on no new player comes in; who is inside stays, and may resume.
    /// Whoever is inside is to be sent the notice, in which the server stops so long from `now` on.
    /// The newest one counts.
    void begin_drain(Notice notice, std::chrono::steady_clock::time_point now);
    [[nodiscard]] bool is_draining() const { return is_draining_.load(std::memory_order_relaxed); }
    /// What to send whoever resumes meanwhile.
    [[nodiscard]] std::optional<Notice> drain_notice(std::chrono::steady_clock::time_point now);

    /// What to answer whoever comes from there as that with; nothing: it may come in.
    [[nodiscard]] std::optional<ErrorMessage> refuse(std::string_view subject,
                                                     std::string_view address, TimePoint now);

private:
    void forget_those_over(TimePoint now);

    std::atomic<bool> is_draining_{false};
    std::mutex mutex_;
    std::vector<Ban> bans_;
    Notice drain_notice_;
    std::chrono::steady_clock::time_point drained_at_;
};

/// What is banned with an address: it; of an IPv6 address "2001:db8::/64", since a host has all of
/// these. An IPv4 address that a socket for both kinds shows as "::ffff:1.2.3.4" is the IPv4
/// address. Nothing: it is no address.
std::optional<std::string> bannable_address(std::string_view text);
/// That of "10.0.0.1:7777" or "::1:7777".
std::string address_of_peer(std::string_view peer);

}  // namespace marchland::net
