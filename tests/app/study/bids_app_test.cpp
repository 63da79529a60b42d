// systole cohort called as other BIDS Apps are, and on paths that Snakemake, a shell or a format
// would take for something else.
#include "tests/app/study/cohort_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class BidsApp : public testing::CohortStudy {
protected:
    /// A data set of two participants, the second with two sessions.
    std::string bids(const std::string& name) const {
        const fs::path study = folder_.path() / name;
        for (const char* file : {"sub-01/sub-01_cine", "sub-02/ses-a/sub-02_ses-a_cine",
                                 "sub-02/ses-b/sub-02_ses-b_cine"}) {
            const fs::path to = study / (std::string(file) + ".nii.gz");
            fs::create_directories(to.parent_path());
            fs::copy_file(*study_ / "h1/sequence.nii.gz", to);
        }
        writeText(study / "dataset_description.json", "{}");
        return study.string();
    }
    std::vector<std::string> planned(const std::vector<std::string>& options) const {
        const std::string study = folder_ / "study", results = folder_ / "results";
        if (!fs::exists(study))
            bids("study");
        std::vector<std::string> words{"cohort", study, results, "participant", "--plan"};
        words.insert(words.end(), options.begin(), options.end());
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        std::vector<std::string> ids;
        if (outcome.exitCode != 0)
            return ids;
        const auto plan = nlohmann::json::parse(readText(results + "/work/next_plan.json"));
        for (const auto& each : plan["cases"])
            ids.push_back(each["id"]);
        return ids;
    }
};

TEST_F(BidsApp, UnderscoresAreHyphens) {
    const auto first = ElementsAre("sub-01_cine"), session = ElementsAre("sub-02_ses-b_cine");
    EXPECT_THAT(planned({"--participant-label", "01"}), first);
    EXPECT_THAT(planned({"--participant_label", "01"}), first);
    EXPECT_THAT(planned({"--participant_label=sub-01"}), first);
    EXPECT_THAT(
        planned({"--participant_label", "01", "--participant_label", "02", "--session_label", "b"}),
        session);
    EXPECT_THAT(planned({"--participant_label", "01", "02", "--session_label=ses-b"}), session);
    EXPECT_THAT(planned({"--no_pictures", "--batch_cores", "2"}).size(), 3U);
    // Values stay as they are.
    EXPECT_THAT(
        run({"cohort", "a", "b", "--participant_label", "01", "--method", "no_such"}).errors,
        HasSubstr("no_such"));
    EXPECT_EQ(run({"motion", "none.nii", "-o", "x", "--close_cycle"}).exitCode, 1); // no such file
}

TEST_F(BidsApp, OptionsOfOthersAreTakenOrNameWhatHelps) {
    EXPECT_EQ(planned({"--n_cpus", "2", "--skip_bids_validator"}).size(), 3U);
    EXPECT_EQ(planned({"--nprocs", "2", "--omp-nthreads", "1"}).size(), 3U);
    const auto refused = [&](const std::vector<std::string>& options, const std::string& helps) {
        std::vector<std::string> words{"cohort", *study_ / "cases.csv", folder_ / "none", "--plan"};
        words.insert(words.end(), options.begin(), options.end());
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.exitCode, 2) << options.front();
        EXPECT_THAT(outcome.errors, HasSubstr("isn't an option of 'systole cohort'"));
        EXPECT_THAT(outcome.errors, HasSubstr(helps)) << options.front();
        EXPECT_FALSE(fs::exists(folder_ / "none"));
    };
    refused({"--mem_mb", "4000"}, "--slurm-option=--mem=64G");
    refused({"--mem-mb=4000"}, "--slurm-option=--mem=64G");
    refused({"--work_dir", "/tmp/w"}, "the folder 'work' in OUTPUT");
    refused({"--bids_filter_file", "f.json"}, "a table of cases");
    refused({"--dry_run"}, "--plan");
    EXPECT_EQ(run({"cohort", "a", "b", "--n_cpus", "2", "--jobs", "3"}).exitCode, 2);
}

TEST_F(BidsApp, PathsThatMeanSomethingToSnakemakeAShellOrAFormat) {
    if (!hasSnakemake())
        GTEST_SKIP() << "Snakemake isn't installed (tools/deps.sh cohort)";
    struct Paths {
        const char *input, *output;
    };
    for (const Paths& paths : {Paths{"h {study} 50% [a]", "out {x}"},
                               Paths{"{} {{b}} %s $HOME `a`", "it's \"{0}\" [1-9] *? &;|<>"},
                               Paths{"wildcards.case", "{wildcards.case}{params.program:q}"}}) {
        const std::string study = bids(paths.input), results = folder_ / paths.output;
        const Outcome outcome = run({"cohort", study, results, "--no-pictures", "--set", "levels=1",
                                     "--backend", "cpu", "--participant-label", "01"});
        EXPECT_EQ(outcome.exitCode, 0) << paths.output << outcome.errors << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr("1 of 1 case done"));
        EXPECT_TRUE(fs::exists(results + "/sub-01/sub-01_cine_motion/run.json")) << paths.output;
    }
    // A table in such a folder, by batches.
    const fs::path folder = folder_.path() / "t {a} %d";
    fs::create_directories(folder / "i{m}ages");
    fs::copy_file(*study_ / "h1/sequence.nii.gz", folder / "i{m}ages/h [1].nii.gz");
    writeText(folder / "cases {b}.csv", "file,id\ni{m}ages/h [1].nii.gz,1\n");
    const Outcome outcome =
        run({"cohort", folder / "cases {b}.csv", folder / "o{u}t", "--no-pictures", "--set",
             "levels=1", "--backend", "cpu", "--batch", "2", "--batch-cores", "1"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors << outcome.output;
    EXPECT_TRUE(fs::exists(folder / "o{u}t/sub-1/sub-1_motion/run.json"));
}

TEST_F(BidsApp, WhatSnakemakeSaysOfItsFailureIsSaid) {
    const Outcome outcome =
        cohortBy("echo Building; echo 'WildcardError in line 5 of Snakefile:'; echo 'Wildcards in "
                 "params'; echo '  cannot be determined'; exit 1");
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors,
                HasSubstr("snakemake.log: Snakemake failed: WildcardError in line 5 of Snakefile: "
                          "Wildcards in params cannot be determined"));
    EXPECT_THAT(cohortBy("exit 1").errors, HasSubstr("Snakemake failed: it doesn't say why"));
}

} // namespace
} // namespace systole
