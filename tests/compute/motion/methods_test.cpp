// Requirements of every motion method: a new one is tested by being in the list.
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "tests/compute/motion/processor_methods.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

using test::Implementation;
using test::onTheProcessor;

class EveryMethod : public testing::TestWithParam<Implementation> {
protected:
    static std::unique_ptr<MotionEstimator> make() {
        const MotionMethod& method = *GetParam().method;
        return method.make(ParamSet(*method.parameters, "default"), GetParam().backend);
    }
    MotionInput input() {
        MotionInput in;
        in.fixed = fixed.view();
        in.moving = moving.view();
        return in;
    }
    static ExecContext contextOf(ExecResources& resources) {
        ExecContext ctx = resources.context();
        ctx.backend = GetParam().backend;
        return ctx;
    }

    static constexpr double shift[3] = {1.4, -0.8, 0.5};
    Size3 size{36, 32, 30};
    TestVolume fixed{size, test::waves};
    TestVolume moving{size, [](double x, double y, double z) {
                          return test::waves(x - shift[0], y - shift[1], z - shift[2]);
                      }};
    ExecResources resources{2};
};

TEST_P(EveryMethod, FindsATranslation) {
    TestField field(size);
    make()->estimate(input(), field.view(), contextOf(resources));
    for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(field.view().componentView(k)(18, 16, 15), shift[k], 0.1);
}

TEST_P(EveryMethod, GivesTheSameBitsForAnyNumberOfThreads) {
    TestField one(size), three(size);
    ExecResources single(1), several(3);
    make()->estimate(input(), one.view(), contextOf(single));
    make()->estimate(input(), three.view(), contextOf(several));
    EXPECT_EQ(one.values, three.values);
}

TEST_P(EveryMethod, ReportsLevelsAndItsOwnStages) {
    TestField field(size);
    KernelProfile profile;
    ExecContext ctx = contextOf(resources);
    ctx.profile = &profile;
    profile.beginFrame(0);
    const MotionReport report = make()->estimate(input(), field.view(), ctx);
    const FrameProfile measured = profile.endFrame();
    ASSERT_FALSE(report.levels.empty());
    EXPECT_EQ(report.levels.back().size, size);
    EXPECT_EQ(report.iterations, report.levels.back().iterations);
    EXPECT_GT(report.iterations, 0);
    EXPECT_EQ(report.energy, report.levels.back().energy);
    const std::vector<std::string> stages = frameStages(*GetParam().method);
    EXPECT_THAT(measured.stages(), testing::Not(testing::IsEmpty()));
    for (const std::string& stage : measured.stages())
        EXPECT_THAT(stages, testing::Contains(stage));
}

TEST_P(EveryMethod, ShowsEachIterationToAnObserverAndIsNotChangedByIt) {
    TestField alone(size), watched(size);
    make()->estimate(input(), alone.view(), contextOf(resources));
    ExecContext ctx = contextOf(resources);
    std::set<int> levels;
    std::vector<float> last;
    ctx.iteration = [&](const IterationState& state) {
        levels.insert(state.level);
        EXPECT_GT(state.iteration, 0);
        EXPECT_TRUE(std::isfinite(state.energy));
        const std::size_t n = state.field.size.voxels();
        last.assign(state.field.u, state.field.u + n);
    };
    const MotionReport report = make()->estimate(input(), watched.view(), ctx);
    EXPECT_EQ(alone.values, watched.values);
    EXPECT_EQ(levels.size(), report.levels.size());
    EXPECT_TRUE(std::equal(last.begin(), last.end(), watched.values.begin()))
        << "the last iteration's field is the result";
}

TEST_P(EveryMethod, RefusesFramesThatDontFit) {
    TestField field(size);
    TestVolume small({8, 8, 8}, test::waves);
    MotionInput wrong = input();
    wrong.moving = small.view();
    EXPECT_THROW(make()->estimate(wrong, field.view(), contextOf(resources)), ComputeError);
    wrong = input();
    wrong.scale = {5, 5};
    EXPECT_THROW(make()->estimate(wrong, field.view(), contextOf(resources)), ComputeError);
    wrong = input();
    wrong.grids = FrameGrids{Geometry(size, {1, 1, 1}), Geometry(size, {1, 1, 2})};
    if (!make()->allowsTwoGrids()) {
        EXPECT_THROW(make()->estimate(wrong, field.view(), contextOf(resources)), ComputeError);
    }
    moving.voxels[1234] = NAN;
    try {
        make()->estimate(input(), field.view(), contextOf(resources));
        FAIL() << "values that aren't numbers were taken";
    } catch (const ComputeError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("moving"));
    }
    for (const float value : field.values)
        ASSERT_EQ(value, 0);
}

TEST_P(EveryMethod, TakesNoMoreMemoryThanItSays) {
    const auto estimator = make();
    const std::size_t estimate = estimator->memoryEstimate(size, input().spacing);
    ExecResources limited(2, estimate);
    TestField field(size);
    EXPECT_NO_THROW(estimator->estimate(input(), field.view(), contextOf(limited)));
    EXPECT_LT(estimate, 100 * sizeof(float) * size.voxels());
}

TEST_P(EveryMethod, CancelledLeavesTheFieldAsItWas) {
    TestField field(size);
    std::fill(field.values.begin(), field.values.end(), 0.25f);
    ExecContext ctx = contextOf(resources);
    ctx.iteration = [&](const IterationState&) { ctx.cancel.cancel(); };
    EXPECT_THROW(make()->estimate(input(), field.view(), ctx), Cancelled);
    for (const float value : field.values)
        ASSERT_EQ(value, 0.25f);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(onTheProcessor()),
                         [](const auto& tested) { return tested.param.label(); });

} // namespace
} // namespace systole
