#include "tools/bench/loopback_socket.h"

#include <cerrno>
#include <system_error>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace marchland::bench {
namespace {

constexpr timeval kPatience{20, 0};

template <typename Value>
void set_option(int fd, int level, int name, const Value& value) {
    if (::setsockopt(fd, level, name, &value, sizeof value) != 0) {
        fail_with_errno("setsockopt");
    }
}

}  // namespace

[[noreturn]] void fail_with_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

process::Descriptor connect_to_loopback(std::uint16_t port) {
    process::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) {
        fail_with_errno("socket");
    }
    set_option(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, kPatience);
    set_option(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, kPatience);
    set_option(socket.fd(), IPPROTO_TCP, TCP_NODELAY, 1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail_with_errno("connect");
    }
    return socket;
}

}  // namespace marchland::bench
