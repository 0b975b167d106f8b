#pragma once

#include "tools/command_line/exit_code.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <variant>

namespace marchland::layout {

/// The command line of marchland-layout.
struct Options {
    enum class Command { check, show, diff, balance };

    Command command = Command::check;
    std::filesystem::path file;                   ///< check, show, diff: the layout
    std::filesystem::path other;                  ///< diff: the layout that takes its place
    std::optional<std::filesystem::path> config;  ///< a server's: the world to tile
    std::optional<std::filesystem::path> positions;
    std::optional<std::filesystem::path> out;
    std::size_t shards = 0;        ///< balance
    std::int64_t side_mm_min = 1;  ///< balance
    bool json = false;
};

/// `version` is what --version answers. Help goes to `out`, errors to `err`.
std::variant<Options, tools::ExitCode> parse_options(int argc, const char* const* argv,
                                                     std::string_view version, std::ostream& out,
                                                     std::ostream& err);

}  // namespace marchland::layout
