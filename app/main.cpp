// The program `systole`.
#include "app/cli/program.h"

#include <algorithm>

int main(int argc, char** argv) {
    return systole::runProgram(
        {"systole",
         "Systole shows the motion of a beating heart while it is being estimated.\n"
         "'systole FILE...' opens files in the viewer, like 'systole view FILE...'; without "
         "arguments it shows the bundled sequence.\n"
         "For research and teaching, not for diagnosis."},
        {argv + std::min(argc, 1), argv + argc}, systole::makeCommands);
}
