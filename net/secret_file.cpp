#include "net/secret_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace marchland::net {

std::variant<std::string, FileFlaw> read_secret_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return FileFlaw{std::string("cannot be opened: ") + std::strerror(errno)};
    }
    std::string bytes(kSecretFileBytesMax + 1, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad()) {
        return FileFlaw{"cannot be read"};
    }
    if (bytes.empty()) {
        return FileFlaw{"is empty"};
    }
    if (bytes.size() > kSecretFileBytesMax) {
        return FileFlaw{"is larger than 64 KiB"};
    }
    return bytes;
}

}  // namespace marchland::net
