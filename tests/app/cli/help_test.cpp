// The help of every command, and what `systole methods` says.
#include "app/cli/help.h"
#include "app/cli/parameter_options.h"
#include "app/estimation/registration_methods.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Arguments = std::vector<std::string>;

/// Output of the program, which must succeed.
std::string output(Arguments arguments, const Arguments& more = {}) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    const testing::Outcome outcome = testing::run(arguments);
    EXPECT_EQ(outcome.exitCode, 0) << ::testing::PrintToString(arguments) << outcome.errors;
    return outcome.output;
}

std::size_t columnsOf(const std::string& line) {
    return static_cast<std::size_t>(std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// The text without its line breaks.
std::string flat(const std::string& text) {
    return std::regex_replace(text, std::regex("\\s+"), " ");
}

void expectNarrow(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(columnsOf(line), helpColumns) << line;
}

void expectFits(const Arguments& command) {
    const std::string help = output(command, {"--help"});
    EXPECT_LE(static_cast<std::size_t>(std::ranges::count(help, '\n')), helpLines) << help;
    expectNarrow(help);
    EXPECT_THAT(help, HasSubstr("Usage"));
}

/// The commands that a page of help lists.
Arguments commandsIn(const std::string& help) {
    Arguments names;
    std::istringstream lines(help.substr(std::min(help.find("\nCommands:\n"), help.size())));
    for (std::string line; std::getline(lines, line);)
        if (line.size() > 2 && line.starts_with("  ") && line[2] != ' ')
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
    return names;
}

TEST(Help, OfEveryCommandFitsAScreen) {
    expectFits({});
    const Arguments commands = commandsIn(output({"--help"}));
    EXPECT_GE(commands.size(), 12U);
    for (const std::string& command : commands) {
        expectFits({command});
        for (const std::string& part : commandsIn(output({command, "--help"})))
            expectFits({command, part});
    }
}

TEST(Help, OfAMethodListsItsParametersAlone) {
    for (const char* command : {"motion", "register"})
        for (const MotionMethod& method : registrationMethods()) {
            if (std::string(command) == "motion" && &method == &affineMethod())
                continue;
            const Arguments chosen{command, "--method", method.name};
            expectFits(chosen);
            const std::string help = output(chosen, {"--help"});
            for (const ParamRow& row : method.parameters->rows())
                if (!row.cudaOnly) { // a line of its own
                    EXPECT_THAT(help, HasSubstr("\n  --" + row.id + " "));
                }
            const std::string all = output(chosen, {"--help-all"});
            expectNarrow(all);
            for (const ParamRow& row : method.parameters->rows())
                EXPECT_THAT(all, HasSubstr("--" + row.id + " "));
        }
    EXPECT_THAT(output({"motion", "--method", "ffd", "--help"}),
                AllOf(HasSubstr("bending energy: "), Not(HasSubstr("--alpha"))));
}

TEST(Help, OfMotionAndRegisterSaysWhichToTake) {
    EXPECT_THAT(flat(output({"motion", "--help"})), HasSubstr("use 'systole register'"));
    EXPECT_THAT(flat(output({"register", "--help"})), HasSubstr("use 'systole motion'"));
}

TEST(Help, PresetsStandWithTheirMethod) {
    const std::string ffd = flat(output({"motion", "--method", "ffd", "--help"}));
    EXPECT_THAT(ffd, AllOf(HasSubstr("method ffd (presets: default, lungs, nmi, thesis)"),
                           Not(HasSubstr("paper"))));
    for (const char* command : {"motion", "cohort"})
        EXPECT_THAT(flat(output({command, "--method", "demons", "--help-all"})),
                    AllOf(HasSubstr("Values of demons's parameters: default, noisy."),
                          HasSubstr("ffd: default, lungs, nmi, thesis")));
}

TEST(Methods, AreListedInASentenceEach) {
    const std::string list = output({"methods"});
    expectNarrow(list);
    for (const MotionMethod& method : registrationMethods()) {
        EXPECT_THAT(list, HasSubstr("  " + method.name + " "));
        EXPECT_TRUE(method.summary.ends_with('.')) << method.name;
    }
    EXPECT_THAT(list, AllOf(HasSubstr("nonlocal"), HasSubstr("semi-local")));
}

TEST(Methods, OneIsDescribedInFull) {
    for (const MotionMethod& method : registrationMethods()) {
        const std::string page = output({"methods", method.name});
        expectNarrow(page);
        for (const ParamRow& row : method.parameters->rows())
            EXPECT_THAT(page, HasSubstr("--" + row.id + " "));
        for (const std::string& preset : method.parameters->presets())
            EXPECT_THAT(page, HasSubstr("  " + preset + " "));
        for (const Backend backend : method.backends)
            EXPECT_THAT(page, HasSubstr(name(backend)));
    }
    const testing::Outcome unknown = testing::run({"methods", "alchemy"});
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_THAT(unknown.errors, AllOf(HasSubstr("'alchemy'"), HasSubstr("clg")));
}

} // namespace
} // namespace systole
