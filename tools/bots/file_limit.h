#pragma once

#include <cstddef>

namespace marchland::bots {

/// Raises the soft limit of open files to the hard one, and returns it: each player needs a socket.
std::size_t raise_open_files_max();

/// What the process has open besides the players' sockets: standard streams, epoll, signals, the
/// scout's socket, a trace, a resolver's.
inline constexpr std::size_t kFilesBesidePlayers = 16;

}  // namespace marchland::bots
