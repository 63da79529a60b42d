// A left ventricle measured while fields arrive: times where frames are missing, and the cycle
// closed, against what a rigid motion must give.
#include "app/features/cardiac/live_strain.h"
#include "app/features/cardiac/strain_figures.h"
#include "compute/core/points.h"
#include "compute/surface/segment.h"
#include "io/phantom/phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace systole {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

class LiveStrainTest : public ::testing::Test {
protected:
    LiveStrainTest() {
        PhantomOptions options;
        options.size = {32, 32, 32};
        const Phantom phantom(options);
        grid_ = phantom.geometry();
        LabelMap labels;
        for (const std::uint8_t label : phantom.labels(0, ctx_))
            labels.push_back(label == static_cast<std::uint8_t>(PhantomTissue::Wall) ? wallLabel
                             : label == static_cast<std::uint8_t>(PhantomTissue::Blood)
                                 ? chamberLabel
                                 : 0);
        task_.ventricle = task_.motion = 1;
        task_.labels = std::make_shared<const LabelMap>(std::move(labels));
        task_.grid = grid_;
        task_.options = measureOptions(ParamSet(strainTable()));
    }

    std::shared_ptr<const FrameResult> shift(int from, int to, Vec3 millimeters) {
        auto field = std::make_shared<VectorField>(grid_, *ctx_.pool, "shift");
        const Vec3 voxels = grid_.physicalVectorToVoxel(millimeters);
        for (int axis = 0; axis < 3; ++axis)
            for (float& part : field->view().componentView(axis).span())
                part = static_cast<float>(voxels[axis]);
        auto result = std::make_shared<FrameResult>();
        result->field = field;
        result->fixedFrame = from;
        result->movingFrame = to;
        return result;
    }
    StrainOutcome run() {
        StrainOutcome made;
        ExecContext own = ctx_;
        work_.run(task_, made, own);
        task_.fresh.clear();
        task_.steps.clear();
        return made;
    }

    ExecResources resources_{2};
    ExecContext ctx_ = resources_.context();
    Geometry grid_;
    LiveStrainTask task_;
    LiveStrainWork work_;
};

TEST_F(LiveStrainTest, TimesAreThoseOfTheWholeBeatWhileFramesAreMissing) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    task_.endDiastole = 3;
    for (const bool known : {true, false}) {
        ++task_.motion;
        task_.seconds =
            known ? std::vector<double>{0, 0.1, 0.25, 0.3, 0.4} : std::vector<double>(5, unknown);
        task_.fresh = {shift(0, 3, {1, 0, 0}), shift(0, 1, {0, 1, 0})};
        const StrainOutcome some = run();
        EXPECT_THAT(some.motion.frame, ElementsAre(3, 0, 1));
        // A beat of 0.5 s, or of five frames.
        EXPECT_THAT(TimeAxis(some).values,
                    Pointwise(DoubleNear(1e-9), known ? std::vector<double>{0, 200, 300}
                                                      : std::vector<double>{3, 5, 6}));
        task_.fresh = {shift(0, 2, {0, 0, 1}), shift(0, 4, {0, 0, 2})};
        const StrainOutcome all = run();
        EXPECT_THAT(all.motion.frame, ElementsAre(3, 4, 0, 1, 2));
        EXPECT_THAT(TimeAxis(all).values,
                    Pointwise(DoubleNear(1e-9), known ? std::vector<double>{0, 100, 200, 300, 450}
                                                      : std::vector<double>{3, 4, 5, 6, 7}));
    }
}

TEST_F(LiveStrainTest, WhatRemainsAfterTheCycleIsFoundAndTakenOff) {
    const std::vector<Vec3> since{{}, {1, 0, 0}, {2, 1, 0}, {1, 1, 0.5}};
    task_.seconds = {0, 0.1, 0.3, 0.45}; // a beat of 0.6 s
    for (int frame = 1; frame < 4; ++frame)
        task_.fresh.push_back(shift(0, frame, since[static_cast<std::size_t>(frame)]));
    EXPECT_TRUE(std::isnan(run().residual.measured));
    task_.steps = {shift(0, 1, {1.5, 0, 0}), shift(1, 2, {1, 1, 0}), shift(2, 3, {0, 0, 1}),
                   shift(3, 0, {-1, -1, -1})};
    const StrainOutcome open = run();
    EXPECT_NEAR(open.residual.steps, 1.5, 1e-4);    // (1.5, 0, 0)
    EXPECT_NEAR(open.residual.measured, 0.5, 1e-4); // (1, 1, 0.5) − (1, 1, 1)
    EXPECT_FALSE(open.residual.closed);
    task_.closeCycle = true;
    const StrainOutcome closed = run();
    EXPECT_TRUE(closed.residual.closed);
    for (std::size_t t = 0; t < since.size(); ++t) {
        const Vec3 expected = since[t] + (task_.seconds[t] / 0.6) * Vec3{0, 0, 0.5};
        EXPECT_NEAR(length(widened(closed.motion.wall[t][7]) - expected), 0, 1e-4) << t;
        EXPECT_NEAR(length(widened(open.motion.wall[t][7]) - since[t]), 0, 1e-4) << t;
    }
    ++task_.motion; // nothing of it is known of another motion
    EXPECT_TRUE(std::isnan(run().residual.measured));
}

} // namespace
} // namespace systole
