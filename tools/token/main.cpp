#include "tools/token/token_program.h"
#include "marchland_version.h"

#include <fmt/core.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    try {
        const std::string version =
            fmt::format("marchland-token {} ({})", marchland::version, marchland::version_commit);
        return marchland::token::run_program(argc, argv, version, std::cout, std::cerr);
    } catch (const std::exception& error) {
        // Out of memory, most likely: a file's errors come as values.
        std::cerr << "marchland-token: " << error.what() << '\n';
        return 1;
    }
}
