// Pairs along a sequence with an estimator of the test's own: starts, failures of a device, stages.
#include "compute/core/error.h"
#include "compute/motion/pair_estimator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PairEstimatorTest : public ::testing::Test {
protected:
    PairEstimatorTest() { std::fill_n(frame->voxels.data(), frame->geometry.voxels(), 1.0f); }

    /// Adds something to the starting value.
    class Adder : public MotionEstimator {
    public:
        explicit Adder(PairEstimatorTest& test, float added = 1) : test_(test), added_(added) {}
        MotionReport run(const MotionInput&, FieldView<float> displacement,
                         const ExecContext& ctx) override {
            test_.backends.push_back(ctx.backend);
            if (test_.fails || test_.failsAfter-- == 0)
                throw ComputeError("nothing to hold on to");
            for (std::size_t i = 0; i < displacement.size.voxels(); ++i)
                displacement.u[i] += added_;
            MotionReport report;
            report.levels.resize(2);
            return report;
        }
        std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
        int reach() const override { return 48; }

    private:
        PairEstimatorTest& test_;
        float added_;
    };

    PairSettings settings(Backend backend = Backend::Cpu) {
        PairSettings settings;
        settings.make = [this](Backend) { return std::make_unique<Adder>(*this); };
        settings.backend = backend;
        return settings;
    }
    FramePair pair(int fixed, int moving) { return {frame, frame, fixed, moving}; }
    float found(PairEstimator& pairs, int fixed, int moving, bool warmStart = true) {
        const FrameResult result =
            pairs.estimate(pair(fixed, moving), resources.context(), {.warmStart = warmStart});
        return result.field->view().u[0];
    }

    ExecResources resources{1};
    std::shared_ptr<Volume> frame =
        std::make_shared<Volume>(Geometry({4, 4, 4}, {1, 1, 1}), resources.pool(), "test frame");
    std::vector<Backend> backends;
    bool fails = false;
    int failsAfter = -1; ///< so many estimations; negative: never
    PairEstimator::Hooks noDevice{
        .openDevice = [](const FramePair&) -> std::shared_ptr<CudaContext> {
            throw ComputeError("no device is plugged in");
        }};
};

TEST_F(PairEstimatorTest, AResultNamesThePairFromWhichItsChainStarted) {
    PairEstimator pairs({});
    pairs.begin(settings());
    const auto start = [&](int fixed, int moving, bool warmStart = true) {
        const FrameResult result =
            pairs.estimate(pair(fixed, moving), resources.context(), {.warmStart = warmStart});
        // Each estimation of the chain has added one.
        EXPECT_EQ(result.field->view().u[0], static_cast<float>(fixed - result.startFrame + 1));
        return result.startFrame;
    };
    EXPECT_EQ(start(0, 1), 0);
    EXPECT_EQ(start(1, 2), 0);
    EXPECT_EQ(start(2, 3), 0);
    EXPECT_EQ(start(7, 8), 7);
    EXPECT_EQ(start(8, 0), 7); // the closing pair of a cycle
    EXPECT_EQ(start(0, 1), 0);
    EXPECT_EQ(start(1, 2, false), 1);
    EXPECT_EQ(start(2, 3), 1);
    fails = true;
    EXPECT_THROW(start(3, 4), ComputeError);
    fails = false;
    EXPECT_EQ(start(3, 4), 3);
}

TEST_F(PairEstimatorTest, APairStartsFromTheFieldOfTheOneThatItFollows) {
    PairEstimator pairs({});
    pairs.begin(settings());
    EXPECT_EQ(found(pairs, 0, 1), 1);
    EXPECT_EQ(found(pairs, 1, 2), 2);
    EXPECT_EQ(found(pairs, 2, 3, false), 1); // switched off
    EXPECT_EQ(found(pairs, 3, 4), 2);
    EXPECT_EQ(found(pairs, 7, 8), 1); // a jump
    fails = true;
    EXPECT_THROW(found(pairs, 8, 9), ComputeError);
    fails = false;
    EXPECT_EQ(found(pairs, 8, 9), 1); // no field is reused after a failure
    pairs.begin(settings());
    EXPECT_EQ(found(pairs, 9, 10), 1);
    EXPECT_EQ(pairs.report().levels.size(), 2u);
}

TEST_F(PairEstimatorTest, WhereAStartsErrorGrowsEveryPairAndEveryStepStartsFromRest) {
    PairSettings growing = settings();
    growing.startError = StartError::Grows;
    PairEstimator pairs({});
    pairs.begin(growing);
    for (int fixed = 0; fixed < 3; ++fixed) {
        EXPECT_EQ(found(pairs, fixed, fixed + 1), 1) << fixed;
        EXPECT_TRUE(pairs.startedFromZero());
    }
    EXPECT_EQ(found(pairs, 3, 0), 1) << "the closing pair of a cycle";
    growing.reference = ReferenceMode::First;
    pairs.begin(growing);
    EXPECT_EQ(found(pairs, 0, 1), 1);
    EXPECT_EQ(found(pairs, 0, 2), 1 + 1 + 1) << "the step, and what refines";
    EXPECT_EQ(found(pairs, 0, 3), 3 + 1 + 1);
}

class SinceFirst : public PairEstimatorTest {
protected:
    SinceFirst() {
        PairSettings first = settings();
        first.reference = ReferenceMode::First;
        first.refine = [this](Backend) { return std::make_unique<Adder>(*this, 0.25f); };
        pairs.begin(first);
    }
    PairEstimator pairs{{}};
};

TEST_F(SinceFirst, ItGoesOnFromTheFrameBeforeByTheMotionFromThere) {
    EXPECT_EQ(found(pairs, 0, 1), 1);
    EXPECT_EQ(found(pairs, 0, 2), 1 + 2 + 0.25f); // each step starts from the one before
    EXPECT_EQ(found(pairs, 0, 3), 3.25f + 3 + 0.25f);
    EXPECT_EQ(backends.size(), 5u) << "two estimations a frame after the first";
    EXPECT_EQ(found(pairs, 0, 9), 6.5f + 4 + 0.25f) << "frames may be left out";
    EXPECT_EQ(found(pairs, 0, 12), 10.75f + 1 + 0.25f) << "but then speed isn't known";
}

TEST_F(SinceFirst, AStepThatIsKnownIsNotEstimated) {
    found(pairs, 0, 1);
    FrameResult step;
    auto field = std::make_shared<VectorField>(frame->geometry, resources.pool(), "step");
    std::ranges::fill(field->components.span(), 0.0f);
    std::fill_n(field->view().u, frame->geometry.voxels(), 0.5f);
    step.field = field;
    const FrameResult result = pairs.estimate(pair(0, 2), resources.context(), {.step = &step});
    EXPECT_EQ(result.field->view().u[0], 1 + 0.5f + 0.25f);
    EXPECT_EQ(backends.size(), 2u);
}

TEST_F(SinceFirst, AFirstPairThatIsKnownIsNotEstimated) {
    PairEstimator other({});
    other.begin(settings());
    const FrameResult known = other.estimate(pair(0, 1), resources.context());
    ASSERT_TRUE(pairs.adopt(known));
    EXPECT_EQ(backends.size(), 1u);
    // As in ItGoesOnFromTheFrameBeforeByTheMotionFromThere.
    EXPECT_EQ(found(pairs, 0, 2), 1 + 2 + 0.25f);
    EXPECT_EQ(found(pairs, 0, 3), 3.25f + 3 + 0.25f);
    PairSettings onDevice = settings(Backend::Cuda);
    onDevice.reference = ReferenceMode::First;
    pairs.begin(onDevice);
    EXPECT_FALSE(pairs.adopt(known)) << "it lies on the host";
}

TEST_F(SinceFirst, ItBeginsAnewFromAnotherFrameAndWhenAsked) {
    found(pairs, 0, 1);
    EXPECT_EQ(found(pairs, 3, 4), 1);
    EXPECT_EQ(found(pairs, 3, 5), 3.25f);
    EXPECT_EQ(found(pairs, 3, 6, false), 1);
}

TEST_F(SinceFirst, WhatFailedOrWasCancelledLeavesNoTrace) {
    found(pairs, 0, 1);
    found(pairs, 0, 2);
    for (const int after : {0, 1}) { // the step, and what refines
        failsAfter = after;
        EXPECT_THROW(found(pairs, 0, 3), ComputeError);
    }
    failsAfter = -1;
    EXPECT_EQ(found(pairs, 0, 3), 3.25f + 3 + 0.25f);
}

/// Gray values rise by one per voxel, so that a motion along x is off by what it leaves of them.
class AlsoFromRest : public PairEstimatorTest {
protected:
    AlsoFromRest() { begin(StartError::SmoothStays); }
    void begin(StartError error) {
        PairSettings first = settings();
        first.reference = ReferenceMode::First;
        first.refine = [this](Backend) { return std::make_unique<Adder>(*this, 0.25f); };
        first.startError = error;
        pairs.begin(first);
    }
    /// The motion found from frame 0 into `moving`, where tissue has gone as far as `truth`.
    float found(int moving, float truth) {
        const auto ramp = [&](float shift) {
            auto image =
                std::make_shared<Volume>(Geometry({24, 3, 3}, {1, 1, 1}), resources.pool(), "ramp");
            for (int z = 0; z < 3; ++z)
                for (int y = 0; y < 3; ++y)
                    for (int x = 0; x < 24; ++x)
                        image->view()(x, y, z) = static_cast<float>(x) - shift;
            return image;
        };
        const FrameResult result =
            pairs.estimate({ramp(0), ramp(truth), 0, moving}, resources.context(), {});
        return result.field->view().u[0];
    }
    PairEstimator pairs{{}};
};

TEST_F(AlsoFromRest, TheMotionThatLeavesTheSmallerResidualCountsAndIsGoneOnFrom) {
    EXPECT_EQ(found(1, 1), 1);
    // Steps find 2, 3, … voxels and refinement 0.25, from rest 1 is found.
    EXPECT_EQ(found(2, 3), 1 + 2 + 0.25f) << "the chain is nearer";
    EXPECT_EQ(found(3, 1.5f), 1) << "rest is nearer";
    EXPECT_EQ(backends.size(), 7u) << "three estimations a frame after the first";
    EXPECT_EQ(found(4, 6), 1 + 4 + 0.25f) << "goes on from rest; steps from frame to frame don't";
}

TEST_F(AlsoFromRest, WhereErrorsStayTheChainMustBeNearerAndOfAFluidClearlyNearer) {
    const float chain = 1 + 1 + 0.25f; // its steps start from rest
    found(1, 1);
    EXPECT_EQ(found(2, 2.13f), 1 + 2 + 0.25f) << "off by 1.12; from rest by 1.13";
    begin(StartError::Stays);
    found(1, 1);
    EXPECT_EQ(found(2, 2.13f), 1) << "the same";
    EXPECT_EQ(found(3, 2.645f), 1 + 3 + 0.25f) << "off by 1.605; from rest by 1.645";
    begin(StartError::Grows);
    found(1, 1);
    EXPECT_EQ(found(2, 1.63f), 1) << "off by 0.63; the chain by 0.62";
    EXPECT_EQ(found(3, 1.7f), chain) << "off by 0.55; from rest by 0.7";
}

TEST_F(AlsoFromRest, WhereAStartsErrorStaysTheClosingPairStartsFromRest) {
    for (const StartError error : {StartError::SmoothStays, StartError::Stays}) {
        PairSettings staying = settings();
        staying.startError = error;
        pairs.begin(staying);
        const auto step = [&](int fixed, int moving) {
            return PairEstimatorTest::found(pairs, fixed, moving);
        };
        EXPECT_EQ(step(0, 1), 1);
        EXPECT_EQ(step(1, 2), 2);
        EXPECT_EQ(step(2, 0), 1);
        EXPECT_TRUE(pairs.startedFromZero());
    }
}

TEST_F(PairEstimatorTest, WithoutADeviceItIsDoneOnTheCpuWhichIsSaid) {
    PairEstimator pairs(noDevice);
    pairs.begin(settings(Backend::Cuda));
    EXPECT_EQ(pairs.path(), EstimationPath::Device);
    const FrameResult result = pairs.estimate(pair(0, 1), resources.context());
    EXPECT_EQ(result.backend, Backend::Cpu);
    EXPECT_EQ(backends, std::vector{Backend::Cpu});
    EXPECT_EQ(pairs.path(), EstimationPath::Cpu);
    EXPECT_EQ(pairs.fallbackReason(), "on the CPU instead: no device is plugged in");
    EXPECT_EQ(pairs.device(), nullptr);
    pairs.begin(settings(Backend::CpuReference));
    EXPECT_EQ(pairs.estimate(pair(1, 2), resources.context()).backend, Backend::CpuReference);
    EXPECT_EQ(pairs.fallbackReason(), "");
}

TEST_F(PairEstimatorTest, AskedForTheDeviceAloneItsLackIsAnError) {
    PairEstimator pairs(noDevice);
    PairSettings strict = settings(Backend::Cuda);
    strict.mayUseCpu = false;
    pairs.begin(strict);
    try {
        pairs.estimate(pair(0, 1), resources.context());
        FAIL();
    } catch (const ComputeError& error) {
        EXPECT_STREQ(error.what(), "no device is plugged in");
    }
    EXPECT_TRUE(backends.empty());
}

TEST_F(PairEstimatorTest, StagesFollowWithTheirParameters) {
    PairEstimator pairs({});
    PairSettings measured = settings();
    measured.stages = {"jacobian", "jacobian:threshold=1"};
    pairs.begin(measured);
    const FrameResult result = pairs.estimate(pair(0, 1), resources.context());
    ASSERT_EQ(result.figures.size(), 4u);
    EXPECT_EQ(result.figures[0].name, "folded voxels");
    EXPECT_EQ(result.figures[0].unit, "%");
    EXPECT_EQ(result.figures[0].value, 0);
    EXPECT_EQ(result.figures[1].value, 1);
    EXPECT_EQ(result.figures[2].value, 100);
    EXPECT_TRUE(std::any_of(result.profile.spans.begin(), result.profile.spans.end(),
                            [](const ProfileSpan& span) { return span.stage == "jacobian"; }));
}

TEST(ChosenStages, RefuseWhatThereIsNot) {
    const auto message = [](const std::string& text) {
        try {
            chosenStages({text});
        } catch (const ComputeError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message("jacobian"), "");
    EXPECT_THAT(message("jacobi"), AllOf(HasSubstr("'jacobi'"), HasSubstr("jacobian")));
    EXPECT_THAT(message("jacobian:threshold"), HasSubstr("ID=VALUE"));
    EXPECT_THAT(message("jacobian:"), HasSubstr("ID=VALUE"));
    EXPECT_NE(message("jacobian:depth=3"), "");
    EXPECT_NE(message("jacobian:threshold=300"), "");
}

} // namespace
} // namespace systole
