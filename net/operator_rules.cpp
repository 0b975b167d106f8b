#include "net/operator_rules.h"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <cstdint>
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

void OperatorRules::begin_drain(Notice notice, std::chrono::steady_clock::time_point now) {
    const std::lock_guard lock(mutex_);
    drained_at_ = now + std::chrono::milliseconds(notice.stops_in_ms);
    drain_notice_ = std::move(notice);
    is_draining_.store(true, std::memory_order_relaxed);
}

std::optional<Notice> OperatorRules::drain_notice(std::chrono::steady_clock::time_point now) {
    if (!is_draining()) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    Notice notice = drain_notice_;
    // 0 would be no deadline.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(drained_at_ - now).count();
    notice.stops_in_ms = static_cast<std::uint32_t>(std::max<std::int64_t>(left, 1));
    return notice;
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

std::optional<std::string> bannable_address(std::string_view text) {
    boost::system::error_code error;
    auto address = boost::asio::ip::make_address(std::string(text), error);
    if (error) {
        return std::nullopt;
    }
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
    }
    if (address.is_v4()) {
        return address.to_string();
    }
    auto bytes = address.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return boost::asio::ip::make_address_v6(bytes).to_string() + "/64";
}

std::string address_of_peer(std::string_view peer) {
    return bannable_address(peer.substr(0, peer.rfind(':'))).value_or("");
}

}  // namespace marchland::net
