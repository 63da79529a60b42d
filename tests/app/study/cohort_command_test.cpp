// systole cohort from outside.
#include "app/study/cohort_folder.h"
#include "app/study/step_record.h"
#include "tests/app/study/cohort_study.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::filesBelow;
using systole::testing::Outcome;
using systole::testing::outName;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using CohortCommand = testing::CohortStudy;

TEST_F(CohortCommand, WithoutSnakemakeOneSentenceSaysSo) {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder_.path().c_str(), 1);
    const Outcome outcome = cohort();
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("apt-get install snakemake"));
    EXPECT_FALSE(fs::exists(out("")));
}

TEST_F(CohortCommand, AFolderOfOthersIsLeftAlone) {
    fs::create_directory(folder_ / outName);
    writeText(out("notes.txt"), "mine");
    const Outcome outcome = cohort({"--plan"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("isn't empty and has no cohort"));
    EXPECT_THAT(cohortBy("exit 0").errors, HasSubstr("isn't empty and has no cohort"));
    EXPECT_EQ(filesBelow(out(""), "").size(), 1U);
    EXPECT_EQ(run({"cohort", *study_ / "h1", *study_ / "h1"}).exitCode, 2);
}

TEST_F(CohortCommand, AStepNeverWritesThroughALink) {
    plan();
    fs::create_directory(folder_ / "elsewhere");
    fs::create_directory_symlink(folder_ / "elsewhere", out("sub-1"));
    const Outcome outcome = cohort({"--step", "sub-1/motion"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("isn't a folder"));
    EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST_F(CohortCommand, AStepIsDoneOnceAndAgainWhenItsInputChanges) {
    plan({"--set", "levels=1"});
    const auto step = [&] { return cohort({"--step", "sub-1/motion"}).exitCode; };
    const std::string field = out("sub-1/sub-1_motion/displacement_0001.mha");
    ASSERT_EQ(step(), 0);
    const std::string bytes = readText(field);
    const auto written = fs::last_write_time(field);
    ASSERT_EQ(step(), 0);
    EXPECT_EQ(fs::last_write_time(field), written);

    writeText(field, "spoilt");
    ASSERT_EQ(step(), 0);
    EXPECT_EQ(readText(field), bytes);

    plan({"--set", "levels=2"});
    ASSERT_EQ(step(), 0);
    EXPECT_NE(readText(field), bytes);
}

TEST_F(CohortCommand, PresetsAreThoseOfTheMethod) {
    setEngine("exit 0");
    for (const char* how : {"--plan", "participant", "group"}) { // group would go without them
        const Outcome wrong = cohort({how, "--method", "demons", "--preset", "paper"});
        EXPECT_EQ(wrong.exitCode, 2) << how;
        EXPECT_EQ(wrong.errors, "systole: --preset: the method demons has no preset paper; it has "
                                "default, noisy\n");
        const Outcome unknown = cohort({how, "--set", "nothing=1"});
        EXPECT_EQ(unknown.exitCode, 2) << how;
        EXPECT_THAT(unknown.errors, HasSubstr("--set: no parameter 'nothing'"));
        EXPECT_EQ(cohort({how, "--set", "levels=many"}).exitCode, 2) << how;
        EXPECT_EQ(
            cohort({how, "--method", "demons", "--certainty"}).errors,
            "systole: --certainty: the method demons doesn't estimate its errors; clg does\n");
    }
    EXPECT_FALSE(fs::exists(out("")));
    plan({"--method", "demons", "--preset", "noisy", "--set", "levels=2"});
    const auto planned = nlohmann::json::parse(readText(out("work/plan.json")));
    EXPECT_EQ(planned["cases"][0]["method"], "demons, preset=noisy, levels=2");
    ASSERT_EQ(cohort({"--step", "sub-1/motion"}).exitCode, 0);
    const auto made = nlohmann::json::parse(readText(out("sub-1/sub-1_motion/run.json")));
    EXPECT_EQ(made["preset"], "noisy");
    EXPECT_EQ(made["parameters"]["fluid"], 5);
    EXPECT_EQ(made["parameters"]["levels"], 2);
}

TEST_F(CohortCommand, ThePlanOfARunAtWorkIsNotReplaced) {
    plan();
    const auto written = [&] {
        return readText(out("work/plan.json")) + readText(out("dataset_description.json")) +
               readText(out(".bidsignore"));
    };
    const std::string before = written();
    const CohortLock lock(out(""));
    const Outcome outcome = cohort({"--set", "levels=1"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("another run"));
    EXPECT_EQ(run({"cohort", *study_ / "h1", folder_ / outName}).exitCode, 1); // another study
    EXPECT_EQ(cohort({"--plan", "--set", "levels=1"}).exitCode, 0); // which may be looked at
    EXPECT_EQ(written(), before);
}

TEST_F(CohortCommand, AFolderWhoseRunWasKilledAtOnceIsTakenAgain) {
    fs::create_directories(out("work"));
    { const CohortLock lock(out("")); }
    writeText(out(".partial-notes-dataset_description.json"), "{");
    plan();
    EXPECT_THAT(readText(out("dataset_description.json")), HasSubstr("cases.csv"));
}

TEST_F(CohortCommand, TheGroupSaysThatARunIsAtWorkAndThatItsInputIsMissing) {
    plan();
    const std::string note = "note: a run of 'systole cohort' is at work in ";
    EXPECT_THAT(cohort({"group"}).output, Not(HasSubstr(note)));
    {
        const CohortLock lock(out(""));
        const std::string output = cohort({"group"}).output;
        EXPECT_THAT(output, StartsWith(note));
        EXPECT_THAT(output, HasSubstr("0 of 4 cases done"));
    }
    fs::remove(out("report.html"));
    const Outcome missing = run({"cohort", *study_ / "none", out(""), "group"});
    EXPECT_EQ(missing.exitCode, 1);
    EXPECT_THAT(missing.errors, HasSubstr("none: there is no such file or folder"));
    EXPECT_FALSE(fs::exists(out("report.html")));
}

TEST_F(CohortCommand, ALevelInTheFoldersPlaceIsNoFolder) {
    for (const char* level : {"participant", "group"}) {
        const Outcome outcome = run({"cohort", *study_ / "cases.csv", level});
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_EQ(outcome.errors, fmt::format("systole: INPUT or OUTPUT is missing before '{0}'; a "
                                              "folder of this name is ./{0}\n",
                                              level));
        EXPECT_FALSE(fs::exists(level));
    }
}

TEST_F(CohortCommand, TheGroupIsThatOfThePlanThatWasDone) {
    const Outcome none = cohort({"group"});
    EXPECT_EQ(none.exitCode, 1);
    EXPECT_THAT(none.errors, HasSubstr("no cohort was run here; 'systole cohort INPUT OUTPUT'"));
    EXPECT_FALSE(fs::exists(out("")));
    plan({"--set", "levels=1"});
    const auto planned = nlohmann::json::parse(readText(out("work/plan.json")));
    for (const auto& step : planned["cases"][0]["steps"])
        ASSERT_EQ(cohort({"--step", "sub-1/" + step["name"].get<std::string>()}).exitCode, 0);
    EXPECT_THAT(cohort({"group"}).output, HasSubstr("1 of 4 cases done"));
    EXPECT_THAT(readText(out("report.html")), HasSubstr("levels=1"));
    const auto record = [&](const std::string& step) {
        return nlohmann::json::parse(readText(out("work/records/sub-1/" + step + ".json")));
    };
    // Files that one step wrote and the next one read have one correct checksum.
    const auto made = record("motion")["outputs"], read = record("strain")["inputs"];
    for (const auto& file : made)
        EXPECT_EQ(std::ranges::count(read, file), 1) << file;
    EXPECT_EQ(read.size(), made.size() + 1); // and the labels

    // Cases of the same size take as long as the one that was done.
    ASSERT_EQ(cohort({"--plan", "--set", "levels=1"}).exitCode, 0);
    const auto next = nlohmann::json::parse(readText(out("work/next_plan.json")));
    for (const auto& step : next["cases"][1]["steps"])
        EXPECT_NEAR(step["expected_seconds"], record(step["name"])["seconds"], 1e-6);
    writeText(out("sub-1/sub-1_motion/run.json"), "{}");
    EXPECT_THAT(cohort({"group"}).output, HasSubstr("0 of 4 cases done"));
}

TEST_F(CohortCommand, TheGroupIsOfAllRunsInTheFolder) {
    const auto done = [&](const std::string& label, const std::string& levels) {
        plan({"--no-pictures", "--participant-label", label, "--set", "levels=" + levels});
        const auto planned = nlohmann::json::parse(readText(out("work/plan.json")));
        EXPECT_EQ(planned["cases"].size(), 1U);
        for (const auto& step : planned["cases"][0]["steps"])
            EXPECT_EQ(
                cohort({"--step", "sub-" + label + "/" + step["name"].get<std::string>()}).exitCode,
                0);
    };
    done("1", "1");
    done("2", "2");
    const std::string output = cohort({"group", "--participant-label", "1"}).output;
    EXPECT_THAT(output, HasSubstr("note: --participant-label is ignored: group covers all cases"));
    EXPECT_THAT(output, HasSubstr("2 of 2 cases done"));
    EXPECT_THAT(readText(out("report.html")),
                HasSubstr("clg, levels=1 (1 case); clg, levels=2 (1 case)"));
    EXPECT_THAT(readText(out("participants.tsv")),
                ::testing::StrEq("participant_id\tgroup\nsub-1\ta\nsub-2\tb\n"));

    // A case that the study has no more is dropped when the study is planned as a whole, and only
    // then.
    writeText(*study_ / "less.csv", "file,id\nh2/sequence.nii.gz,2\n");
    const auto ids = [&] {
        const auto plan = nlohmann::json::parse(readText(out("work/plan.json")));
        std::vector<std::string> names;
        for (const char* list : {"cases", "earlier_cases"})
            for (const auto& each : plan[list])
                names.push_back(each["id"]);
        return names;
    };
    run({"cohort", *study_ / "less.csv", folder_ / outName, "participant"});
    EXPECT_THAT(ids(), ::testing::ElementsAre("sub-2", "sub-1"));
    writeText(*study_ / "less.csv", "file,id\nh3/sequence.nii.gz,3\n");
    run({"cohort", *study_ / "less.csv", folder_ / outName, "participant"});
    EXPECT_THAT(ids(), ::testing::ElementsAre("sub-3", "sub-1"));
}

TEST_F(CohortCommand, LinksInTheFolderAreReplacedAndNotFollowed) {
    writeText(folder_ / "mine", "mine");
    plan();
    for (const char* name : {"report.html", "participants.tsv", "work/plan.json",
                             "work/next_plan.json", "dataset_description.json"}) {
        fs::remove(out(name));
        fs::create_symlink(folder_ / "mine", out(name));
    }
    fs::remove(out("dataset_description.json"));
    writeText(out("dataset_description.json"), R"({"GeneratedBy": [{"Name": "systole cohort"}]})");
    ASSERT_EQ(cohort({"--plan"}).exitCode, 0);
    plan();
    EXPECT_EQ(cohort({"group"}).exitCode, 1);
    EXPECT_EQ(readText(folder_ / "mine"), "mine");
    EXPECT_FALSE(fs::is_symlink(out("report.html")));
}

TEST_F(CohortCommand, AnOutputThatCannotBeNamedIsRefused) {
    fs::create_symlink("loop", folder_ / "loop");
    for (const std::string& output : {std::string(), folder_ / "loop/out"}) {
        const Outcome outcome = run({"cohort", *study_ / "cases.csv", output, "--plan"});
        EXPECT_NE(outcome.exitCode, 0) << output;
        EXPECT_THAT(outcome.errors,
                    ::testing::AnyOf(HasSubstr("no name"), HasSubstr("symbolic links")));
    }
}

TEST_F(CohortCommand, AnEngineThatFailsAfterAStepBeganIsReportedByCase) {
    const Outcome before = cohortBy("exit 1");
    EXPECT_EQ(before.exitCode, 1);
    EXPECT_THAT(before.errors, HasSubstr("Snakemake failed"));
    EXPECT_FALSE(fs::exists(out("report.html")));
    const Outcome after = cohortBy("mkdir -p locks/sub-1; : >locks/sub-1/motion; exit 1");
    EXPECT_EQ(after.exitCode, 1);
    EXPECT_THAT(after.output, HasSubstr("sub-1, motion: isn't done"));
    EXPECT_TRUE(fs::exists(out("report.html")));
}

TEST_F(CohortCommand, OptionsOfSlurmAreWordsAsTheyWereGiven) {
    cohortBy("printf '%s\\n' \"$@\"", {"--slurm", "--slurm-option=--comment=it's {a} $HOME"});
    EXPECT_THAT(readText(out("work/snakemake.log")),
                HasSubstr(R"( '--comment=it'\''s {{a}} $HOME')"));
}

TEST_F(CohortCommand, SnakemakeImportsNoClientsOfCloudsButItsPluginsMay) {
    if (!hasSnakemake()) // which has Python
        GTEST_SKIP() << "Snakemake isn't installed (tools/deps.sh cohort)";
    for (const char* client : {"azure.storage.blob", "boto3", "paramiko"}) {
        cohortBy(fmt::format("python3 -c '__name__ = \"smart_open.s3\"; import {}'", client));
        EXPECT_THAT(readText(out("work/snakemake.log")), HasSubstr("not needed by"));
        cohortBy(fmt::format("python3 -c 'import {}; print(1 / 0)'", client));
        EXPECT_THAT(readText(out("work/snakemake.log")),
                    AnyOf(HasSubstr("ZeroDivisionError"), HasSubstr("ModuleNotFoundError")));
    }
}

TEST_F(CohortCommand, AFailingCaseStopsNoOtherAndIsNamed) {
    if (!hasSnakemake())
        GTEST_SKIP() << "Snakemake isn't installed (tools/deps.sh cohort)";
    const auto before = filesBelow(folder_.path(), out(""));
    ::setenv("HOME", (folder_.path() / "home").c_str(), 1);
    const Outcome outcome = cohort({"--set", "levels=2"});
    EXPECT_EQ(outcome.exitCode, 1) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("3 of 4 cases done"));
    EXPECT_THAT(outcome.output, HasSubstr("1 case without a label map, so without strain"));
    EXPECT_THAT(outcome.output, HasSubstr("sub-4, plan: "));
    EXPECT_EQ(filesBelow(folder_.path(), folder_.path() / outName), before);

    const std::string page = readText(out("report.html"));
    EXPECT_LT(page.find("no.nii"), page.find("sub-1")); // failed cases come first
    EXPECT_THAT(page, HasSubstr("Bland"));
    for (const char* needy : {"src=\"http", "href=\"http", "<script", "url("})
        EXPECT_EQ(page.find(needy), std::string::npos) << needy;
    if (fs::exists(out("sub-1/sub-1_film"))) { // the whole film is in the page of the case
        const std::string of = readText(out("sub-1/sub-1_quality/report.html"));
        EXPECT_THAT(of, HasSubstr("alt=\"All frames"));
        EXPECT_GT(of.size(), fs::file_size(out("sub-1/sub-1_film/film.png")));
    }
    const std::string table = readText(out("phenotype/measures.tsv"));
    EXPECT_THAT(table, HasSubstr("sub-4\tn/a\tsub-4\tn/a\tfailed"));
    const auto sidecar = nlohmann::json::parse(readText(out("phenotype/measures.json")));
    std::string head = table.substr(0, table.find('\n'));
    for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t end = head.find('\t', at);
        EXPECT_TRUE(sidecar.contains(head.substr(at, end - at))) << head.substr(at, end - at);
        at = end == std::string::npos ? end : end + 1;
    }
    const auto about = nlohmann::json::parse(readText(out("dataset_description.json")));
    EXPECT_EQ(about["DatasetType"], "derivative");

    // Again: nothing is done, and the group's files are the same.
    const auto written = fs::last_write_time(out("sub-1/sub-1_motion/run.json"));
    EXPECT_EQ(cohort({"--set", "levels=2"}).exitCode, 1);
    EXPECT_EQ(fs::last_write_time(out("sub-1/sub-1_motion/run.json")), written);
    EXPECT_EQ(readText(out("report.html")), page);
}

} // namespace
} // namespace systole
