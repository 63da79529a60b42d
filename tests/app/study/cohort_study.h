// A small study, and systole cohort run on it from outside.
#pragma once

#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace systole::testing {

/// A name that neither YAML nor a shell takes as it stands.
inline constexpr const char* outName = "o #2";

/// Files below a folder, except those in `except`.
inline std::set<std::string> filesBelow(const std::filesystem::path& folder,
                                        const std::filesystem::path& except) {
    std::set<std::string> files;
    for (std::filesystem::recursive_directory_iterator at(folder), end; at != end; ++at) {
        if (at->path() == except)
            at.disable_recursion_pending();
        else
            files.insert(at->path().string());
    }
    return files;
}

/// A study of two hearts with labels, one without, and a file that is none.
class CohortStudy : public ::testing::Test {
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
    /// Runs the cohort with a script in place of Snakemake, and an sbatch.
    Outcome cohortBy(const std::string& script, const std::vector<std::string>& more = {}) const {
        setEngine(script);
        return cohort(more);
    }
    /// Plans what a run does, and leaves it to the test to call the steps.
    void plan(std::vector<std::string> options = {}) const {
        options.insert(options.begin(), "participant");
        const Outcome outcome = cohortBy("exit 0", options);
        ASSERT_NE(outcome.exitCode, 2) << outcome.errors;
        ASSERT_EQ(outcome.errors, "");
    }
    void setEngine(const std::string& script) const {
        std::filesystem::create_directories(folder_ / "bin");
        for (const char* name : {"snakemake", "sbatch"}) {
            writeText(folder_.path() / "bin" / name, "#!/bin/sh\n" + script);
            std::filesystem::permissions(folder_.path() / "bin" / name,
                                         std::filesystem::perms::owner_all);
        }
        ::setenv("PATH", (folder_ / "bin:" + path_).c_str(), 1);
    }
    void TearDown() override {
        ::setenv("PATH", path_.c_str(), 1);
        ::setenv("HOME", home_.c_str(), 1);
    }
    static bool hasSnakemake() { return std::system("command -v snakemake >/dev/null") == 0; }
    std::string out(const std::string& file) const {
        return folder_ / (std::string(outName) + "/" + file);
    }

    static inline std::unique_ptr<TemporaryFolder> study_;
    TemporaryFolder folder_;
    const std::string path_ = std::getenv("PATH");
    const std::string home_ = std::getenv("HOME") ? std::getenv("HOME") : "/";
};

} // namespace systole::testing
