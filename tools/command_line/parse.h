#pragma once

#include "tools/command_line/exit_code.h"
#include "tools/command_line/manual.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

namespace marchland::tools {

/// Of every option and command: what a script's variable that is not set leaves is no file, no name
/// and no number. CLI11 takes it for 0, or for a value that was not given.
inline void refuse_empty_values(CLI::App& app) {
    const auto find_flaw = [](const std::string& typed) {
        return typed.empty() ? "is empty; leave the option out, or name something" : "";
    };
    for (CLI::Option* const option : app.get_options()) {
        option->transform(CLI::Validator(find_flaw, ""));  // which goes before its own checks
    }
    for (CLI::App* const command : app.get_subcommands([](CLI::App*) { return true; })) {
        refuse_empty_values(*command);
    }
}

/// Reads what was typed into what was declared. Throws ExitCode when the program is not to go on:
/// help went to `out`, errors to `err`. The installation's requests (manual.h) are answered, too.
inline void parse(CLI::App& app, int argc, const char* const* argv, std::ostream& out,
                  std::ostream& err) {
    if (argc == 2 && write_manual(app, argv[1], out)) {
        throw ExitCode{0};
    }
    refuse_empty_values(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::RequiredError& error) {
        // A word that is no command or option is what is wrong, not what it leaves to be said.
        const auto unknown = app.remaining(true);
        unknown.empty() ? app.exit(error, out, err)
                        : app.exit(CLI::ExtrasError(app.get_name(), unknown), out, err);
        throw ExitCode{kExitBadInput};
    } catch (const CLI::ParseError& error) {
        // CLI11 has exit codes of its own; ours are 0 for help and 2 for anything wrong.
        throw ExitCode{app.exit(error, out, err) == 0 ? 0 : kExitBadInput};
    }
}

/// The bytes of a file that was named, or of a pipe, to its end. Throws BadInput where they cannot
/// be read, or are more than 64 MiB.
inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes;
    std::array<char, 65'536> part;
    while (file.read(part.data(), part.size()) || file.gcount() > 0) {
        bytes.append(part.data(), static_cast<std::size_t>(file.gcount()));
        if (bytes.size() > std::size_t{64} << 20U) {
            throw BadInput(path + ": is larger than 64 MiB");
        }
    }
    if (!file.eof()) {
        throw BadInput(path + ": cannot be read: " + std::generic_category().message(errno));
    }
    return bytes;
}

/// Refuses, by throwing BadInput, to write the option's file over one that is read, also by another
/// name of it.
inline void keep_what_is_read(const std::string& option, const std::filesystem::path& written,
                              const std::vector<std::filesystem::path>& read) {
    for (const std::filesystem::path& file : read) {
        std::error_code ignored;  // a file that is not there yet is no other's
        if (std::filesystem::equivalent(written, file, ignored)) {
            throw BadInput(option + ": " + written.string() +
                           " would be overwritten, and it is read: name another file");
        }
    }
}

/// What `interpret` makes of what was typed. Where it throws BadInput, that says where help is,
/// too.
template <typename Interpret>
auto accept(const Interpret& interpret) {
    try {
        return interpret();
    } catch (const BadInput& error) {
        throw BadInput(std::string(error.what()) + "\nRun with --help for more information.");
    }
}

}  // namespace marchland::tools
