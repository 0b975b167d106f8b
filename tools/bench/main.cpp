#include "tools/bench/allocation_counter.h"
#include "tools/bench/bench_program.h"
#include "tools/progress/progress_line.h"
#include "marchland_version.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <exception>
#include <iostream>

namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);  // who presses Ctrl-C twice does not want a report
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGINT, on_interrupt);
    try {
        // Of what runs in a benchmark only what goes wrong is of interest, and not in the report.
        spdlog::set_default_logger(spdlog::stderr_color_mt("marchland-bench"));
        spdlog::set_level(spdlog::level::err);
        return marchland::bench::run_program(
            argc, argv,
            {.version = marchland::version,
             .commit = marchland::version_commit,
             .out = std::cout,
             .err = std::cerr,
             .is_err_terminal = marchland::tools::stderr_is_terminal(),
             .allocation_count = marchland::bench::allocation_count,
             .is_interrupted = [] { return interrupted != 0; }});
    } catch (const std::exception& error) {
        std::cerr << "marchland-bench: " << error.what() << '\n';
        return 1;
    }
}
