#pragma once

#include "tools/command_line/exit_code.h"
#include "tools/trace/trace_run.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::trace {

/// The command line of marchland-trace.
struct Options {
    struct Grid {
        std::uint32_t columns = 1;
        std::uint32_t rows = 1;
    };

    std::filesystem::path trace;
    RunOptions run;
    /// In place of a trace: then `trace` and `run` are empty, and no index or shards are those that
    /// were recorded.
    std::optional<std::filesystem::path> recording;
    std::optional<std::string> index;  ///< one of engine::index_names()
    std::optional<Grid> shards;
    std::optional<std::filesystem::path> layout;  ///< takes the place of `shards`
    /// Another layout from that tick index on; in ascending order of ticks. Not of a recording.
    struct Change {
        std::size_t tick = 0;
        std::variant<std::filesystem::path, Grid> layout;
    };
    std::vector<Change> changes;
    std::optional<std::filesystem::path> events;
    bool json = false;
};

/// `version` is what --version answers. Help goes to `out`, errors to `err`.
std::variant<Options, tools::ExitCode> parse_options(int argc, const char* const* argv,
                                                     std::string_view version, std::ostream& out,
                                                     std::ostream& err);

}  // namespace marchland::trace
