#include "tools/bots/program.h"
#include "marchland_version.h"

#include <fmt/core.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    try {
        const std::string version =
            fmt::format("marchland-bots {} ({})", marchland::version, marchland::version_commit);
        return marchland::bots::run_program(argc, argv, version, std::cout, std::cerr);
    } catch (const std::exception& error) {
        // The system gave no memory, no epoll: nothing that a file or an argument said.
        std::cerr << "marchland-bots: " << error.what() << '\n';
        return 1;
    }
}
