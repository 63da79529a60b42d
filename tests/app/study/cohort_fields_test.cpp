// Displacement fields that don't stay in a case that is done.
#include "tests/app/study/cohort_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::executable;
using systole::testing::Outcome;
using systole::testing::outName;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CohortFields : public testing::CohortStudy {
protected:
    void planFields(const std::string& fields) const {
        plan({"--no-pictures", "--set", "levels=1", "--fields", fields});
    }
    /// All steps of the first case, as Snakemake calls them.
    void doSteps() const {
        for (const char* step : {"motion", "strain", "quality"})
            ASSERT_EQ(cohort({"--step", std::string("sub-1/") + step}).exitCode, 0) << step;
    }
    std::string record(const std::string& step) const {
        return readText(out("work/records/sub-1/" + step + ".json"));
    }
    /// Fields of the first case, by name.
    std::map<std::string, std::string> fields() const {
        std::map<std::string, std::string> found;
        for (const fs::directory_entry& entry : fs::directory_iterator(out("sub-1/sub-1_motion")))
            if (entry.path().extension() == ".mha")
                found[entry.path().filename().string()] = readText(entry.path().string());
        return found;
    }
    std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& [name, bytes] : fields())
            found.insert(name);
        return found;
    }
    std::string done() const { return cohort({"group"}).output; }
};

const std::set<std::string> sinceFirst{"lagrangian_0000.mha", "lagrangian_0001.mha",
                                       "lagrangian_0002.mha"};

TEST_F(CohortFields, GoWhenTheCaseIsDoneAndNothingIsDoneAgainForThem) {
    planFields("first");
    ASSERT_EQ(cohort({"--step", "sub-1/motion"}).exitCode, 0);
    const auto all = fields();
    EXPECT_EQ(all.size(), 6U);
    ASSERT_EQ(cohort({"--step", "sub-1/strain"}).exitCode, 0);
    EXPECT_EQ(fields(), all); // the case isn't done yet
    doSteps();
    EXPECT_EQ(names(), sinceFirst);
    const std::string motion = record("motion"), strain = record("strain"),
                      quality = record("quality");
    // The record says what was there.
    EXPECT_THAT(motion,
                AllOf(HasSubstr("displacement_0001.mha"), HasSubstr("lagrangian_0001.mha")));
    const auto nothingIsNew = [&] {
        return record("motion") == motion && record("strain") == strain &&
               record("quality") == quality;
    };
    doSteps();
    EXPECT_TRUE(nothingIsNew());
    EXPECT_THAT(done(), HasSubstr("1 of 4 cases done"));

    // Fewer: nothing is done for that, but what goes is removed.
    planFields("none");
    doSteps();
    EXPECT_TRUE(nothingIsNew());
    EXPECT_THAT(names(), IsEmpty());
    EXPECT_TRUE(fs::exists(out("sub-1/sub-1_motion/run.json")));
    EXPECT_THAT(done(), HasSubstr("1 of 4 cases done"));

    // More: the motion is estimated again, with the same bytes.
    planFields("all");
    EXPECT_THAT(done(), HasSubstr("0 of 4 cases done"));
    doSteps();
    EXPECT_EQ(fields(), all);
    EXPECT_THAT(done(), HasSubstr("1 of 4 cases done"));
}

TEST_F(CohortFields, ComeBackForAStepThatReadsThem) {
    planFields("none");
    doSteps();
    EXPECT_THAT(names(), IsEmpty());
    const auto results = [&] {
        std::map<std::string, std::string> found;
        for (const fs::directory_entry& entry : fs::directory_iterator(out("sub-1/sub-1_strain")))
            if (entry.path().extension() == ".csv")
                found[entry.path().filename().string()] = readText(entry.path().string());
        return found;
    };
    const auto before = results();
    ASSERT_FALSE(before.empty());
    const std::string motion = record("motion");
    fs::remove_all(out("sub-1/sub-1_strain"));
    ASSERT_EQ(cohort({"--step", "sub-1/motion"}).exitCode, 0);
    EXPECT_NE(record("motion"), motion);
    EXPECT_EQ(fields().size(), 6U);
    doSteps();
    EXPECT_THAT(names(), IsEmpty());
    EXPECT_EQ(results(), before);

    // A page alone needs no fields, and what is spoilt isn't taken for left out.
    const std::string again = record("motion");
    fs::remove_all(out("sub-1/sub-1_quality"));
    doSteps();
    EXPECT_EQ(record("motion"), again);
    writeText(out("sub-1/sub-1_motion/displacement_0001.mha"), "spoilt");
    EXPECT_THAT(done(), HasSubstr("0 of 4 cases done"));
    fs::remove(out("sub-1/sub-1_motion/displacement_0001.mha"));
    EXPECT_THAT(done(), HasSubstr("1 of 4 cases done"));
    fs::remove(out("sub-1/sub-1_motion/run.json"));
    EXPECT_THAT(done(), HasSubstr("0 of 4 cases done"));
}

TEST_F(CohortFields, AStepByHandSaysThatTheyWereLeftOut) {
    planFields("none");
    doSteps();
    fs::remove_all(out("sub-1/sub-1_strain"));
    const Outcome outcome = cohort({"--step", "sub-1/strain"});
    EXPECT_EQ(outcome.exitCode, 1);
    const std::string sentence = "there is no such file or folder; it was removed because of "
                                 "--fields none; run 'systole cohort "
                                 "INPUT OUTPUT' or --step sub-1/motion to create it again";
    EXPECT_THAT(outcome.errors, HasSubstr("lagrangian_0001.mha: " + sentence));
    EXPECT_THAT(done(), HasSubstr(sentence));
    doSteps(); // as it says
    EXPECT_THAT(done(), HasSubstr("1 of 4 cases done"));

    // Another step's file that somebody removed.
    planFields("all");
    doSteps();
    fs::remove_all(out("sub-1/sub-1_strain"));
    fs::remove(out("sub-1/sub-1_motion/lagrangian_0002.mha"));
    EXPECT_THAT(cohort({"--step", "sub-1/strain"}).errors,
                HasSubstr("it was removed after the step motion had made it"));
}

TEST_F(CohortFields, OfADoneCaseGoAtTheNextRunAndThroughNoLink) {
    planFields("all");
    doSteps();
    setEngine("exit 0");
    ASSERT_EQ(fields().size(), 6U);
    const auto run = [&] {
        return cohort({"participant", "--participant-label", "1", "--no-pictures", "--set",
                       "levels=1", "--fields", "none"});
    };
    fs::rename(out("sub-1/sub-1_motion"), folder_ / "moved");
    fs::create_directory_symlink(folder_ / "moved", out("sub-1/sub-1_motion"));
    EXPECT_THAT(run().errors, HasSubstr("isn't a folder"));
    EXPECT_TRUE(fs::exists(folder_ / "moved/displacement_0001.mha"));
    fs::remove(out("sub-1/sub-1_motion"));
    fs::rename(folder_ / "moved", out("sub-1/sub-1_motion"));
    EXPECT_EQ(run().exitCode, 0);
    EXPECT_THAT(names(), IsEmpty());
    // Cases of earlier runs keep their choice.
    plan({"--no-pictures", "--participant-label", "2"});
    EXPECT_THAT(done(), HasSubstr("1 of 4 cases done"));
}

TEST_F(CohortFields, GoInBatchesAsInSteps) {
    const std::string batch = executable() + " cohort " + *study_ / "cases.csv" + " '" +
                              (folder_ / outName) + "' --batch-number 0";
    setEngine(batch);
    const Outcome outcome = cohort({"--no-pictures", "--set", "levels=1", "--backend", "cpu",
                                    "--batch", "4", "--batch-cores", "2", "--fields", "none"});
    EXPECT_THAT(outcome.output, HasSubstr("3 of 4 cases done")) << outcome.errors;
    EXPECT_THAT(names(), IsEmpty());
    const std::string motion = record("motion");
    setEngine("exit 1"); // isn't called
    EXPECT_THAT(
        cohort({"--no-pictures", "--set", "levels=1", "--backend", "cpu", "--fields", "none"})
            .output,
        HasSubstr("3 of 4 cases done"));
    EXPECT_EQ(record("motion"), motion);
}

} // namespace
} // namespace systole
