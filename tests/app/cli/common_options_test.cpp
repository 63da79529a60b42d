// Options that mean the same in every command: their type, their default and their help.
#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "bench/bench_command.h"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::StartsWith;

/// Every command, and every part of a command that has parts, by its words: "landmarks tre".
class CommonOptions : public ::testing::Test {
protected:
    CommonOptions() : commands_(makeCommands()) {
        // The program's own bench only starts the benchmarks' program.
        std::erase_if(commands_, [](const auto& each) { return each->name() == benchName; });
        commands_.push_back(makeBenchCommand());
        for (const auto& command : commands_)
            command->addOptions(*app_.add_subcommand(command->name(), command->summary()));
        collect(app_, {});
    }

    const CLI::Option* find(const std::string& command, const std::string& option) const {
        return parts_.at(command)->get_option_no_throw(option);
    }
    /// Calls `check` with each command's option of this name.
    void forEach(const std::string& name, const auto& check) const {
        for (const auto& [command, app] : parts_)
            if (const CLI::Option* const option = app->get_option_no_throw(name)) {
                SCOPED_TRACE(command + " " + name);
                check(command, *option);
            }
    }
    std::set<std::string> with(const std::string& option) const {
        std::set<std::string> found;
        forEach(option,
                [&](const std::string& command, const CLI::Option&) { found.insert(command); });
        return found;
    }

    std::map<std::string, CLI::App*> parts_;

private:
    inline static const std::string benchName = "bench";

    void collect(CLI::App& app, const std::string& words) {
        const std::vector<CLI::App*> below =
            app.get_subcommands([](const CLI::App*) { return true; });
        for (CLI::App* const each : below)
            collect(*each, words.empty() ? each->get_name() : words + " " + each->get_name());
        if (below.empty())
            parts_[words] = &app;
    }

    std::vector<std::unique_ptr<Command>> commands_;
    CLI::App app_;
};

TEST_F(CommonOptions, ThreadsIsANumberAndByDefaultAllOfThem) {
    forEach("--threads", [](const std::string& command, const CLI::Option& option) {
        // Steps of a cohort run beside each other: each has one thread unless more are given.
        const bool ofStep = command == "cohort";
        EXPECT_THAT(option.get_type_name(),
                    StartsWith(ofStep ? "INT:INT in [1 - 1024]" : "INT:INT in [0 - 1024]"));
        EXPECT_EQ(option.get_default_str(), ofStep ? "1" : "0");
        EXPECT_THAT(option.get_description(), StartsWith(threadsHelp));
    });
}

TEST_F(CommonOptions, BackendIsANameAndByDefaultAuto) {
    // These have no device of their own choice.
    const std::set<std::string> withoutNumbers{"cohort", "snapshot", "view"};
    forEach("--backend", [&](const std::string& command, const CLI::Option& option) {
        EXPECT_EQ(option.get_type_name(), withoutNumbers.contains(command)
                                              ? "TEXT:{auto,cpu,cpu-reference,cuda}"
                                              : "TEXT:{auto,cpu,cpu-reference,cuda,cuda:N}");
        EXPECT_EQ(option.get_default_str(), "auto");
        EXPECT_THAT(option.get_description(),
                    StartsWith(std::string(backendHelp) +
                               "; auto uses CUDA if available, else the CPU, and reports its "
                               "choice"));
    });
}

TEST_F(CommonOptions, JsonPrintsWhereTheResultIsPrintedAndElseWritesAFile) {
    const std::set<std::string> printing{"doctor", "info", "methods"};
    forEach("--json", [&](const std::string& command, const CLI::Option& option) {
        const bool flag = printing.contains(command);
        EXPECT_EQ(option.get_expected_max() == 0, flag);
        EXPECT_THAT(option.get_description(), StartsWith(flag ? jsonFlagHelp : jsonFileHelp));
        if (!flag) {
            EXPECT_THAT(option.get_type_name(), StartsWith("TEXT"));
            EXPECT_EQ(option.get_default_str(), "");
        }
    });
    for (const std::string& command : printing)
        EXPECT_NE(find(command, "--json"), nullptr) << command;
}

TEST_F(CommonOptions, OverwriteIsASwitch) {
    forEach("--overwrite", [](const std::string&, const CLI::Option& option) {
        EXPECT_EQ(option.get_expected_max(), 0);
        EXPECT_THAT(option.get_description(), StartsWith(overwriteHelp));
    });
}

TEST_F(CommonOptions, CommandsThatComputeHaveThoseThatApply) {
    struct Expected {
        const char* command;
        bool backend, json;
    };
    // Commands without --backend have a single backend, or, as bench, measure each; those without
    // --json have the record in their output or next to it.
    std::vector<Expected> computing{
        {"bench", false, true},          {"bias", true, true},
        {"denoise", true, true},         {"landmarks detect", true, true},
        {"landmarks track", true, true}, {"landmarks tre", true, false},
        {"motion", true, false},         {"phantom", false, false},
        {"register", true, false},       {"segment", false, false},
        {"spgemm", true, true},          {"strain", false, false},
    };
    for (const char* const drawing : {"snapshot", "view"})
        if (parts_.contains(drawing)) // not in a build without the viewer
            computing.push_back({drawing, true, false});
    for (const Expected& expected : computing) {
        SCOPED_TRACE(expected.command);
        ASSERT_TRUE(parts_.contains(expected.command));
        EXPECT_NE(find(expected.command, "--threads"), nullptr);
        EXPECT_NE(find(expected.command, "--overwrite"), nullptr);
        EXPECT_EQ(find(expected.command, "--backend") != nullptr, expected.backend);
        EXPECT_EQ(find(expected.command, "--json") != nullptr, expected.json);
    }
    // A new command that computes belongs into the list above.
    std::set<std::string> listed{"cohort", "info"}; // info has no --overwrite: it writes no file
    for (const Expected& expected : computing)
        listed.insert(expected.command);
    EXPECT_EQ(with("--threads"), listed);
}

} // namespace
} // namespace systole
