// The plan of a cohort as a file: what is shown, what a run goes by, and what can't be read.
#include "tests/app/study/cohort_study.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <unistd.h>
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

class CohortPlanFile : public testing::CohortStudy {
protected:
    std::map<std::string, std::string> bytesOfAll() const {
        std::map<std::string, std::string> found;
        for (const std::string& file : filesBelow(out(""), ""))
            found[file] = fs::is_regular_file(file) ? readText(file) : "";
        return found;
    }
};

TEST_F(CohortPlanFile, NamesEveryCaseAndWhatItNeeds) {
    const Outcome outcome = cohort({"--plan"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const auto plan = nlohmann::json::parse(readText(out("work/next_plan.json")));
    ASSERT_EQ(plan["cases"].size(), 4U);
    EXPECT_EQ(plan["cases"][0]["steps"][0]["name"], "motion");
    EXPECT_GT(plan["cases"][0]["steps"][0]["memory_bytes"], 10 * 4 * 24 * 24 * 24);
    EXPECT_GT(plan["cases"][0]["steps"][0]["expected_seconds"], 0);
    EXPECT_EQ(plan["cases"][0]["steps"][1]["expected_seconds"], 0); // none was done yet
    EXPECT_THAT(plan["cases"][3]["refusal"].get<std::string>(), HasSubstr("no.nii"));
    EXPECT_TRUE(plan["cases"][3]["steps"].empty());
    EXPECT_THAT(outcome.output, HasSubstr("24x24x24"));
    EXPECT_THAT(outcome.output, HasSubstr("1 case without a label map, so without strain"));
    EXPECT_THAT(outcome.output, HasSubstr("3 of 4 cases can be processed"));
    EXPECT_THAT(outcome.output,
                HasSubstr("motion only; other steps are known once a case is done"));
    EXPECT_FALSE(fs::exists(out("work/plan.json")));
}

TEST_F(CohortPlanFile, HeadersTellWhatTheRunWouldFind) {
    for (const char* size : {"20", "24"})
        ASSERT_EQ(run({"phantom", "-o", folder_ / size, "--size", size, "--frames", "3"}).exitCode,
                  0);
    const std::string image = *study_ / "h1/sequence.nii.gz", good = *study_ / "h1/labels.nii.gz";
    fs::create_symlink("nowhere", folder_ / "absent.nii");
    writeText(folder_ / "cases.csv",
              "file,id,labels,frames,seed,points\n" + image + ",good," + good + ",,,\n" + image +
                  ",grid," + (folder_ / "20/labels.nii.gz") + ",,,\n" + image + ",none," +
                  (folder_ / "none.nii") + ",,,\n" + image + ",absent," + (folder_ / "absent.nii") +
                  ",,,\n" + image + ",text," + (folder_ / "cases.csv") + ",,,\n" + image +
                  ",every," + image + ",1:2,,\n" + image + ",seed,,,\"500,0,0\",\n" + image +
                  ",points,,,,\"0,0,0;0,0,1;500,0,0\"\n" + (folder_ / "absent.nii") +
                  ",image,,,,\n" + image + ",range,,2:7,,\n");
    const Outcome outcome = run({"cohort", folder_ / "cases.csv", folder_ / "results", "--plan"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("2 of 10 cases can be processed"));
    const auto plan = nlohmann::json::parse(readText(folder_ / "results/work/next_plan.json"));
    std::map<std::string, std::string> refusals;
    for (const auto& each : plan["cases"])
        refusals[each["id"]] = each["refusal"];
    EXPECT_EQ(refusals["sub-good"], "");
    EXPECT_THAT(refusals["sub-grid"],
                HasSubstr("20/labels.nii.gz: the labels lie on another grid"));
    EXPECT_THAT(refusals["sub-none"], HasSubstr("none.nii: the label map isn't a file"));
    EXPECT_THAT(refusals["sub-absent"], HasSubstr("absent.nii: is a link to content that isn't"));
    EXPECT_THAT(refusals["sub-text"], HasSubstr("cases.csv: "));
    EXPECT_THAT(refusals["sub-seed"], HasSubstr("the seed at (500, 0, 0) mm LPS lies outside"));
    EXPECT_THAT(refusals["sub-points"], HasSubstr("500"));
    EXPECT_THAT(refusals["sub-image"], HasSubstr("absent.nii: is a link to content that isn't"));
    EXPECT_THAT(refusals["sub-range"], HasSubstr("there is no frame 7"));
    // Labels of all frames: strain takes those of the first frame that it measures.
    EXPECT_EQ(refusals["sub-every"], "");
    for (const auto& each : plan["cases"])
        if (each["id"] == "sub-every") {
            EXPECT_EQ(each["steps"][1]["commands"][0][3], image + "@1");
        }
}

TEST_F(CohortPlanFile, TheRecordBesideLabelsIsAnInputOfStrain) {
    fs::copy(*study_ / "h1", folder_ / "h");
    writeText(folder_ / "h/labels.json",
              R"({"points_mm": {"apex": [0, 0, -31], "mitral": [0, 0, 41],
                                "right_ventricle": [29, 0, 29]},
                  "labels": {"file": "labels.nii.gz", "values": {"chamber": 2, "wall": 1}}})");
    writeText(folder_ / "cases.csv", "file,id,labels,points\n"
                                     "h/sequence.nii.gz,1,h/labels.nii.gz,\n"
                                     "h/sequence.nii.gz,2,h/labels.nii.gz,"
                                     "\"0,0,-31;0,0,41;29,0,29\"\n");
    setEngine("exit 0");
    const auto words = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"cohort", folder_ / "cases.csv", folder_ / outName});
        return run(more);
    };
    ASSERT_EQ(words({"participant", "--no-pictures", "--set", "levels=1"}).errors, "");
    const auto plan = nlohmann::json::parse(readText(out("work/plan.json")));
    const auto inputs = [&](std::size_t i) {
        return plan["cases"][i]["steps"][1]["inputs"].dump();
    };
    EXPECT_THAT(inputs(0), HasSubstr("h/labels.json"));
    EXPECT_THAT(inputs(1), Not(HasSubstr("labels.json"))); // its own points come first
    for (const char* step : {"sub-1/motion", "sub-1/strain"})
        ASSERT_EQ(words({"--step", step}).exitCode, 0);
    const auto summary = nlohmann::json::parse(readText(out("sub-1/sub-1_strain/summary.json")));
    EXPECT_EQ(summary["long_axis"]["insertion_known"], true);
    EXPECT_THAT(summary["notes"].dump(), HasSubstr("labels.json beside the labels"));
}

TEST_F(CohortPlanFile, WithoutAGpuNeedsNoneOfItsMemory) {
    const Outcome outcome = cohort({"--plan", "--backend", "cpu"});
    EXPECT_THAT(outcome.output, Not(HasSubstr("MB of GPU")));
    EXPECT_THAT(outcome.output, HasSubstr("MB  seconds  steps\n"));
    EXPECT_THAT(cohort({"--plan", "--slurm"}).output, HasSubstr("MB of GPU"));
}

TEST_F(CohortPlanFile, WhatBidsIgnoresIsWrittenWhereItIsMissing) {
    plan({"--no-pictures"});
    const std::string list = readText(out(".bidsignore"));
    fs::remove(out(".bidsignore")); // a run that was killed in between
    EXPECT_EQ(cohort({"--plan"}).exitCode, 0);
    EXPECT_EQ(readText(out(".bidsignore")), list);
    writeText(out(".bidsignore"), "mine\n");
    EXPECT_EQ(cohort({"--plan"}).exitCode, 0);
    EXPECT_EQ(readText(out(".bidsignore")), "mine\n");
}

TEST_F(CohortPlanFile, LeavesOutImagesOfAFolderThatHaveNoMotion) {
    const fs::path folder = folder_.path() / "bids", out = folder_.path() / "results";
    fs::create_directories(folder / "sub-1");
    fs::copy(*study_ / "h1/labels.nii.gz", folder / "sub-1/sub-1_T1w.nii.gz");
    const auto planned = [&](const fs::path& input) {
        return run({"cohort", input.string(), out.string(), "--plan"});
    };
    EXPECT_THAT(planned(folder).errors, HasSubstr("has no case; "));
    EXPECT_FALSE(fs::exists(out));
    fs::copy(*study_ / "h1/sequence.nii.gz", folder / "sub-1/sub-1_cine.nii.gz");
    const Outcome outcome = planned(folder);
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_THAT(outcome.output, HasSubstr("sub-1_T1w.nii.gz: has a single frame, so no motion"));
    EXPECT_THAT(outcome.output, HasSubstr("1 of 1 case can be processed"));
    // A table names it as a case.
    writeText(folder / "cases.csv", "file\nsub-1/sub-1_T1w.nii.gz\nsub-1/sub-1_cine.nii.gz\n");
    EXPECT_THAT(planned(folder / "cases.csv").output, HasSubstr("1 of 2 cases can be processed"));
}

TEST_F(CohortPlanFile, SaysWhichFramesATableCantHaveAndWhatItPassesOver) {
    writeText(*study_ / "frames.csv", "file,id,frames,lables\n"
                                      "h1/sequence.nii.gz,1,0:1,l\n"
                                      "h1/sequence.nii.gz,2,1:0,l\n"
                                      "h1/sequence.nii.gz,3,0:99,l\n"
                                      "h1/sequence.nii.gz,4,all,l\n");
    const Outcome outcome = run({"cohort", *study_ / "frames.csv", folder_ / outName, "--plan"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("unknown column 'lables' is ignored"));
    EXPECT_THAT(outcome.output, HasSubstr("'1:0' isn't so"));
    EXPECT_THAT(outcome.output, HasSubstr("there is no frame 99"));
    EXPECT_THAT(outcome.output, HasSubstr("'all' is not of the form FIRST:LAST"));
    EXPECT_THAT(outcome.output, HasSubstr("1 of 4 cases can be processed"));
    EXPECT_THAT(outcome.output, HasSubstr("the same command without --plan does it"));
}

TEST_F(CohortPlanFile, SaysWhichPointsOfATableAreNone) {
    writeText(*study_ / "points.csv", "file,id,seed,points\n"
                                      "h1/sequence.nii.gz,1,\"1,2,3\",\n"
                                      "h1/sequence.nii.gz,2,\"1,2\",\n"
                                      "h1/sequence.nii.gz,3,middle,\n"
                                      "h1/sequence.nii.gz,4,,\"0,0,-31;0,0,41;29,0,29\"\n"
                                      "h1/sequence.nii.gz,5,,\"1,2,3;4,5,6\"\n"
                                      "h1/sequence.nii.gz,6,,\"1,2,3;4,5,6;7,8,9;0,0,0\"\n"
                                      "h1/sequence.nii.gz,7,,\"1,2,3;4,5,6;7,8,x\"\n"
                                      "h1/sequence.nii.gz,8,\"1,2,3,4\",\n");
    const Outcome outcome = run({"cohort", *study_ / "points.csv", folder_ / outName, "--plan"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    for (const char* seed : {"1,2", "middle", "1,2,3,4"})
        EXPECT_THAT(outcome.output, HasSubstr(fmt::format("seed: expected three numbers x,y,z, "
                                                          "found '{}'",
                                                          seed)));
    EXPECT_THAT(outcome.output, HasSubstr("points: expected APEX;MITRAL;RV, each x,y,z, found "
                                          "'1,2,3;4,5,6'"));
    EXPECT_THAT(outcome.output, HasSubstr("found '1,2,3;4,5,6;7,8,9;0,0,0'"));
    EXPECT_THAT(outcome.output, HasSubstr("points: expected three numbers x,y,z, found '7,8,x'"));
    EXPECT_THAT(outcome.output, HasSubstr("2 of 8 cases can be processed"));
}

TEST_F(CohortPlanFile, ThatIsOnlyShownChangesNothingThatIsThere) {
    plan({"--no-pictures", "--set", "levels=1"});
    for (const char* step : {"motion", "strain", "quality"})
        ASSERT_EQ(cohort({"--step", std::string("sub-1/") + step}).exitCode, 0);
    const std::string reported = cohort({"group"}).output;
    EXPECT_THAT(reported, HasSubstr("1 of 4 cases done"));
    auto before = bytesOfAll();
    const auto shown = [&](std::vector<std::string> options) {
        options.emplace_back("--plan");
        return cohort(options);
    };
    writeText(*study_ / "other.csv", "file,id\nh2/sequence.nii.gz,2\n");
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--set", "levels=2"}, {"--participant-label", "2"}})
        ASSERT_EQ(shown(options).exitCode, 0);
    const Outcome ofGroup =
        run({"cohort", *study_ / "other.csv", folder_ / outName, "group", "--plan"});
    ASSERT_EQ(ofGroup.exitCode, 0);
    EXPECT_THAT(ofGroup.output, HasSubstr("without group and --plan does it"));
    auto after = bytesOfAll();
    EXPECT_EQ(after.erase(out("work/next_plan.json")), 1U);
    EXPECT_EQ(after, before);
    EXPECT_EQ(cohort({"group"}).output, reported);
    EXPECT_EQ(readText(out("report.html")), before[out("report.html")]);
    // Once there was another run it isn't the next one.
    plan({"--no-pictures", "--set", "levels=1"});
    EXPECT_FALSE(fs::exists(out("work/next_plan.json")));
    EXPECT_EQ(cohort({"group"}).output, reported);
}

TEST_F(CohortPlanFile, IsShownWhereItCannotBeWritten) {
    plan({"--no-pictures"});
    fs::create_directories(out("work/next_plan.json/in the way"));
    const auto before = bytesOfAll();
    const Outcome outcome = cohort({"--plan", "--no-pictures"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("3 of 4 cases can be"));
    EXPECT_THAT(outcome.output, HasSubstr("note: the plan wasn't written: "));
    EXPECT_THAT(outcome.output, Not(HasSubstr("; wrote ")));
    EXPECT_EQ(bytesOfAll(), before);
}

TEST_F(CohortPlanFile, IsShownToWhoMayOnlyRead) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may write everywhere";
    plan({"--no-pictures"});
    for (const char* folder : {"work", ""})
        fs::permissions(out(folder), fs::perms::owner_read | fs::perms::owner_exec);
    const Outcome outcome = cohort({"--plan", "--no-pictures"});
    for (const char* folder : {"", "work"})
        fs::permissions(out(folder), fs::perms::owner_all);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("note: the plan wasn't written: "));
}

TEST_F(CohortPlanFile, OfAnotherVersionIsNamedAsSuch) {
    plan({"--no-pictures"});
    const auto written = nlohmann::json::parse(readText(out("work/plan.json")));
    using Pointer = nlohmann::json::json_pointer;
    const auto refused = [&](const nlohmann::json& changed, const std::string& why) {
        writeText(out("work/plan.json"), changed.dump());
        const Outcome outcome = cohort({"group"});
        EXPECT_EQ(outcome.exitCode, 1) << why;
        EXPECT_THAT(outcome.errors, HasSubstr("work/plan.json: " + why));
        EXPECT_THAT(outcome.errors, HasSubstr("'systole cohort INPUT OUTPUT' makes it anew"));
    };
    for (const char* where :
         {"/fields", "/earlier_cases", "/cases/0/steps/1/passing", "/cases/1/references"}) {
        const Pointer pointer(where);
        const std::string named = "'" + pointer.back() + "' is missing or ";
        const std::string version = written["version"];
        nlohmann::json lacks = written, other = written;
        lacks.at(pointer.parent_pointer()).erase(pointer.back());
        refused(lacks, "was changed since this program wrote it: " + named);
        lacks["program_sha256"] = "of another";
        lacks["version"] = "7.5";
        refused(lacks, "was written by another version of systole (7.5; this is " + version +
                           "): " + named);
        lacks.erase("version");
        refused(lacks, "was written by another version of systole (unknown; ");
        other[pointer] = true;
        refused(other, "was changed since this program wrote it: " + named);
    }
    refused(nlohmann::json::array(), "isn't a file of JSON as this program writes it");
    EXPECT_THAT(cohort({"--step", "sub-2/motion"}).errors, HasSubstr("work/plan.json: isn't"));

    // A run plans anew, and says what that costs.
    setEngine("exit 0");
    EXPECT_THAT(cohort({"participant", "--no-pictures"}).output,
                HasSubstr("so the report lacks cases of earlier runs"));
    EXPECT_EQ(nlohmann::json::parse(readText(out("work/plan.json")))["cases"].size(), 4U);
    EXPECT_THAT(cohort({"participant", "--no-pictures"}).output, Not(HasSubstr("note: ")));
}

TEST_F(CohortPlanFile, ThatCannotBeLookedAtIsNotTakenForNone) {
    plan({"--no-pictures"});
    fs::rename(out("work"), out("moved"));
    fs::create_symlink("work", out("work"));
    const Outcome outcome = cohort({"group"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("work/plan.json: can't be read: Too many levels"));
    EXPECT_THAT(outcome.errors, Not(HasSubstr("no cohort was run here")));
}

TEST_F(CohortPlanFile, APlanWithNamesThatNoPlanHasIsRefused) {
    plan();
    const auto written = nlohmann::json::parse(readText(out("work/plan.json")));
    for (const auto& [where, name] : std::vector<std::pair<std::string, std::string>>{
             {"/cases/0/id", "../sub-1"},
             {"/cases/0/id", "sub-1\nsub-2"},
             {"/cases/0/id", ""},
             {"/cases/1/subject", ".."},
             {"/cases/1/session", "1/../../.."},
             {"/cases/0/steps/0/name", "/motion"},
             {"/cases/0/steps/0/output", "../elsewhere"}}) {
        auto changed = written;
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
    plan(); // makes it anew
    EXPECT_EQ(nlohmann::json::parse(readText(out("work/plan.json")))["cases"][0]["id"], "sub-1");
}

} // namespace
} // namespace systole
