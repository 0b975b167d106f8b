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
inline const std::string& to_text(const FileFlaw& flaw) {
    return flaw.reason;
}

/// The bytes of a regular file, to its end or to `bytes_max`, whichever comes first. Anything else
/// is refused, never waited for: a pipe that nobody writes to would hold up whoever reads it, and
/// that is the server's main thread when files are read again while it runs.
std::variant<std::string, FileFlaw> read_regular_file(const std::filesystem::path& path,
                                                      std::size_t bytes_max);

/// Keys, certificates and tokens are small: more is another file.
inline constexpr std::size_t kSecretFileBytesMax = std::size_t{64} * 1024;

/// The bytes of a key, a certificate or a token; or why there are none.
std::variant<std::string, FileFlaw> read_secret_file(const std::string& path);

/// The same of a secret. One that everybody on this machine can read or change is none: where only
/// this machine can connect that is a line in the log, else a flaw.
std::variant<std::string, FileFlaw> read_private_file(const std::string& path,
                                                      bool others_can_connect);

}  // namespace marchland::net
