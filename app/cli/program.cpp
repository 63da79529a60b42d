#include "app/cli/program.h"

#include "app/base/error.h"
#include "app/base/memory_reserve.h"
#include "app/base/version.h"
#include "app/cli/arguments.h"
#include "app/cli/help.h"
#include "app/cli/interrupt.h"
#include "compute/core/error.h"
#include "compute/core/thread_error.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr int failed = 1;
constexpr int usage = 2;

/// Messages may carry names from hostile files: what reaches the terminal is one line of text.
std::string oneLine(const std::string& message) {
    std::string line;
    for (const char c : message) {
        const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        if (!control)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (!line.empty() && line.back() == ' ')
        line.pop_back();
    return line;
}

/// The sentence comes last, wherever both streams go. On a full disk nobody gets it: the code is
/// what remains.
int complain(const std::string& message, int code) {
    const std::string sentence = "systole: " + oneLine(message) + "\n";
    std::fflush(stdout);
    std::fputs(sentence.c_str(), stderr);
    return code;
}

struct Program {
    CLI::App app;
    std::vector<std::unique_ptr<Command>> commands;

    Program(const ProgramText& text, std::vector<std::unique_ptr<Command>> all)
        : app(text.description, text.name), commands(std::move(all)) {
        app.set_version_flag("--version", fmt::format("systole {}", programVersion()));
        app.require_subcommand(0, 1);
        app.set_help_all_flag("--help-all", "Every option, with everything about it");
        app.formatter(std::make_shared<CommandHelp>());
        for (const auto& command : commands)
            command->addOptions(*app.add_subcommand(command->name(), command->summary()));
    }

    void parse(std::vector<std::string> arguments) {
        std::vector<std::string> names;
        for (const auto& command : commands)
            names.emplace_back(command->name());
        arguments = withCommand(std::move(arguments), names);
        for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
            if (!arguments.empty() && command->get_name() == arguments.front())
                arguments = withHyphens(std::move(arguments), *command);
        std::ranges::reverse(arguments); // the library takes them from the back
        app.parse(std::move(arguments));
        requireFiniteNumbers(app);
    }

    void prepareHelp() {
        for (CLI::App* parsed : app.get_subcommands())
            for (const auto& command : commands)
                if (command->name() == parsed->get_name())
                    command->prepareHelp(*parsed);
    }

    /// The command line that prints the help of the command, as far as its name was parsed.
    std::string helpCommand() const {
        std::string words = app.get_name();
        for (const CLI::App* named = &app; !named->get_subcommands().empty();) {
            named = named->get_subcommands().front();
            words += " " + named->get_name();
        }
        return words + " --help";
    }

    Command& chosen() {
        const auto parsed = app.get_subcommands();
        const std::string name = parsed.empty() ? "view" : parsed.front()->get_name();
        for (const auto& command : commands)
            if (command->name() == name)
                return *command;
        throw UsageError("this build has no viewer; see 'systole --help' for the commands");
    }
};

/// Closed standard streams are opened on nothing: the first file would get the number of one of
/// them, and with it what is printed.
void occupyStandardStreams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (::fcntl(stream, F_GETFD) < 0) // the lowest free number is this one
            ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Flushes standard output. Returns `code`, or the exit code of a failure if it can't be written.
int endOutput(int code) {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return code;
    return complain(fmt::format("standard output can't be written{}{}", errno != 0 ? ": " : "",
                                errno != 0 ? std::strerror(errno) : ""),
                    code == 0 ? failed : code);
}

int run(Program& program, std::vector<std::string> arguments) {
    try {
        program.parse(std::move(arguments));
    } catch (const CLI::Success& help) {
        program.prepareHelp();
        return program.app.exit(help);
    } catch (const CLI::ParseError& error) {
        return complain(
            fmt::format("{} (see '{}')", sentenceOf(error, program.app), program.helpCommand()),
            usage);
    }
    return program.chosen().run();
}

template <typename Work>
int guarded(const Work& work) {
    try {
        return work();
    } catch (const UsageError& error) {
        return complain(error.what(), usage);
    } catch (const Cancelled&) {
        return complain("interrupted", interruptedExitCode);
    } catch (const std::bad_alloc&) {
        return complain("out of memory: close other programs, or choose fewer frames or a "
                        "smaller image",
                        failed);
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::resource_unavailable_try_again)
            return complain(noThreadText, failed);
        // If it is one of printing, endOutput() reports it.
        return std::ferror(stdout) == 0 ? complain(error.what(), failed) : failed;
    } catch (const std::exception& error) {
        return complain(error.what(), failed);
    }
}

} // namespace

int runProgram(const ProgramText& text, std::vector<std::string> arguments,
               const std::function<std::vector<std::unique_ptr<Command>>()>& makeCommands) {
    keepMemoryReserve();
    occupyStandardStreams();
    return endOutput(guarded([&] {
        Program program(text, makeCommands());
        return run(program, std::move(arguments));
    }));
}

} // namespace systole
