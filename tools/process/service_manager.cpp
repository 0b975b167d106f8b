#include "tools/process/service_manager.h"

#include "tools/process/descriptor.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
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

}  // namespace marchland::process
