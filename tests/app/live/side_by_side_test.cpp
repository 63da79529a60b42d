// The live view with two estimations, drawn without a window.
#include "app/feature/panel.h"
#include "app/pictures/motion_options.h"
#include "app/session/comparison.h"
#include "compute/motion/methods.h"
#include "tests/app/live/live_view_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SideBySideTest : public LiveViewFixture {
protected:
    void SetUp() override {
        makeView(600);
        if (IsSkipped())
            return;
        open("ball.nii.gz", 24, 6);
    }

    void showSides(int frame) {
        session_.playback.pause();
        session_.playback.seek(frame);
        session_.display.layout = Layout::SideBySide;
    }
    bool compared(int frame) {
        return becomes([&] {
            return session_.right.comparison && session_.result->fixedFrame == frame &&
                   session_.right.result->fixedFrame == frame;
        });
    }
};

TEST_F(SideBySideTest, TheTwoFormsForProcessorsAgreeWithinTheBounds) {
    session_.motion.setBackend(Backend::Cpu);
    session_.compared.setBackend(Backend::CpuReference);
    showSides(2);
    ASSERT_TRUE(compared(2));
    EXPECT_EQ(session_.result->backend, Backend::Cpu);
    EXPECT_EQ(session_.right.result->backend, Backend::CpuReference);
    EXPECT_EQ(session_.right.result->movingFrame, session_.result->movingFrame);
    const FieldDifference& difference = session_.right.comparison->difference;
    EXPECT_TRUE(countAsEqual(difference)) << boundsText(difference);
    EXPECT_TRUE(session_.right.comparison->millimeters);

    ASSERT_TRUE(becomes([&] { return pairedTimes(session_).ratio().has_value(); }));
    const std::string text = comparisonText(session_);
    EXPECT_THAT(text, HasSubstr("backend\tcpu\tcpu-reference\n"));
    EXPECT_THAT(text, HasSubstr("right over left, median of the same pairs\t"));
    EXPECT_THAT(text, HasSubstr("within the bounds"));
    EXPECT_THAT(text, HasSubstr("frames\t2 to 3\n"));
}

TEST_F(SideBySideTest, SidesOnTheProcessorNeverComputeAtTheSameTimeAndHaveTheSamePairs) {
    session_.motion.setBackend(Backend::Cpu);
    session_.compared.setBackend(Backend::Cpu);
    session_.compared.set("alpha", 20.0);
    session_.display.layout = Layout::SideBySide;
    session_.motion.keepEstimating = true; // a time that no draw has seen comes again
    session_.playback.play();
    EXPECT_TRUE(becomes([&] {
        EXPECT_FALSE(session_.estimation.estimatingFrame >= 0 &&
                     session_.right.estimation.estimatingFrame >= 0);
        return pairedTimes(session_).pairs.size() >= 3;
    }));
    session_.motion.keepEstimating = false;
    // Steps, too: a side that is busy with another pair takes the new one.
    for (const int frame : {1, 4, 2}) {
        showSides(frame);
        tick();
    }
    EXPECT_TRUE(compared(2));
    // And the whole cycle.
    session_.cycle.on = true;
    EXPECT_TRUE(becomes([&] {
        EXPECT_FALSE(session_.estimation.estimatingFrame >= 0 &&
                     session_.right.estimation.estimatingFrame >= 0);
        return !session_.cycle.on;
    }));
    EXPECT_EQ(session_.estimation.cachedFrames.size(), 6u);
    EXPECT_EQ(session_.right.estimation.cachedFrames.size(), 6u);
}

TEST_F(SideBySideTest, OtherParametersGiveADifferenceThatIsSaidAndLocated) {
    session_.compared.setBackend(Backend::Cpu);
    session_.compared.set("alpha", 20.0);
    showSides(2);
    ASSERT_TRUE(compared(2));
    const FieldDifference& difference = session_.right.comparison->difference;
    EXPECT_GT(difference.mean, 1e-3);
    EXPECT_GT(difference.maximum, difference.quantile99);
    EXPECT_FALSE(countAsEqual(difference));
    // The largest difference is at the reported index.
    const auto& left = *session_.result->field;
    const auto& right = *session_.right.result->field;
    const auto& index = difference.maximumIndex;
    Vec3 apart;
    for (int axis = 0; axis < 3; ++axis)
        apart[axis] =
            static_cast<double>(left.view().componentView(axis)(index[0], index[1], index[2])) -
            static_cast<double>(right.view().componentView(axis)(index[0], index[1], index[2]));
    EXPECT_NEAR(length(left.geometry.voxelVectorToPhysical(apart)), difference.maximum, 1e-4);

    const auto differing = differingParameters(session_.motion, session_.compared);
    ASSERT_EQ(differing.size(), 1u);
    EXPECT_EQ(differing[0].id, "alpha");
    EXPECT_EQ(differing[0].right, "20");
    const SideBySide sides = sidesOf(session_);
    EXPECT_THAT(sides.leftLabel, HasSubstr("alpha 0.3"));
    EXPECT_THAT(sides.rightLabel, HasSubstr("alpha 20"));
    EXPECT_THAT(sides.differenceLabel, HasSubstr("max "));
    EXPECT_GT(scene_->differenceMaximum(), 0);

    session_.lookAt = difference.maximumAt;
    tick();
    EXPECT_NEAR(length(scene_->crosshair() - difference.maximumAt), 0, 1e-9);
}

TEST_F(SideBySideTest, OtherMethodsAreToldApartByNameNotByParametersThatOneOfThemLacks) {
    session_.compared.choose(motionMethod("demons"));
    EXPECT_FALSE(sameSettings(session_.motion, session_.compared));
    const SideBySide sides = sidesOf(session_);
    EXPECT_THAT(sides.leftLabel, HasSubstr("clg"));
    EXPECT_THAT(sides.rightLabel, HasSubstr("demons"));
    for (const std::string& label : {sides.leftLabel, sides.rightLabel}) {
        EXPECT_THAT(label, Not(HasSubstr("alpha")));
        EXPECT_THAT(label, Not(HasSubstr(" -")));
    }
}

TEST_F(SideBySideTest, TheRightSideIsOfTheLeftSidesPairOrOfNone) {
    session_.display.layout = Layout::SideBySide;
    session_.playback.play();
    int together = 0;
    EXPECT_TRUE(becomes([&] {
        if (session_.result && session_.right.result) {
            EXPECT_EQ(session_.result->fixedFrame, session_.right.result->fixedFrame);
            EXPECT_EQ(session_.result->movingFrame, session_.right.result->movingFrame);
            ++together;
        } else if (session_.result) { // a slow machine may never show this
            EXPECT_FALSE(session_.right.comparison);
            EXPECT_THAT(sidesOf(session_).rightLabel, HasSubstr("estimating"));
        }
        return together > 20;
    }));
}

TEST_F(SideBySideTest, WhatWasEstimatedBeforeMakesNoDifference) {
    // The right side joins late and in another order.
    session_.motion.setBackend(Backend::Cpu);
    session_.compared.setBackend(Backend::CpuReference);
    session_.playback.play();
    ASSERT_TRUE(becomes([&] { return session_.estimation.cachedFrames.size() == 6; }));
    for (const int frame : {4, 2, 3}) {
        showSides(frame);
        ASSERT_TRUE(compared(frame));
        EXPECT_TRUE(countAsEqual(session_.right.comparison->difference))
            << boundsText(session_.right.comparison->difference);
        EXPECT_LT(session_.right.comparison->difference.maximumVoxels, 1e-4);
    }
}

TEST_F(SideBySideTest, NewSettingsOfASideTakeItsOldMotionAway) {
    showSides(2);
    ASSERT_TRUE(compared(2));
    const auto left = session_.result, right = session_.right.result;
    session_.compared.choosePreset("paper");
    tick();
    EXPECT_NE(session_.right.result, right); // none, or already the new one
    EXPECT_EQ(session_.result, left);
    ASSERT_TRUE(compared(2));
    EXPECT_NE(session_.right.result, right);
    EXPECT_EQ(session_.result, left); // not made anew
    session_.motion.set("alpha", 1.0);
    tick();
    EXPECT_NE(session_.result, left);
    ASSERT_TRUE(compared(2));
    EXPECT_NE(session_.result, left);
}

TEST_F(SideBySideTest, TheOtherLayoutsHaveOneSide) {
    showSides(2);
    ASSERT_TRUE(compared(2));
    session_.display.layout = Layout::FourUp;
    tick();
    EXPECT_EQ(session_.right.result, nullptr);
    const std::uint64_t estimated = session_.right.estimation.estimated;
    session_.playback.seek(4);
    ASSERT_TRUE(becomes([&] { return session_.result && session_.result->fixedFrame == 4; }));
    EXPECT_EQ(session_.right.estimation.estimated, estimated);
    // Back again: the finished fields are still there.
    session_.playback.seek(2);
    session_.display.layout = Layout::SideBySide;
    ASSERT_TRUE(compared(2));
    EXPECT_EQ(session_.right.estimation.estimated, estimated);
}

TEST_F(SideBySideTest, BothSidesGetTheShownPairWhilePaused) {
    session_.playback.play();
    ASSERT_TRUE(becomes([&] { return session_.estimation.cachedFrames.size() == 6; }));
    session_.compared.setBackend(Backend::Cpu);
    for (const int frame : {1, 5, 3}) {
        showSides(frame); // the right side has nothing yet, the left started from other fields
        ASSERT_TRUE(compared(frame));
    }
    session_.compared.set("alpha", 9.0);
    ASSERT_TRUE(becomes([&] { return session_.right.result == nullptr; }));
    ASSERT_TRUE(compared(3));
}

TEST_F(SideBySideTest, TheWholeCycleIsEstimatedWhilePaused) {
    session_.playback.pause();
    session_.cycle.on = true;
    ASSERT_TRUE(becomes([&] { return session_.cycle.total == 6; }));
    ASSERT_TRUE(becomes([&] { return !session_.cycle.on; }));
    EXPECT_EQ(session_.estimation.cachedFrames, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(session_.playback.frame(), 0);
    EXPECT_EQ(session_.cycle.outcome, "The whole cycle is estimated: 6 pairs.");
    const std::uint64_t estimated = session_.estimation.estimated;
    session_.cycle.on = true; // nothing is left to do
    ASSERT_TRUE(becomes([&] { return !session_.cycle.on; }));
    EXPECT_EQ(session_.estimation.estimated, estimated);
    // Any layout shows these fields.
    session_.display.layout = Layout::ThreeSlices;
    tick();
    EXPECT_EQ(session_.estimation.cachedFrames.size(), 6u);
    showSides(4);
    ASSERT_TRUE(compared(4));
    EXPECT_EQ(session_.estimation.estimated, estimated);
    EXPECT_EQ(session_.estimation.cachedFrames.size(), 6u);
}

TEST_F(SideBySideTest, TheWholeCycleOfBothSidesCanBeCancelled) {
    session_.compared.setBackend(Backend::Cpu);
    showSides(2);
    session_.cycle.on = true;
    ASSERT_TRUE(becomes([&] { return session_.cycle.total == 12; }));
    session_.cycle.on = false;
    tick();
    EXPECT_EQ(session_.cycle.total, 0);
    ASSERT_TRUE(compared(2)); // the shown pair comes first again
    session_.cycle.on = true;
    ASSERT_TRUE(becomes([&] { return !session_.cycle.on; }));
    EXPECT_EQ(session_.estimation.cachedFrames.size(), 6u);
    EXPECT_EQ(session_.right.estimation.cachedFrames.size(), 6u);
}

TEST_F(SideBySideTest, TheCycleOfOneFrameOrOfNothingIsRefused) {
    open("single.nii.gz", 20, 1);
    EXPECT_EQ(whyNoCycle(session_), "the file has one frame");
    session_.cycle.on = true;
    tick();
    EXPECT_FALSE(session_.cycle.on);
    EXPECT_EQ(whyNoCycle(Session()), "no file is open");
}

TEST_F(SideBySideTest, ALayoutTakesNoFinishedFieldAway) {
    session_.playback.play();
    ASSERT_TRUE(becomes([&] { return session_.estimation.cachedFrames.size() == 6; }));
    showSides(2);
    ASSERT_TRUE(compared(2));
    session_.display.layout = Layout::FourUp;
    tick();
    tick();
    EXPECT_EQ(session_.estimation.cachedFrames.size(), 6u);
}

TEST_F(SideBySideTest, ASequenceOpenedMeanwhileIsComparedWithItselfAlone) {
    showSides(2);
    ASSERT_TRUE(compared(2));
    open("other.nii.gz", 20, 4);
    EXPECT_EQ(session_.right.comparison, nullptr);
    showSides(1);
    ASSERT_TRUE(compared(1));
    EXPECT_EQ(session_.right.comparison->millimeters->geometry.size(), (Size3{20, 20, 20}));
}

TEST_F(SideBySideTest, AForeignBackendIsNamedForWhatItIs) {
    if (!session_.cudaDevice.empty())
        GTEST_SKIP() << "there is a CUDA device here";
    session_.compared.setBackend(Backend::Cuda); // as if the device had gone
    showSides(2);
    ASSERT_TRUE(compared(2));
    EXPECT_EQ(session_.right.result->backend, Backend::Cpu);
    ASSERT_TRUE(becomes([&] { return !session_.right.timing.empty(); }));
    EXPECT_THAT(sidesOf(session_).rightLabel, HasSubstr("cpu (not cuda)"));
    EXPECT_THAT(comparisonText(session_), HasSubstr("estimated by\tcpu\tcpu\n"));
}

} // namespace
} // namespace systole
