#include "tools/bots/program.h"
#include "tools/command_line/run_main.h"

int main(int argc, char** argv) {
    return marchland::tools::run_main("marchland-bots", argc, argv, marchland::bots::run_program);
}
