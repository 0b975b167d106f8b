#pragma once

#include "net/regular_file.h"

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

namespace marchland::net {

/// Keys, certificates and tokens are small: more is another file.
inline constexpr std::size_t kSecretFileBytesMax = std::size_t{64} * 1024;

/// The bytes of a key, a certificate or a token; or why there are none.
std::variant<std::string, FileFlaw> read_secret_file(const std::string& path);

/// A secret that everybody on this machine can read or change is none. Where only this machine can connect that
/// is a line in the log, else a flaw.
std::optional<FileFlaw> check_privacy(const std::string& path, bool others_can_connect);

}  // namespace marchland::net
