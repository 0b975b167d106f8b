#include "tools/progress/progress_line.h"
#include "tools/trace/trace_program.h"
#include "marchland_version.h"

#include <fmt/core.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    try {
        const std::string version =
            fmt::format("marchland-trace {} ({})", marchland::version, marchland::version_commit);
        return marchland::trace::run_program(argc, argv, version, std::cout, std::cerr,
                                             marchland::tools::stderr_is_terminal());
    } catch (const std::exception& error) {
        // Out of memory, most likely: a file's errors come as values.
        std::cerr << "marchland-trace: " << error.what() << '\n';
        return 1;
    }
}
