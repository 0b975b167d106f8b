#include "net/transport/handshake_turns.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace marchland::net {

void HandshakeTurns::wait(Address address, const void* who, std::function<void()> work) {
    auto& of_address = handshakes_[address];
    of_address.push_back({who, Clock::now(), std::move(work)});
    if (of_address.size() == 1) {
        try {
            order_.push_back(address);
        } catch (...) {
            handshakes_.erase(address);
            throw;
        }
    }
    ++waiting_;
    work_later();
}

void HandshakeTurns::cancel(Address address, const void* who) {
    const auto of_address = handshakes_.find(address);
    if (of_address == handshakes_.end()) {
        return;
    }
    auto& waiting = of_address->second;
    if (std::erase_if(waiting, [who](const Handshake& it) { return it.who == who; }) == 0) {
        return;
    }
    --waiting_;
    if (waiting.empty()) {
        handshakes_.erase(of_address);
        std::erase(order_, address);
    }
}

/// Posted, and not done at once: whatever has come for others by now is looked at first.
void HandshakeTurns::work_later() {
    if (!is_posted_) {
        boost::asio::post(io_, [this] {
            is_posted_ = false;
            work();
        });
        is_posted_ = true;
    }
}

void HandshakeTurns::work() {
    const auto end = Clock::now() + kTurnBudget;
    while (waiting_ > 0) {
        const Handshake next = take_next();
        if (waiting_ > 0) {
            work_later();  // before what may throw
        }
        next.work();
        if (Clock::now() >= end) {
            return;
        }
    }
}

HandshakeTurns::Handshake HandshakeTurns::take_next() {
    const auto of_address = handshakes_.find(order_.front());
    order_.pop_front();
    Handshake next = std::move(of_address->second.front());
    of_address->second.pop_front();
    if (of_address->second.empty()) {
        handshakes_.erase(of_address);
    } else {
        order_.push_back(of_address->first);
    }
    --waiting_;
    return next;
}

bool HandshakeTurns::is_behind(Clock::time_point now) const {
    return waiting_ > 0 &&
           now - handshakes_.find(order_.front())->second.front().since > kBehindMin;
}

}  // namespace marchland::net
