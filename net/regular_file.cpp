#include "net/regular_file.h"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <sys/stat.h>

namespace marchland::net {

namespace {

FileFlaw unreadable(int error_number) {
    return {"cannot be read: " + std::generic_category().message(error_number)};
}

FileFlaw not_regular(mode_t mode) {
    // No socket: to open one fails.
    const std::string kind = S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : "a device";
    return {"is " + kind + ", not a regular file"};
}

std::variant<std::string, FileFlaw> read_open(int fd, std::size_t bytes_max) {
    // Of what was opened, not of the path: that may be another file by now.
    struct stat status {};
    if (::fstat(fd, &status) != 0) {
        return unreadable(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return not_regular(status.st_mode);
    }
    std::string bytes(bytes_max, '\0');
    std::size_t size = 0;
    while (size < bytes_max) {
        const ssize_t got = ::read(fd, bytes.data() + size, bytes_max - size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return unreadable(errno);
        }
        if (got == 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    bytes.resize(size);
    return bytes;
}

}  // namespace

std::variant<std::string, FileFlaw> read_regular_file(const std::filesystem::path& path,
                                                      std::size_t bytes_max) {
    // O_NONBLOCK: to open a pipe does not wait for whoever writes. A regular file does not care.
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return unreadable(errno);
    }
    auto bytes = read_open(fd, bytes_max);
    ::close(fd);
    return bytes;
}

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

std::variant<std::string, FileFlaw> read_private_file(const std::string& path,
                                                      bool others_can_connect) {
    using std::filesystem::perms;
    auto read = read_secret_file(path);
    std::error_code unreadable;  // whoever reads it reports it
    const perms mode = std::filesystem::status(path, unreadable).permissions();
    if (std::holds_alternative<FileFlaw>(read) || unreadable ||
        (mode & (perms::others_read | perms::others_write)) == perms::none) {
        return read;
    }
    if (others_can_connect) {
        return FileFlaw{
            "everybody on this machine can read or change it; chmod o-rw takes that away"};
    }
    spdlog::warn("{}: everybody on this machine can read or change it", path);
    return read;
}

}  // namespace marchland::net
