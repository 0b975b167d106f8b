#include "config/text_file.h"

#include "net/regular_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace marchland::config {

namespace {

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
    auto read = net::read_regular_file(path, kFileBytesMax + 1);
    if (auto* const flaw = std::get_if<net::FileFlaw>(&read)) {
        return FileProblem{{}, std::move(flaw->reason), ""};
    }
    auto& text = std::get<std::string>(read);
    if (auto problem = check_text(text)) {
        return *std::move(problem);
    }
    return std::move(text);
}

}  // namespace marchland::config
