#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>

namespace marchland::net {

/// Why there are no bytes: what follows a path and a colon.
struct FileFlaw {
    std::string reason;
};

/// The bytes of a regular file, to its end or to `bytes_max`, whichever comes first. Anything else is
/// refused, never waited for: a pipe that nobody writes to would hold up whoever reads it, and that is the
/// server's main thread when files are read again while it runs.
std::variant<std::string, FileFlaw> read_regular_file(const std::filesystem::path& path,
                                                      std::size_t bytes_max);

}  // namespace marchland::net
