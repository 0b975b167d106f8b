#include "tools/command_line/run_main.h"
#include "tools/progress/progress_line.h"
#include "tools/trace/trace_program.h"

int main(int argc, char** argv) {
    return marchland::tools::run_main("marchland-trace", argc, argv, [](auto&&... from) {
        return marchland::trace::run_program(from..., marchland::tools::stderr_is_terminal());
    });
}
