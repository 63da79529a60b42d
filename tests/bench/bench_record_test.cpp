// `systole bench accuracy --against` with files that are no records, options of other benchmarks,
// and the one of a lesson.
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(BenchRecord, IsCheckedBeforeAnythingIsMeasured) {
    const TemporaryFolder folder;
    std::vector<std::string> arguments{
        "bench", "accuracy", "--against", folder / "before.json", "--json", folder / "now.json"};
    for (const char* text : {"null", "[]", "3", R"({"accuracy": null})", R"({"accuracy": {}})",
                             R"({"accuracy": {"side": 48}})"}) {
        writeText(folder / "before.json", text);
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << text;
        EXPECT_THAT(outcome.errors, HasSubstr("--against")) << text;
        EXPECT_THAT(outcome.errors, Not(HasSubstr("json.exception"))) << text;
        EXPECT_EQ(outcome.output.find("seeds"), std::string::npos) << text;
    }
    // A record with nothing in common costs no figures.
    writeText(folder / "before.json", R"({"accuracy": {"side": 32}})");
    arguments.insert(arguments.end(),
                     {"--size", "32", "--seeds", "1", "--cases", "echo", "--method", "demons"});
    EXPECT_EQ(run(arguments).exitCode, 1);
    EXPECT_TRUE(std::filesystem::exists(folder / "now.json"));
}

TEST(BenchOptions, ABenchmarkThatDoesNotReadAnOptionRefusesIt) {
    EXPECT_THAT(run({"bench", "memory", "--against", "/bin/true"}).errors,
                HasSubstr("--against is an option of the benchmarks pairs, accuracy"));
    EXPECT_THAT(
        run({"bench", "floors", "--method", "clg", "--set", "alpha=1"}).errors,
        HasSubstr("--set is an option of the benchmarks lungs, pairs, accuracy, certainty"));
    EXPECT_THAT(run({"bench", "pairs", "memory", "--against", "/bin/true"}).errors,
                HasSubstr("only where no other benchmark is named"));
    const Outcome pairs = run({"bench", "pairs", "--method", "clg", "--set", "alpha=none"});
    EXPECT_EQ(run({"bench", "accuracy", "--set", "alpha=none"}).errors, pairs.errors)
        << "of clg, unless another method is named";
    EXPECT_THAT(pairs.errors, HasSubstr("alpha: 'none' is not a number"));
    const Outcome later = run({"bench", "memory", "pairs", "--set", "alpha=none"});
    EXPECT_EQ(later.errors, pairs.errors);
    EXPECT_EQ(later.output, "") << "measured before it was refused";
}

TEST(BenchOptions, TheHelpOfABenchmarkIsOfItAlone) {
    const std::string help = run({"bench", "certainty", "--help"}).output;
    EXPECT_THAT(help, HasSubstr("certainty: how often the error"));
    EXPECT_THAT(help, HasSubstr("--set"));
    EXPECT_THAT(help, Not(HasSubstr("--play-seconds")));
    EXPECT_THAT(run({"bench", "live", "--help"}).output, Not(HasSubstr("--set")));
}

TEST(BenchGoals, ReadsRecordsAndWritesThePage) {
    const TemporaryFolder folder;
    writeText(folder / "pairs.json", R"({"date": "2026-01-02T03:04:05Z", "pairs": {
        "method": "clg", "device": "NVIDIA H200",
        "sides": {"128": {"cuda": {"pairs_per_second": 410}}}}})");
    writeText(folder / "text.json", "no JSON");
    const Outcome outcome =
        run({"bench", "goals", folder / "pairs.json", "--page", folder / "page.md"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("1 goals are met"));
    EXPECT_THAT(readText(folder / "page.md"), HasSubstr("|1|2026-01-02|NVIDIA H200"));
    EXPECT_THAT(run({"bench", "goals"}).errors, HasSubstr("name the records"));
    EXPECT_THAT(run({"bench", "goals", folder / "text.json"}).errors, HasSubstr("isn't JSON"));
    EXPECT_THAT(run({"bench", "memory", folder / "pairs.json"}).errors,
                HasSubstr("`systole bench goals`"));
    EXPECT_THAT(run({"bench", "memory", "goals", folder / "pairs.json"}).errors,
                HasSubstr("no other benchmark"));
}

/// Statements of lesson 21, on a smaller heart.
TEST(BenchStrainDefinitions, DifferLittleInLongitudinalStrainAndMuchInOthers) {
    const TemporaryFolder folder;
    const std::string path = folder / "definitions.json";
    ASSERT_EQ(run({"bench", "strain-definitions", "--size", "40", "--json", path}).exitCode, 0);
    const auto figures = nlohmann::json::parse(readText(path))["strain-definitions"];
    const auto spread = [&](const std::string& of, const char* column) {
        return figures["spread of " + of][column].get<double>();
    };
    // The exact motion: only the layer of the wall makes GCS differ, and it does most.
    EXPECT_LT(spread("exact motion, all definitions", "GLS"), 3);
    EXPECT_GT(spread("exact motion, all definitions", "GCS"), 8);
    // Thickness needs the motion at the endocardium, where fields are smoothed.
    EXPECT_GT(spread("mirtk, all motions", "GRS"), 4 * spread("mirtk, all motions", "GLS"));
    EXPECT_GT(spread("all", "GRS"), 3 * spread("all", "GLS"));
    EXPECT_LT(spread("midwall, all motions", "GRS"), 0.8 * spread("mirtk, all motions", "GRS"));
}

} // namespace
} // namespace systole
