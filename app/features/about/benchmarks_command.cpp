// `systole bench`: starts the benchmarks, a program of their own that lies beside this one.
#include "app/cli/command.h"
#include "io/base/error.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace systole {
namespace {

class BenchmarksCommand : public Command {
public:
    BenchmarksCommand() : Command("bench", "Measure speed and accuracy on this machine") {}

    void addOptions(CLI::App& app) override {
        app_ = &app;
        // Every argument is the benchmarks' own, --help too.
        app.set_help_flag();
        app.set_help_all_flag();
        app.prefix_command();
    }

    int run() override {
        std::error_code failure;
        const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
        const std::string program = (self.parent_path() / "systole-bench").string();
        std::vector<std::string> words{program};
        for (const std::string& word : app_->remaining())
            words.push_back(word);
        std::vector<char*> arguments;
        for (std::string& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        ::execv(program.c_str(), arguments.data());
        throw systole::FileError(
            fmt::format("{}: the benchmarks can't be started: {}", program, std::strerror(errno)));
    }

private:
    CLI::App* app_ = nullptr; ///< owned by the parser
};

} // namespace

std::unique_ptr<Command> makeBenchmarksCommand() { return std::make_unique<BenchmarksCommand>(); }

} // namespace systole
