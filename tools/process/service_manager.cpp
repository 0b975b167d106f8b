#include "tools/process/service_manager.h"

#include "tools/process/descriptor.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace marchland::process {

void tell_service_manager(const std::string& state) {
    const char* const named = std::getenv("NOTIFY_SOCKET");
    const std::string_view path = named == nullptr ? "" : named;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return;
    }
    std::ranges::copy(path, address.sun_path);
    if (path.front() == '@') {
        address.sun_path[0] = '\0';  // an abstract one
    }
    const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ::sendto(socket.fd(), state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address),
             static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size()));
}

std::map<std::uint16_t, int> inherited_sockets() {
    constexpr int kFirst = 3;  // SD_LISTEN_FDS_START
    constexpr int kCountMax = 64;
    const auto number = [](const char* name) {
        const char* const text = std::getenv(name);
        return text == nullptr ? 0 : std::atoi(text);
    };
    std::map<std::uint16_t, int> sockets;
    if (number("LISTEN_PID") != ::getpid()) {
        return sockets;
    }
    const int end = kFirst + std::clamp(number("LISTEN_FDS"), 0, kCountMax);
    for (int socket = kFirst; socket < end; ++socket) {
        ::fcntl(socket, F_SETFD, FD_CLOEXEC);
        sockaddr_in6 address{};  // its port is where sockaddr_in has it
        socklen_t size = sizeof address;
        if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
            (address.sin6_family == AF_INET || address.sin6_family == AF_INET6)) {
            sockets[ntohs(address.sin6_port)] = socket;
        }
    }
    return sockets;
}

}  // namespace marchland::process
