// A step whose commands are done by this process.
#include "app/study/step_record.h"
#include "app/study/step_run.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::TemporaryFolder;
using systole::testing::writeText;

class SharedStep : public ::testing::Test {
protected:
    SharedStep() {
        plan_.program = stampsOf("", {fs::read_symlink("/proc/self/exe").string()}).front();
        plan_.program.sha256 = hashOf("", plan_.program);
        PlannedCase planned;
        planned.entry.id = "sub-1";
        planned.steps = {{motionStep, {}, {}, "sub-1/m", {{"motion", outputWord}}, 0, 0}};
        plan_.cases = {planned};
    }
    /// The command writes this run.json, and ends with the code.
    bool run(const std::string& record, int code) const {
        SharedProcess process{[&](const std::vector<std::string>& words, const LeasableDevice*) {
                                  writeText(folder_.path() / words.at(1) / "run.json", record);
                                  return code;
                              },
                              {}};
        return runStep(plan_, output_, "sub-1", motionStep, &process);
    }

    /// The niceness of the thread of a step that uses no GPU, after a motion by this device ("":
    /// none was estimated yet), which a GPU would have taken so many bytes for.
    int nicenessAfter(const std::string& device, std::uint64_t deviceBytes) {
        plan_.cases[0].steps = {
            {motionStep, {}, {}, "sub-1/m", {{"motion", outputWord}}, 0, deviceBytes},
            {"film", {}, {}, "sub-1/film", {{"snapshot", outputWord}}, 0, 0}};
        StepCost cost;
        cost.device = device;
        fs::create_directories(fs::path(recordPath(output_, "sub-1", "film")).parent_path());
        if (!device.empty())
            writeStepRecord(plan_, output_, "sub-1", plan_.cases[0].steps[0], {}, cost);
        int found = -1;
        SharedProcess process{[&](const std::vector<std::string>&, const LeasableDevice*) {
                                  found =
                                      ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
                                  return 0;
                              },
                              {}};
        // The thread never gets its priority back.
        std::thread([&] { runStep(plan_, output_, "sub-1", "film", &process); }).join();
        return found;
    }

    TemporaryFolder folder_;
    const std::string output_ = folder_.path().string();
    CohortPlan plan_;
};

TEST_F(SharedStep, ACodeOfFailureIsOne) {
    EXPECT_FALSE(run("{}", 3));
    EXPECT_FALSE(fs::exists(folder_ / "sub-1/m"));
    EXPECT_FALSE(recordHolds(plan_, output_, plan_.cases[0], plan_.cases[0].steps[0]));
    EXPECT_FALSE(fs::exists(failurePath(output_, "sub-1", motionStep))); // alone it may succeed
    EXPECT_TRUE(run("{}", 0));
    EXPECT_TRUE(recordHolds(plan_, output_, plan_.cases[0], plan_.cases[0].steps[0]));
}

TEST_F(SharedStep, TheTimeThatItWaitedIsNoneOfItsWork) {
    // Longer than the step takes, so that its work comes out below zero if that is subtracted.
    constexpr double waited = 1e6;
    ASSERT_TRUE(run(R"({"device": "a GPU", "waited_seconds": 1e6})", 0));
    const StepCost cost = costOf(output_, "sub-1", motionStep);
    EXPECT_EQ(cost.device, "a GPU");
    EXPECT_EQ(cost.waitedSeconds, waited);
    EXPECT_LT(cost.seconds, 0);
}

TEST_F(SharedStep, OfARecordOfAnotherKindNothingIsKnown) {
    for (const char* record :
         {R"({"device": 1, "waited_seconds": "long"})", R"({"waited_seconds": null})", "[1]", ""}) {
        fs::remove_all(folder_ / "sub-1");
        ASSERT_TRUE(run(record, 0)) << record;
        const StepCost cost = costOf(output_, "sub-1", motionStep);
        EXPECT_EQ(cost.device, "cpu") << record;
        EXPECT_EQ(cost.waitedSeconds, 0) << record;
    }
}

TEST_F(SharedStep, GivesWayToAGpuWhereOneEstimatesAndNowhereElse) {
    const int normal = ::getpriority(PRIO_PROCESS, 0);
    if (normal >= 10)
        GTEST_SKIP() << "all of this process gives way";
    fs::create_directories(folder_ / "sub-1/m");
    EXPECT_EQ(nicenessAfter("", 0), normal); // the CPU was chosen
    fs::remove_all(folder_ / "work");
    EXPECT_GT(nicenessAfter("", 1), normal); // it may become a GPU
    fs::remove_all(folder_ / "work");
    EXPECT_EQ(nicenessAfter("cpu", 1), normal); // there was none
    fs::remove_all(folder_ / "work");
    EXPECT_GT(nicenessAfter("a GPU", 1), normal);
}

} // namespace
} // namespace systole
