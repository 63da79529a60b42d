// The compute thread: what it estimates, keeps and shows.
#include "tests/app/estimation/pipeline_fixture.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace systole {
namespace {

using namespace std::chrono_literals;
using test::PipelineTest;

TEST_F(PipelineTest, EstimatesTheWantedPair) {
    EXPECT_EQ(pipeline->resultFor(3), nullptr);
    pipeline->request(pair(3), true);
    ASSERT_TRUE(estimatedReaches(1));
    const auto result = pipeline->resultFor(3);
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->fixedFrame, 3);
    EXPECT_EQ(result->movingFrame, 4);
    EXPECT_EQ(result->fixed, frames[3]);
    EXPECT_EQ(result->moving, frames[4]);
    EXPECT_EQ(result->field->view().u[7], 1);
    EXPECT_TRUE(becomes([&] { return notified > 0; }));
    EXPECT_EQ(pipeline->status().estimatingFrame, -1);
}

TEST_F(PipelineTest, KernelTimesAreTakenFromNowOnAndFieldsStay) {
    pipeline->request(pair(3), true);
    ASSERT_TRUE(estimatedReaches(1));
    EXPECT_FALSE(script.timesKernels);
    const auto before = pipeline->resultFor(3);
    EstimationSettings timed = settings();
    timed.profileKernels = true;
    pipeline->setSettings(timed);
    EXPECT_EQ(pipeline->resultFor(3), before);
    pipeline->request(pair(4), true);
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_TRUE(script.timesKernels);
    // The CPU has no kernels to be timed: finished fields are not estimated again.
    pipeline->request(pair(3), true);
    pipeline->request(pair(5), true);
    ASSERT_TRUE(estimatedReaches(3));
    EXPECT_EQ(script.begun, 3);
    EXPECT_EQ(pipeline->resultFor(3), before);
}

TEST_F(PipelineTest, FinishedFieldsAreShownAgainAndNotMadeAgain) {
    pipeline->request(pair(0), false);
    ASSERT_TRUE(estimatedReaches(1));
    const auto first = pipeline->resultFor(0);
    pipeline->request(pair(1), false);
    ASSERT_TRUE(estimatedReaches(2));
    pipeline->request(pair(0), false);
    pipeline->request(pair(2), false); // waits behind it if the first were made again
    ASSERT_TRUE(estimatedReaches(3));
    EXPECT_EQ(script.begun, 3);
    EXPECT_EQ(pipeline->resultFor(0), first);
    EXPECT_EQ(pipeline->status().cachedFrames, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(pipeline->status().dropped, 0u);
}

TEST_F(PipelineTest, KeepEstimatingMakesThemAgain) {
    EstimationSettings live = settings();
    live.keepEstimating = true;
    pipeline->setSettings(live);
    pipeline->request(pair(0), false);
    ASSERT_TRUE(estimatedReaches(1));
    const auto first = pipeline->resultFor(0);
    pipeline->request(pair(0), false);
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_NE(pipeline->resultFor(0), first);
}

TEST_F(PipelineTest, APairThatFollowsStartsFromTheLastFieldUnlessSwitchedOff) {
    for (const bool warmStart : {true, false}) {
        EstimationSettings changed = settings();
        changed.warmStart = warmStart;
        changed.revision = warmStart ? 1 : 2;
        const std::uint64_t before = pipeline->status().estimated;
        pipeline->setSettings(changed);
        pipeline->request(pair(0), true);
        ASSERT_TRUE(estimatedReaches(before + 1));
        EXPECT_EQ(script.start, 0);
        pipeline->request(pair(1), true);
        ASSERT_TRUE(estimatedReaches(before + 2));
        EXPECT_EQ(script.start, warmStart ? 1 : 0);
    }
}

TEST_F(PipelineTest, FieldsStayWhenOthersAreShownMeanwhile) {
    for (const int frame : {0, 1, 2}) {
        pipeline->request(pair(frame), true);
        ASSERT_TRUE(estimatedReaches(static_cast<std::uint64_t>(frame) + 1));
    }
    const auto first = pipeline->resultFor(0), second = pipeline->resultFor(1);
    EstimationSettings fromZero = settings();
    fromZero.warmStart = false;
    EXPECT_FALSE(pipeline->setSettings(fromZero));
    // The first pair started from zero in any case; the others aren't shown.
    EXPECT_EQ(pipeline->status().cachedFrames, std::vector<int>{0});
    EXPECT_EQ(pipeline->resultFor(0), first);
    EXPECT_EQ(pipeline->resultFor(1), nullptr);
    script.start = -1;
    pipeline->request(pair(1), true);
    ASSERT_TRUE(estimatedReaches(4));
    EXPECT_EQ(script.start, 0);
    EXPECT_EQ(pipeline->status().cachedFrames, (std::vector<int>{0, 1}));
    EXPECT_NE(pipeline->resultFor(1), second);
    EXPECT_FALSE(pipeline->setSettings(settings()));
    EXPECT_EQ(pipeline->status().cachedFrames, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(pipeline->resultFor(0), first);
    EXPECT_EQ(script.begun, 4);
}

TEST_F(PipelineTest, APairCanBeRequestedFromZero) {
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    script.start = -1;
    pipeline->request(pair(1), false, FieldStart::Zero);
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_EQ(script.start, 0);
}

TEST_F(PipelineTest, SaysWhatWaits) {
    script.held = 1;
    pipeline->request(pair(0), false);
    ASSERT_TRUE(becomes([&] { return script.begun == 1; }));
    EXPECT_EQ(pipeline->status().waitingFrame, -1);
    pipeline->request(pair(3), false);
    EXPECT_EQ(pipeline->status().waitingFrame, 3);
}

TEST_F(PipelineTest, ShowsTheNewestFinishedFieldWhereTheOwnOneIsMissing) {
    pipeline->request(pair(0), false);
    ASSERT_TRUE(estimatedReaches(1));
    pipeline->request(pair(1), false);
    ASSERT_TRUE(estimatedReaches(2));
    ASSERT_NE(pipeline->resultFor(7), nullptr);
    EXPECT_EQ(pipeline->resultFor(7)->fixedFrame, 1);
    EXPECT_EQ(pipeline->resultFor(0)->fixedFrame, 0);
}

TEST_F(PipelineTest, WhilePlayingNewerPairsReplaceOlderOnesAndTheDropIsCounted) {
    script.held = 1;
    pipeline->request(pair(0), false);
    ASSERT_TRUE(becomes([&] { return script.begun == 1; }));
    for (int frame = 1; frame < 6; ++frame)
        pipeline->request(pair(frame), false);
    script.held = 0;
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_EQ(script.begun, 2);
    EXPECT_EQ(pipeline->newest()->fixedFrame, 5);
    EXPECT_EQ(pipeline->status().dropped, 4u); // 1, 2, 3, 4
    EXPECT_EQ(pipeline->status().cancelled, 0u);
}

TEST_F(PipelineTest, SteppingCancelsWhatIsNoLongerWanted) {
    script.held = 1;
    pipeline->request(pair(0), true);
    ASSERT_TRUE(becomes([&] { return script.begun == 1; }));
    pipeline->request(pair(4), true);
    ASSERT_TRUE(estimatedReaches(1));
    EXPECT_EQ(pipeline->newest()->fixedFrame, 4);
    EXPECT_EQ(pipeline->status().cancelled, 1u);
    EXPECT_EQ(pipeline->status().dropped, 0u);
}

TEST_F(PipelineTest, NewParametersCancelForgetAndCountAsAnotherGeneration) {
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    const std::uint64_t before = pipeline->resultFor(0)->generation;
    script.held = 2;
    pipeline->request(pair(1), true);
    ASSERT_TRUE(becomes([&] { return script.begun == 2; }));
    script.value = 2;
    EstimationSettings changed = settings();
    ++changed.revision;
    EXPECT_TRUE(pipeline->setSettings(changed));
    EXPECT_EQ(pipeline->resultFor(0), nullptr);
    pipeline->request(pair(1), true);
    ASSERT_TRUE(estimatedReaches(2));
    const auto result = pipeline->resultFor(1);
    EXPECT_GT(result->generation, before);
    EXPECT_EQ(result->field->view().u[0], 2);
    EXPECT_EQ(script.made, 2);
    EXPECT_EQ(pipeline->status().cachedFrames, std::vector<int>{1});
}

TEST_F(PipelineTest, FieldsStayGoodUnlessWhatTheyDependOnChanges) {
    const EstimationSettings before = settings();
    const auto keeps = [&](auto change) {
        EstimationSettings after = settings();
        change(after);
        return after.keepsFieldsOf(before);
    };
    EXPECT_TRUE(keeps([](EstimationSettings&) {}));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.enabled = false; }));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.threads = 3; }));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.downloadFields = false; }));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.profileKernels = true; }));
    EXPECT_FALSE(keeps([](EstimationSettings& s) { ++s.revision; }));
    EXPECT_FALSE(keeps([](EstimationSettings& s) { s.backend = Backend::Cuda; }));
    EXPECT_FALSE(keeps([](EstimationSettings& s) { s.stages = {"jacobian"}; }));
    EXPECT_TRUE(keeps([](EstimationSettings& s) { s.warmStart = false; }));
    EXPECT_FALSE(before.keepsFieldsOf(EstimationSettings{}));
}

TEST_F(PipelineTest, StagesAddTheirFigures) {
    EstimationSettings measured = settings();
    measured.stages = {"jacobian"};
    pipeline->setSettings(measured);
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    const std::vector<Figure> figures = pipeline->resultFor(0)->figures;
    ASSERT_EQ(figures.size(), 2u);
    EXPECT_EQ(figures[0].value, 0);
    EXPECT_EQ(figures[1].value, 1); // every displacement is the same
    pipeline->setSettings(settings());
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(2));
    EXPECT_TRUE(pipeline->resultFor(0)->figures.empty());
}

TEST_F(PipelineTest, SwitchedOffItShowsNothingAndDoesNothingAndRemembers) {
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    EstimationSettings off = settings();
    off.enabled = false;
    pipeline->setSettings(off);
    EXPECT_EQ(pipeline->resultFor(0), nullptr);
    pipeline->request(pair(1), true);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(script.begun, 1);
    pipeline->setSettings(settings());
    EXPECT_NE(pipeline->resultFor(0), nullptr);
    ASSERT_TRUE(estimatedReaches(2)); // both were requested meanwhile
}

TEST_F(PipelineTest, ASequenceOpenedAnewStartsFromNothing) {
    pipeline->request(pair(0), true);
    ASSERT_TRUE(estimatedReaches(1));
    pipeline->open({0, 100});
    EXPECT_EQ(pipeline->resultFor(0), nullptr);
    EXPECT_EQ(pipeline->newest(), nullptr);
    EXPECT_EQ(pipeline->status().estimated, 0u);
    EXPECT_TRUE(pipeline->status().cachedFrames.empty());
}

TEST_F(PipelineTest, ClosingCancelsTheEstimation) {
    script.held = 1; // it would never end by itself
    pipeline->request(pair(0), true);
    ASSERT_TRUE(becomes([&] { return script.begun == 1; }));
    pipeline.reset();
}

} // namespace
} // namespace systole
