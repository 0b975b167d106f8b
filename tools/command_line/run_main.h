#pragma once

#include "tools/command_line/exit_code.h"
#include "tools/process/descriptor.h"
#include "marchland_version.h"

#include <fmt/core.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <iostream>
#include <string>

namespace marchland::tools {

/// What the main() of a program called `name` does: `run` is given the arguments, what --version
/// answers, where help goes and where errors do, and returns the exit code.
template <typename Run>
int run_main(const char* name, int argc, char** argv, const Run& run) {
    try {
        process::open_closed_standard_streams();
        // What is read may be warned of before there is a log: not among what the program prints.
        spdlog::set_default_logger(spdlog::stderr_color_mt(name));
        const std::string about = fmt::format("{} {} ({})", name, version, version_commit);
        return run(argc, argv, about, std::cout, std::cerr);
    } catch (const std::exception& error) {
        // The system gave no memory, no epoll: nothing that a file or an argument said.
        std::cerr << name << ": " << error.what() << '\n';
        return kExitFailed;
    }
}

}  // namespace marchland::tools
