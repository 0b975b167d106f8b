#include "config/text_file.h"

#include <cerrno>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

namespace marchland::config {

namespace {

FileProblem unreadable(int error_number) {
    return {{}, "cannot be read: " + std::generic_category().message(error_number), ""};
}

std::optional<FileProblem> find_long_line(std::string_view text) {
    std::uint32_t line = 1;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        if (length > kLineBytesMax) {
            return FileProblem{{line, 1},
                               "the line has " + std::to_string(length) + " bytes, the limit is " +
                                   std::to_string(kLineBytesMax),
                               "break it up: a long comment over several lines"};
        }
        text.remove_prefix(std::min(length + 1, text.size()));
        ++line;
    }
    return std::nullopt;
}

}  // namespace

std::optional<FileProblem> check_text(std::string_view text) {
    if (text.size() > kFileBytesMax) {
        return FileProblem{
            {}, "is larger than the limit of " + std::to_string(kFileBytesMax) + " bytes", ""};
    }
    return find_long_line(text);
}

std::variant<std::string, FileProblem> read_text_file(const std::filesystem::path& path) {
    // The stream says that it failed, errno says why: on this platform a stream is a descriptor.
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return unreadable(errno);
    }
    std::string text(kFileBytesMax + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) {
        return unreadable(errno);  // a folder can be opened, and is found out here
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (auto problem = check_text(text)) {
        return *std::move(problem);
    }
    return text;
}

}  // namespace marchland::config
