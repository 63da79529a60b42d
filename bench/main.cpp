// The program `systole-bench`, which `systole bench` starts: its one command is "bench".
#include "app/cli/program.h"
#include "bench/bench_command.h"

#include <algorithm>

int main(int argc, char** argv) {
    const auto commands = [] {
        std::vector<std::unique_ptr<systole::Command>> one;
        one.push_back(systole::makeBenchCommand());
        return one;
    };
    std::vector<std::string> arguments{argv + std::min(argc, 1), argv + argc};
    arguments.insert(arguments.begin(), "bench");
    return systole::runProgram({"systole", "Measures speed and accuracy on this machine."},
                               std::move(arguments), commands);
}
