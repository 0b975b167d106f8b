#include "net/secret_file.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>

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

std::optional<FileFlaw> check_privacy(const std::string& path, bool others_can_connect) {
    using std::filesystem::perms;
    std::error_code unreadable;  // whoever reads it reports it
    const perms mode = std::filesystem::status(path, unreadable).permissions();
    if (unreadable || (mode & (perms::others_read | perms::others_write)) == perms::none) {
        return std::nullopt;
    }
    if (others_can_connect) {
        return FileFlaw{
            "everybody on this machine can read or change it; chmod o-rw takes that away"};
    }
    spdlog::warn("{}: everybody on this machine can read or change it", path);
    return std::nullopt;
}

}  // namespace marchland::net
