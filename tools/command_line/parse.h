#pragma once

#include "tools/command_line/exit_code.h"
#include "tools/command_line/manual.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>

namespace marchland::tools {

/// Reads what was typed into what was declared. Nothing when the program is to go on. Help goes to `out`,
/// errors to `err`. The installation's requests (manual.h) are answered, too.
inline std::optional<ExitCode> parse(CLI::App& app, int argc, const char* const* argv,
                                     std::ostream& out, std::ostream& err) {
    if (argc == 2 && write_manual(app, argv[1], out)) {
        return ExitCode{0};
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 has exit codes of its own; ours are 0 for help and 2 for anything wrong.
        return ExitCode{app.exit(error, out, err) == 0 ? 0 : kExitBadInput};
    }
    return std::nullopt;
}

/// A check of an option: what a script's variable that is not set leaves is no file, and no name.
inline std::string not_empty(const std::string& typed) {
    return typed.empty() ? "is empty; leave the option out, or name something" : "";
}

/// What `interpret` makes of what was typed; where it throws BadInput, that is written to `err`.
template <typename Interpret>
auto accept(const Interpret& interpret, std::ostream& err)
    -> std::variant<decltype(interpret()), ExitCode> {
    try {
        return interpret();
    } catch (const BadInput& error) {
        err << error.what() << "\nRun with --help for more information.\n";
        return ExitCode{kExitBadInput};
    }
}

}  // namespace marchland::tools
