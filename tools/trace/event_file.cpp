#include "tools/trace/event_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <unistd.h>

namespace marchland::trace {
namespace fs = std::filesystem;

EventFile::~EventFile() {
    if (!is_pending_) return;
    stream_.close();
    std::error_code ignored;  // nothing more can be done about a file that will not go
    fs::remove(written_, ignored);
}

std::optional<std::string> EventFile::open(const fs::path& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    const bool is_special = fs::exists(status) && !fs::is_regular_file(status);
    // Through a symbolic link the file it points at is replaced, not the link.
    target_ = fs::is_regular_file(status) ? fs::canonical(file, error) : file;
    if (target_.empty()) target_ = file;
    written_ = target_;
    if (!is_special) written_ += fmt::format(".partial-{}", getpid());

    stream_.open(written_, std::ios::binary | std::ios::trunc);
    if (!stream_) {
        return fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno));
    }
    is_pending_ = !is_special;
    return std::nullopt;
}

void EventFile::write(std::string_view bytes) {
    stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::optional<std::string> EventFile::commit() {
    errno = 0;
    stream_.close();
    if (!stream_) {
        return fmt::format("{}: was not written whole: {}", target_.string(),
                           errno != 0 ? std::strerror(errno) : "an earlier write failed");
    }
    if (!is_pending_) return std::nullopt;
    std::error_code error;
    fs::rename(written_, target_, error);
    if (error) {
        return fmt::format("{}: cannot be replaced: {}", target_.string(), error.message());
    }
    is_pending_ = false;
    return std::nullopt;
}

}  // namespace marchland::trace
