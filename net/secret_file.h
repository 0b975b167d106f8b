#pragma once

#include "net/regular_file.h"

#include <cstddef>
#include <string>
#include <variant>

namespace marchland::net {

/// Keys, certificates and tokens are small: more is another file.
inline constexpr std::size_t kSecretFileBytesMax = std::size_t{64} * 1024;

/// The bytes of a key, a certificate or a token; or why there are none.
std::variant<std::string, FileFlaw> read_secret_file(const std::string& path);

}  // namespace marchland::net
