#include "tools/bots/poller.h"

#include "engine/assert.h"

#include <cerrno>
#include <system_error>

namespace marchland::bots {

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_.is_open()) {
        throw std::system_error(errno, std::generic_category(), "epoll_create1");
    }
}

void Poller::add(int fd, std::uint32_t events, Token token) {
    control(EPOLL_CTL_ADD, fd, events, token);
}

void Poller::modify(int fd, std::uint32_t events, Token token) {
    control(EPOLL_CTL_MOD, fd, events, token);
}

std::span<const epoll_event> Poller::wait(int timeout_ms) {
    const int count =
        epoll_wait(epoll_.fd(), events_.data(), static_cast<int>(kEventsMax), timeout_ms);
    MARCHLAND_ASSERT(count >= 0 || errno == EINTR);
    return {events_.data(), static_cast<std::size_t>(count < 0 ? 0 : count)};
}

void Poller::control(int operation, int fd, std::uint32_t events, Token token) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = token;
    if (epoll_ctl(epoll_.fd(), operation, fd, &event) != 0) {
        throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
}

}  // namespace marchland::bots
