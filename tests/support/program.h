// Runs the built program as a user would, for whole-application tests.
#pragma once

#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace systole::testing {

struct Outcome {
    int exitCode = -1;  ///< -1 when a signal ended it
    int signal = 0;     ///< signal that ended it, or 0
    std::string output; ///< stdout
    std::string errors; ///< stderr
};

/// The path of the program.
std::string executable();

/// A started program; killed at the end of its life if it still runs.
class Program {
public:
    /// `device` gets what is printed, if it isn't null.
    explicit Program(const std::vector<std::string>& arguments, const char* device = nullptr);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void signal(int number) const;
    bool running();
    /// Waits for the end.
    Outcome wait();

private:
    pid_t process_ = -1;
    bool ended_ = false;
    int status_ = 0;
    TemporaryFolder folder_;
    std::string output_ = folder_ / "output", errors_ = folder_ / "errors";
};

/// Starts and waits.
Outcome run(const std::vector<std::string>& arguments, const char* device = nullptr);

/// It ended with this code and one sentence, which contains `mentioned`.
void expectRefused(const Outcome& outcome, const std::string& mentioned, int code = 1);

std::string readText(const std::filesystem::path& path);
void writeText(const std::filesystem::path& path, const std::string& text);

} // namespace systole::testing
