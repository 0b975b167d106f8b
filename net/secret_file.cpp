#include "net/secret_file.h"

namespace marchland::net {

std::variant<std::string, FileFlaw> read_secret_file(const std::string& path) {
    auto read = read_regular_file(path, kSecretFileBytesMax + 1);
    if (const auto* const bytes = std::get_if<std::string>(&read)) {
        if (bytes->empty()) {
            return FileFlaw{"is empty"};
        }
        if (bytes->size() > kSecretFileBytesMax) {
            return FileFlaw{"is larger than 64 KiB"};
        }
    }
    return read;
}

}  // namespace marchland::net
