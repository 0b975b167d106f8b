#pragma once

#include "tools/bench/host.h"
#include "tools/command_line/parse.h"
#include "tools/process/open_files.h"

#include <fmt/core.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace marchland::bench {

/// Reads a benchmark's options. Its exit code, if there is nothing to run: 0 after --help, 2 for
/// anything wrong; what is to be said of it has been said.
inline std::optional<int> parse(CLI::App& app, int argc, const char* const* argv,
                                const Host& host) {
    const auto ended = tools::parse(app, argc, argv, host.out, host.err);
    return ended ? std::optional(ended->value) : std::nullopt;
}

/// May this process have as many files open as so many clients need: both ends of a connection to
/// either of two servers, and what the program has open besides? Else its exit code, and why is told.
inline std::optional<int> check_open_files(std::string_view option, std::size_t clients,
                                           const Host& host) {
    const std::size_t needed = 4 * clients + 64;
    const std::size_t files_max = process::raise_open_files_max();
    if (needed <= files_max) {
        return std::nullopt;
    }
    host.err << fmt::format("{} {} need {} open files, and this process may have {}\n", option,
                            clients, needed, files_max);
    return 2;
}

}  // namespace marchland::bench
