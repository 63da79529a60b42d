#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace systole::testing {
namespace fs = std::filesystem;

std::string executable() { return SYSTOLE_EXECUTABLE; }

Program::Program(const std::vector<std::string>& arguments, const char* device) {
    std::vector<char*> argv{const_cast<char*>(SYSTOLE_EXECUTABLE)};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    process_ = fork();
    if (process_ < 0)
        throw std::runtime_error("fork failed");
    if (process_ == 0) {
        const int output = device ? open(device, O_WRONLY)
                                  : open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int errors = open(errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(output, STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
        execv(argv[0], argv.data());
        _exit(127);
    }
}

Program::~Program() {
    if (running()) {
        signal(SIGKILL);
        wait();
    }
}

void Program::signal(int number) const { kill(process_, number); }

bool Program::running() {
    if (!ended_ && waitpid(process_, &status_, WNOHANG) == process_)
        ended_ = true;
    return !ended_;
}

Outcome Program::wait() {
    if (!ended_)
        waitpid(process_, &status_, 0);
    ended_ = true;
    Outcome outcome;
    if (WIFEXITED(status_))
        outcome.exitCode = WEXITSTATUS(status_);
    else if (WIFSIGNALED(status_))
        outcome.signal = WTERMSIG(status_);
    outcome.output = readText(output_);
    outcome.errors = readText(errors_);
    return outcome;
}

Outcome run(const std::vector<std::string>& arguments, const char* device) {
    Program program(arguments, device);
    return program.wait();
}

void expectRefused(const Outcome& outcome, const std::string& mentioned, int code) {
    EXPECT_EQ(outcome.signal, 0) << outcome.errors;
    EXPECT_EQ(outcome.exitCode, code) << outcome.output << outcome.errors;
    EXPECT_THAT(outcome.errors, ::testing::AllOf(::testing::StartsWith("systole: "),
                                                 ::testing::HasSubstr(mentioned)));
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
    EXPECT_TRUE(outcome.errors.ends_with('\n'));
}

std::string readText(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void writeText(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

} // namespace systole::testing
