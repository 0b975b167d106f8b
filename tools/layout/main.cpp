#include "tools/command_line/run_main.h"
#include "tools/layout/layout_program.h"

int main(int argc, char** argv) {
    return marchland::tools::run_main("marchland-layout", argc, argv,
                                      marchland::layout::run_program);
}
