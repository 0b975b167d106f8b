#include "net/operator_rules.h"

#include <algorithm>
#include <utility>

namespace marchland::net {

bool OperatorRules::ban(Ban ban, TimePoint now) {
    const std::lock_guard lock(mutex_);
    forget_those_over(now);
    std::erase_if(bans_, [&](const Ban& other) {
        return other.subject == ban.subject && other.address == ban.address;
    });
    if (bans_.size() >= kBansMax) {
        return false;
    }
    bans_.push_back(std::move(ban));
    return true;
}

bool OperatorRules::unban(std::string_view subject, std::string_view address) {
    const std::lock_guard lock(mutex_);
    return std::erase_if(bans_, [&](const Ban& ban) {
               return ban.subject == subject && ban.address == address;
           }) != 0;
}

std::vector<Ban> OperatorRules::bans(TimePoint now) {
    const std::lock_guard lock(mutex_);
    forget_those_over(now);
    return bans_;
}

std::optional<ErrorMessage> OperatorRules::refuse(std::string_view subject,
                                                  std::string_view address, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const bool is_banned = std::ranges::any_of(bans_, [&](const Ban& ban) {
        const bool is_meant = ban.subject.empty() ? ban.address == address : ban.subject == subject;
        return is_meant && (!ban.until || now < *ban.until);
    });
    return is_banned ? std::optional(ErrorMessage{ErrorCode::not_allowed, "banned"}) : std::nullopt;
}

void OperatorRules::forget_those_over(TimePoint now) {
    std::erase_if(bans_, [now](const Ban& ban) { return ban.until && *ban.until <= now; });
}

std::string_view address_of_peer(std::string_view peer) {
    std::string_view address = peer.substr(0, peer.rfind(':'));
    if (address.starts_with('[') && address.ends_with(']')) {
        address = address.substr(1, address.size() - 2);
    }
    return address;
}

}  // namespace marchland::net
