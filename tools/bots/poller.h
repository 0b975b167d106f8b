#pragma once

#include "tools/process/descriptor.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/epoll.h>

namespace marchland::bots {

/// Which descriptors have something to read? A thin wrapper of epoll(7), level-triggered. Thousands
/// of sockets and one frame for each: anything per descriptor beyond one read would show.
class Poller {
public:
    using Token = std::uint64_t;  ///< the caller's name for a descriptor

    Poller();

    /// `events` as in epoll_ctl(2). A closed descriptor goes by itself.
    void add(int fd, std::uint32_t events, Token token);
    void modify(int fd, std::uint32_t events, Token token);

    /// Waits up to timeout_ms for events; none after a signal. Valid until the next call.
    std::span<const epoll_event> wait(int timeout_ms);

private:
    static constexpr std::size_t kEventsMax = 512;

    void control(int operation, int fd, std::uint32_t events, Token token);

    process::Descriptor epoll_;
    std::array<epoll_event, kEventsMax> events_{};
};

}  // namespace marchland::bots
