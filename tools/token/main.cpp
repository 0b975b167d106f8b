#include "tools/command_line/run_main.h"
#include "tools/token/token_program.h"

int main(int argc, char** argv) {
    return marchland::tools::run_main("marchland-token", argc, argv, marchland::token::run_program);
}
