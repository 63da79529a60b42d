// systole cohort from outside.
#include "app/cohort/cohort_folder.h"
#include "app/cohort/step_record.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::executable;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;
using ::testing::HasSubstr;

/// A name that neither YAML nor a shell takes as it stands.
constexpr const char* outName = "o #2";

/// What is below a folder, but not in `except`.
std::set<std::string> filesBelow(const fs::path& folder, const fs::path& except) {
    std::set<std::string> files;
    for (fs::recursive_directory_iterator at(folder), end; at != end; ++at) {
        if (at->path() == except)
            at.disable_recursion_pending();
        else
            files.insert(at->path().string());
    }
    return files;
}

/// A study of two hearts with labels, one without, and a file that is none.
class CohortCommand : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        study_ = std::make_unique<TemporaryFolder>();
        for (const char* seed : {"1", "2", "3"}) {
            const std::string heart = *study_ / ("h" + std::string(seed));
            ASSERT_EQ(run({"phantom", "-o", heart, "--size", "24", "--frames", "3", "--seed", seed})
                          .exitCode,
                      0);
        }
        writeText(*study_ / "no.nii", "no heart");
        writeText(*study_ / "cases.csv", "file,id,labels,group,reference_ef\n"
                                         "h1/sequence.nii.gz,1,h1/labels.nii.gz,a,40\n"
                                         "h2/sequence.nii.gz,2,h2/labels.nii.gz,b,41\n"
                                         "h3/sequence.nii.gz,3,,a,\n"
                                         "no.nii,4,,,\n");
    }
    static void TearDownTestSuite() { study_.reset(); }

    Outcome cohort(std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"cohort", *study_ / "cases.csv", folder_ / outName};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    /// With a program in Snakemake's place, and an sbatch.
    Outcome cohortBy(const std::string& script, const std::vector<std::string>& more = {}) const {
        setEngine(script);
        return cohort(more);
    }
    void setEngine(const std::string& script) const {
        fs::create_directories(folder_ / "bin");
        for (const char* name : {"snakemake", "sbatch"}) {
            writeText(folder_.path() / "bin" / name, "#!/bin/sh\n" + script);
            fs::permissions(folder_.path() / "bin" / name, fs::perms::owner_all);
        }
        ::setenv("PATH", (folder_ / "bin:" + path_).c_str(), 1);
    }
    void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }
    static bool hasSnakemake() { return std::system("command -v snakemake >/dev/null") == 0; }
    std::string out(const std::string& file) const {
        return folder_ / (std::string(outName) + "/" + file);
    }

    static std::unique_ptr<TemporaryFolder> study_;
    TemporaryFolder folder_;
    const std::string path_ = std::getenv("PATH");
};
std::unique_ptr<TemporaryFolder> CohortCommand::study_;

TEST_F(CohortCommand, PlanNamesEveryCaseAndWhatItNeeds) {
    const Outcome outcome = cohort({"--plan"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const auto plan = nlohmann::json::parse(readText(out("work/plan.json")));
    ASSERT_EQ(plan["cases"].size(), 4U);
    EXPECT_EQ(plan["cases"][0]["steps"][0]["name"], "motion");
    EXPECT_GT(plan["cases"][0]["steps"][0]["memory_bytes"], 10 * 4 * 24 * 24 * 24);
    EXPECT_GT(plan["cases"][0]["steps"][0]["expected_seconds"], 0);
    EXPECT_EQ(plan["cases"][0]["steps"][1]["expected_seconds"], 0); // none was done yet
    EXPECT_THAT(plan["cases"][3]["refusal"].get<std::string>(), HasSubstr("no.nii"));
    EXPECT_TRUE(plan["cases"][3]["steps"].empty());
    EXPECT_THAT(outcome.output, HasSubstr("24x24x24"));
}

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
    EXPECT_EQ(run({"cohort", *study_ / "h1", *study_ / "h1"}).exitCode, 2);
}

TEST_F(CohortCommand, AStepNeverWritesThroughALink) {
    ASSERT_EQ(cohort({"--plan"}).exitCode, 0);
    fs::create_directory(folder_ / "elsewhere");
    fs::create_directory_symlink(folder_ / "elsewhere", out("sub-1"));
    const Outcome outcome = cohort({"--step", "sub-1/motion"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("isn't a folder"));
    EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST_F(CohortCommand, AStepIsDoneOnceAndAgainWhenItsInputChanges) {
    ASSERT_EQ(cohort({"--plan", "--set", "levels=1"}).exitCode, 0);
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

    ASSERT_EQ(cohort({"--plan", "--set", "levels=2"}).exitCode, 0);
    ASSERT_EQ(step(), 0);
    EXPECT_NE(readText(field), bytes);
}

TEST_F(CohortCommand, ThePlanOfARunAtWorkIsNotReplaced) {
    ASSERT_EQ(cohort({"--plan"}).exitCode, 0);
    const std::string plan = readText(out("work/plan.json"));
    const CohortLock lock(out(""));
    const Outcome outcome = cohort({"--plan", "--set", "levels=1"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("another run"));
    EXPECT_EQ(readText(out("work/plan.json")), plan);
}

TEST_F(CohortCommand, TheGroupIsThatOfThePlanThatWasDone) {
    EXPECT_EQ(cohort({"group"}).exitCode, 1);
    EXPECT_FALSE(fs::exists(out("")));
    ASSERT_EQ(cohort({"--plan", "--set", "levels=1"}).exitCode, 0);
    const auto plan = nlohmann::json::parse(readText(out("work/plan.json")));
    for (const auto& step : plan["cases"][0]["steps"])
        ASSERT_EQ(cohort({"--step", "sub-1/" + step["name"].get<std::string>()}).exitCode, 0);
    EXPECT_THAT(cohort({"group"}).output, HasSubstr("1 of 4 cases done"));
    EXPECT_THAT(readText(out("report.html")), HasSubstr("levels=1"));
    const auto record = [&](const std::string& step) {
        return nlohmann::json::parse(readText(out("work/records/sub-1/" + step + ".json")));
    };
    // What one step wrote and the next one read is hashed once, and rightly.
    const auto made = record("motion")["outputs"], read = record("strain")["inputs"];
    for (const auto& file : made)
        EXPECT_EQ(std::ranges::count(read, file), 1) << file;
    EXPECT_EQ(read.size(), made.size() + 1); // and the labels

    // Cases of the same size take as long as the one that was done.
    ASSERT_EQ(cohort({"--plan", "--set", "levels=1"}).exitCode, 0);
    const auto next = nlohmann::json::parse(readText(out("work/plan.json")));
    for (const auto& step : next["cases"][1]["steps"])
        EXPECT_NEAR(step["expected_seconds"], record(step["name"])["seconds"], 1e-6);
    writeText(out("sub-1/sub-1_motion/run.json"), "{}");
    EXPECT_THAT(cohort({"group"}).output, HasSubstr("0 of 4 cases done"));
}

TEST_F(CohortCommand, TheGroupIsOfAllRunsInTheFolder) {
    const auto done = [&](const std::string& label, const std::string& levels) {
        EXPECT_EQ(cohort({"--plan", "--no-pictures", "--participant-label", label, "--set",
                          "levels=" + levels})
                      .exitCode,
                  0);
        const auto plan = nlohmann::json::parse(readText(out("work/plan.json")));
        EXPECT_EQ(plan["cases"].size(), 1U);
        for (const auto& step : plan["cases"][0]["steps"])
            EXPECT_EQ(
                cohort({"--step", "sub-" + label + "/" + step["name"].get<std::string>()}).exitCode,
                0);
    };
    done("1", "1");
    done("2", "2");
    EXPECT_THAT(cohort({"group"}).output, HasSubstr("2 of 2 cases done"));
    EXPECT_THAT(readText(out("report.html")),
                HasSubstr("clg, levels=1 (1 case); clg, levels=2 (1 case)"));
    EXPECT_THAT(readText(out("participants.tsv")),
                ::testing::StrEq("participant_id\tgroup\nsub-1\ta\nsub-2\tb\n"));

    // What the study has no more is forgotten when it is planned as a whole, and only then.
    writeText(*study_ / "less.csv", "file,id\nh2/sequence.nii.gz,2\n");
    const auto ids = [&] {
        const auto plan = nlohmann::json::parse(readText(out("work/plan.json")));
        std::vector<std::string> names;
        for (const char* list : {"cases", "earlier_cases"})
            for (const auto& each : plan[list])
                names.push_back(each["id"]);
        return names;
    };
    ASSERT_EQ(run({"cohort", *study_ / "less.csv", folder_ / outName, "--plan"}).exitCode, 0);
    EXPECT_THAT(ids(), ::testing::ElementsAre("sub-2", "sub-1"));
    writeText(*study_ / "less.csv", "file,id\nh3/sequence.nii.gz,3\n");
    ASSERT_EQ(run({"cohort", *study_ / "less.csv", folder_ / outName, "--plan"}).exitCode, 0);
    EXPECT_THAT(ids(), ::testing::ElementsAre("sub-3", "sub-1"));
}

TEST_F(CohortCommand, LinksInTheFolderAreReplacedAndNotFollowed) {
    writeText(folder_ / "mine", "mine");
    ASSERT_EQ(cohort({"--plan"}).exitCode, 0);
    for (const char* name :
         {"report.html", "participants.tsv", "work/plan.json", "dataset_description.json"}) {
        fs::remove(out(name));
        fs::create_symlink(folder_ / "mine", out(name));
    }
    fs::remove(out("dataset_description.json"));
    writeText(out("dataset_description.json"), R"({"GeneratedBy": [{"Name": "systole cohort"}]})");
    ASSERT_EQ(cohort({"--plan"}).exitCode, 0);
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

/// What is in the files below a folder that differ by nothing but durations, by name.
std::map<std::string, std::string> resultsBelow(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const std::string& file : filesBelow(folder, folder / "work"))
        if (file.ends_with(".mha") || file.ends_with(".csv"))
            files[fs::path(file).lexically_relative(folder)] = readText(file);
    return files;
}

TEST_F(CohortCommand, ABatchGivesTheBytesOfStepsAndAFailingCaseStopsNoOther) {
    // The labels of the third case have no wall, so that nothing can be measured.
    writeText(*study_ / "mixed.csv", "file,id,labels\n"
                                     "h1/sequence.nii.gz,1,h1/labels.nii.gz\n"
                                     "h2/sequence.nii.gz,2,h2/labels.nii.gz\n"
                                     "h3/sequence.nii.gz,3,cases.csv\n");
    const auto mixed = [&](const std::string& folder, std::vector<std::string> more) {
        more.insert(more.begin(), {"cohort", *study_ / "mixed.csv", folder_ / folder, "--backend",
                                   "cpu", "--set", "levels=1"});
        return run(more);
    };
    ASSERT_EQ(mixed("steps", {"--plan", "--no-pictures"}).exitCode, 0);
    std::string sentence;
    for (const char* step : {"1/motion", "1/strain", "1/quality", "2/motion", "2/strain",
                             "2/quality", "3/motion", "3/strain"})
        sentence = mixed("steps", {"--step", "sub-" + std::string(step)}).errors;
    EXPECT_THAT(sentence, ::testing::StartsWith("sub-3, strain: "));

    const std::string batch = executable() + " cohort " + *study_ / "mixed.csv" + " " +
                              (folder_ / "batches") + " --batch-number ";
    setEngine(batch + "0; " + batch + "1");
    const Outcome outcome =
        mixed("batches", {"--no-pictures", "--batch", "2", "--batch-cores", "2"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.output, HasSubstr(sentence));
    EXPECT_THAT(outcome.output, HasSubstr("2 of 3 cases done"));
    EXPECT_EQ(resultsBelow(folder_.path() / "batches"), resultsBelow(folder_.path() / "steps"));
    EXPECT_EQ(mixed("batches", {"--batch-number", "2"}).exitCode, 2);
    EXPECT_THAT(mixed("batches", {"--serve", "99"}).errors, HasSubstr("99 is no connection"));
}

/// What is going on with this folder among its words.
bool isAtWorkIn(const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc"))
        if (readText(entry.path() / "cmdline").find(folder.string()) != std::string::npos)
            return true;
    return false;
}

TEST_F(CohortCommand, ABatchEndsWithTheEngineThatStartedIt) {
    const std::string batch =
        executable() + " cohort " + *study_ / "cases.csv" + " '" + out("") + "' --batch-number 0";
    setEngine("exit 1"); // the plan and its batches are there
    EXPECT_EQ(cohort({"--no-pictures", "--batch", "4", "--batch-cores", "1"}).exitCode, 1);
    const std::string lock = lockPath(out(""), "sub-1", "motion");
    fs::create_directories(fs::path(lock).parent_path());
    const FileLock held(lock); // so that the batch can't end by itself
    EXPECT_NE(std::system((batch + " & until [ -e '" + out("work/batch-0.log") +
                           "' ]; do sleep 0.02; done; kill -KILL $$")
                              .c_str()),
              0);
    const auto latest = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (isAtWorkIn(out("")) && std::chrono::steady_clock::now() < latest)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(isAtWorkIn(out("")));
    EXPECT_FALSE(fs::exists(recordPath(out(""), "sub-1", "motion")));
}

TEST_F(CohortCommand, APlanWithNamesThatNoPlanHasIsRefused) {
    ASSERT_EQ(cohort({"--plan"}).exitCode, 0);
    const auto plan = nlohmann::json::parse(readText(out("work/plan.json")));
    for (const auto& [where, name] : std::vector<std::pair<std::string, std::string>>{
             {"/cases/0/id", "../sub-1"},
             {"/cases/0/id", "sub-1\nsub-2"},
             {"/cases/0/id", ""},
             {"/cases/1/subject", ".."},
             {"/cases/1/session", "1/../../.."},
             {"/cases/0/steps/0/name", "/motion"},
             {"/cases/0/steps/0/output", "../elsewhere"}}) {
        auto changed = plan;
        changed[nlohmann::json::json_pointer(where)] = name;
        writeText(out("work/plan.json"), changed.dump());
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"group"}, {"--step", "sub-2/motion"}}) {
            const Outcome outcome = cohort(words);
            EXPECT_EQ(outcome.exitCode, 1) << where;
            EXPECT_THAT(outcome.errors, HasSubstr("names of a case or folders that no plan has"));
        }
        EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
    }
    ASSERT_EQ(cohort({"--plan"}).exitCode, 0); // makes it anew
    EXPECT_EQ(nlohmann::json::parse(readText(out("work/plan.json")))["cases"][0]["id"], "sub-1");
}

TEST_F(CohortCommand, OptionsOfSlurmAreWordsAsTheyWereGiven) {
    cohortBy("printf '%s\\n' \"$@\"", {"--slurm", "--slurm-option=--comment=it's {a} $HOME"});
    EXPECT_THAT(readText(out("work/snakemake.log")),
                HasSubstr(R"( '--comment=it'\''s {{a}} $HOME')"));
}

TEST_F(CohortCommand, AFailingCaseStopsNoOtherAndIsNamed) {
    if (!hasSnakemake())
        GTEST_SKIP() << "Snakemake isn't installed (tools/deps.sh cohort)";
    const auto before = filesBelow(folder_.path(), out(""));
    ::setenv("HOME", (folder_.path() / "home").c_str(), 1);
    const Outcome outcome = cohort({"--set", "levels=2"});
    EXPECT_EQ(outcome.exitCode, 1) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("3 of 4 cases done"));
    EXPECT_THAT(outcome.output, HasSubstr("sub-4, header: "));
    EXPECT_EQ(filesBelow(folder_.path(), folder_.path() / outName), before);

    const std::string page = readText(out("report.html"));
    EXPECT_LT(page.find("no.nii"), page.find("sub-1")); // what failed comes first
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
