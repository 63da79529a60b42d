// A study that can't be read as a whole changes nothing about cases that are finished.
#include "app/study/cohort_folder.h"
#include "app/study/cohort_plan.h"
#include "app/study/step_record.h"
#include "io/base/error.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Cases 1 and 2 are done; case 3 was planned and isn't.
class EarlierCases : public ::testing::Test {
protected:
    EarlierCases() {
        makeCohortFolder(output_);
        last_.input = "/study";
        for (const char* number : {"1", "2", "3"}) {
            PlannedCase planned = caseOf(number);
            writeText(planned.entry.image, number);
            const CohortStep& step = planned.steps[0];
            fs::create_directories(fs::path(output_) / step.output);
            writeText(fs::path(output_) / step.output / "run.json", "{}");
            if (std::string(number) != "3") {
                std::vector<FileState> inputs = stampsOf(output_, step.inputs);
                for (FileState& file : inputs)
                    file.sha256 = hashOf(output_, file);
                fs::create_directories(
                    fs::path(recordPath(output_, planned.entry.id, step.name)).parent_path());
                writeStepRecord(last_, output_, planned.entry.id, step, inputs, {});
            }
            last_.cases.push_back(planned);
        }
        writePlan(last_, output_);
    }

    PlannedCase caseOf(const std::string& number) const {
        PlannedCase planned;
        planned.entry.subject = number;
        planned.entry.id = "sub-" + number;
        planned.entry.image = folder_ / (number + ".nii");
        planned.input = "/study";
        planned.steps = {{motionStep,
                          {},
                          {planned.entry.image},
                          "sub-" + number + "/sub-" + number + "_motion",
                          {{"motion"}}}};
        return planned;
    }
    /// The plan of the whole study, in which so much is found.
    CohortPlan now(const std::vector<std::string>& numbers) const {
        CohortPlan plan;
        plan.input = "/study";
        for (const std::string& number : numbers)
            plan.cases.push_back(caseOf(number));
        return plan;
    }
    static std::vector<std::string> ids(const std::vector<PlannedCase>& cases) {
        std::vector<std::string> names;
        for (const PlannedCase& each : cases)
            names.push_back(each.entry.id);
        return names;
    }
    bool holds(const CohortPlan& plan, const PlannedCase& planned) const {
        return recordHolds(plan, output_, planned, planned.steps[0]);
    }

    TemporaryFolder folder_;
    const std::string output_ = folder_ / "out";
    CohortPlan last_;
};

TEST_F(EarlierCases, AreForgottenWhenTheWholeStudyWasRead) {
    CohortPlan plan = now({"1"});
    EXPECT_EQ(keepEarlierCases(plan, output_, true), "");
    EXPECT_THAT(plan.earlier, IsEmpty());
}

TEST_F(EarlierCases, StayWhenAPartOfTheStudyCouldNotBeRead) {
    CohortPlan plan = now({"1"});
    plan.unread = {"/study/2: can't be read: Input/output error"};
    fs::remove(folder_ / "2.nii"); // as if it couldn't be looked at either
    EXPECT_EQ(keepEarlierCases(plan, output_, true), "");
    EXPECT_THAT(ids(plan.earlier), ElementsAre("sub-2", "sub-3"));
    EXPECT_TRUE(holds(plan, plan.earlier[0]));
    // And after it was written, as the group reads it.
    writePlan(plan, output_);
    const CohortPlan again = readPlan(output_);
    EXPECT_EQ(again.unread, plan.unread);
    EXPECT_TRUE(holds(again, again.earlier[0]));
    // The record of the step that made the fields still counts.
    writeText(fs::path(output_) / "sub-2/sub-2_motion/run.json", "changed");
    EXPECT_FALSE(holds(again, again.earlier[0]));
}

TEST_F(EarlierCases, WhoseLabelsWereNotSeenStayWithThem) {
    last_.cases[1].entry.labels = folder_ / "2_dseg.nii";
    writePlan(last_, output_);
    CohortPlan plan = now({"1", "2"});
    keepEarlierCases(plan, output_, true); // the labels are gone: the case is planned without
    EXPECT_THAT(plan.earlier, IsEmpty());
    plan = now({"1", "2"});
    plan.unread = {"/study: can't be read: Input/output error"};
    keepEarlierCases(plan, output_, true);
    EXPECT_THAT(ids(plan.cases), ElementsAre("sub-1"));
    EXPECT_THAT(ids(plan.earlier), ElementsAre("sub-2", "sub-3"));
}

TEST_F(EarlierCases, OfWhichTheContentIsNotHereAnyMoreStayIfTheyAreFinished) {
    CohortPlan plan = now({"1"});
    plan.absent = {folder_ / "2.nii", folder_ / "3.nii"};
    fs::remove(folder_ / "2.nii");
    keepEarlierCases(plan, output_, true);
    EXPECT_THAT(ids(plan.earlier), ElementsAre("sub-2"));
    EXPECT_TRUE(holds(plan, plan.earlier[0]));
    EXPECT_THAT(plan.unread, IsEmpty());
}

TEST_F(EarlierCases, WhoseImageCannotBeReadNowStayIfTheyAreFinished) {
    CohortPlan plan = now({"1", "2", "3"});
    for (const std::size_t at : {1, 2}) {
        plan.cases[at].steps.clear();
        plan.cases[at].refusal = plan.cases[at].entry.image + ": Input/output error";
        plan.cases[at].inputUnread = true;
    }
    keepEarlierCases(plan, output_, true);
    EXPECT_THAT(ids(plan.earlier), ElementsAre("sub-2"));
    EXPECT_THAT(ids(plan.cases), ElementsAre("sub-1", "sub-3"));
    EXPECT_THAT(plan.unread, ElementsAre(HasSubstr("2.nii: Input/output error")));

    // One that was replaced by what can't be read isn't finished.
    writeText(folder_ / "2.nii", "damaged");
    CohortPlan next = now({"1", "2"});
    next.cases[1].steps.clear();
    next.cases[1].refusal = "damaged";
    next.cases[1].inputUnread = true;
    keepEarlierCases(next, output_, true);
    EXPECT_THAT(ids(next.cases), ElementsAre("sub-1", "sub-2"));
    EXPECT_THAT(next.unread, IsEmpty());
}

TEST_F(EarlierCases, AreNotForgottenBecauseTheirPlanCannotBeRead) {
    const fs::path file = fs::path(output_) / workFolder / planFile;
    fs::rename(fs::path(output_) / workFolder, fs::path(output_) / "moved");
    fs::create_symlink(workFolder, fs::path(output_) / workFolder); // a circle
    CohortPlan plan = now({"1"});
    EXPECT_THROW(keepEarlierCases(plan, output_, true), FileError);
    fs::remove(fs::path(output_) / workFolder);
    fs::rename(fs::path(output_) / "moved", fs::path(output_) / workFolder);
    writeText(file, "{}");
    EXPECT_THAT(keepEarlierCases(plan, output_, true), HasSubstr("another version"));
}

} // namespace
} // namespace systole
