#pragma once

#include "tools/bench/host.h"

#include <CLI/CLI.hpp>

#include <optional>

namespace marchland::bench {

/// Reads a benchmark's options. Its exit code, if there is nothing to run: 0 after --help, 2 for
/// anything wrong; what is to be said of it has been said.
inline std::optional<int> parse(CLI::App& app, int argc, const char* const* argv,
                                const Host& host) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 has exit codes of its own.
        return app.exit(error, host.out, host.err) == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace marchland::bench
