// The free-form deformation on a device against the CPU: the same bits, with masks and on two
// grids, and run after run; its iterations.
#include "compute/core/error.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/ops/bspline_field.h"
#include "tests/compute/methods/family_pair.h"
#include "tests/support/gpu_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

struct FfdCase {
    const char* similarity;
    double elasticity, jacobian;
    bool masks, twoGrids, started;
};

class FfdOnDevice : public test::OnDevice, public testing::WithParamInterface<FfdCase> {
protected:
    static FfdParameters parameters(int iterations) {
        ParamSet values(*ffdMethod().parameters, "default");
        values.setText("similarity", GetParam().similarity);
        values.set("elasticity", GetParam().elasticity);
        values.set("jacobian", GetParam().jacobian);
        values.set("iterations", iterations);
        return FfdParameters::from(values);
    }
    MotionInput input() {
        MotionInput in;
        in.fixed = fixed.view();
        in.moving = GetParam().twoGrids ? other.view() : moving.view();
        if (GetParam().twoGrids)
            in.grids = FrameGrids{Geometry(size, {1, 1, 1}),
                                  Geometry(other.size, {1.1, 0.9, 1.3}, {-1, -1, -1})};
        if (GetParam().masks) {
            in.fixedMask = fixedMask.view();
            if (!GetParam().twoGrids)
                in.movingMask = movingMask.view();
        }
        return in;
    }
    std::vector<float> estimate(Backend backend, int iterations) {
        TestField field(size);
        if (GetParam().started)
            std::fill_n(field.values.begin(), size.voxels(), 0.5f);
        ExecContext ctx = context();
        ctx.backend = backend;
        makeFfd(parameters(iterations), backend)->estimate(input(), field.view(), ctx);
        return field.values;
    }

    Size3 size{34, 29, 27};
    TestVolume fixed{size, test::waves};
    TestVolume moving{size, [](double x, double y, double z) {
                          return test::waves(x - 1.1 + 0.4 * std::sin(0.2 * y), y + 0.6, z - 0.3);
                      }};
    TestVolume other{{36, 38, 24}, [](double x, double y, double z) {
                         return test::waves(1.1 * x - 2, 0.9 * y - 0.5, 1.3 * z - 1.2);
                     }};
    TestVolume fixedMask{size, [](double x, double, double) { return x < 25 ? 1 : 0; }};
    TestVolume movingMask{size, [](double, double y, double) { return y > 4 ? 1 : 0; }};
};

TEST_P(FfdOnDevice, GivesTheBitsOfTheCpu) {
    const std::vector<float> cpu = estimate(Backend::Cpu, 100);
    EXPECT_EQ(cpu, estimate(Backend::Cuda, 100));
    EXPECT_GT(*std::ranges::max_element(cpu), 0.3);
}

TEST_P(FfdOnDevice, GivesTheSameBitsAgain) {
    EXPECT_EQ(estimate(Backend::Cuda, 20), estimate(Backend::Cuda, 20));
}

INSTANTIATE_TEST_SUITE_P(Cases, FfdOnDevice,
                         testing::Values(FfdCase{"ssd", 0, 0, false, false, false},
                                         FfdCase{"nmi", 0, 0, false, false, false},
                                         FfdCase{"lncc", 0, 0, false, false, false},
                                         FfdCase{"ssd", 0.1, 0, true, false, false},
                                         FfdCase{"nmi", 0, 0.1, true, true, false},
                                         FfdCase{"lncc", 0, 0.5, false, false, true},
                                         FfdCase{"lncc", 0, 0, true, false, true},
                                         FfdCase{"lncc", 0, 0, false, true, true}));

class FfdOnTheFamily : public test::OnDevice, public testing::WithParamInterface<PhantomLookRow> {};

/// Whole runs on hearts of cubes and of higher voxels.
TEST_P(FfdOnTheFamily, EveryPresetGivesTheBitsOfTheCpu) {
    for (const std::uint64_t seed : {1, 2}) {
        test::FamilyPair pair(GetParam().name, seed, resources.context());
        const MotionInput input = pair.input();
        for (const std::string& preset : ffdMethod().parameters->presets()) {
            const auto field = [&](Backend backend) {
                TestField found(pair.size());
                ExecContext ctx = context();
                ctx.backend = backend;
                makeFfd(FfdParameters::from(ParamSet(*ffdMethod().parameters, preset)), backend)
                    ->estimate(input, found.view(), ctx);
                return found.values;
            };
            const std::vector<float> cpu = field(Backend::Cpu);
            EXPECT_EQ(cpu, field(Backend::Cuda)) << preset << " " << seed;
            EXPECT_GT(std::abs(*std::max_element(cpu.begin(), cpu.end())), 0.2) << preset;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Looks, FfdOnTheFamily, testing::ValuesIn(phantomLooks()),
                         [](const auto& info) { return std::string(info.param.name); });

class FfdDevice : public test::OnDevice {};

TEST_F(FfdDevice, ShowsItsControlPointsAndIsNotChangedByIt) {
    const Size3 size{34, 29, 27};
    TestVolume fixed(size, test::waves),
        moving(size, [](double x, double y, double z) { return test::waves(x - 1, y, z + 0.5); });
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    TestField alone(size), watched(size), spline(size);
    const auto estimator =
        makeFfd(FfdParameters::from(ParamSet(*ffdMethod().parameters, "default")), Backend::Cuda);
    estimator->estimate(input, alone.view(), context());
    ExecContext ctx = context();
    int seen = 0;
    double penalty = 0;
    ctx.iteration = [&](const IterationState& state) {
        EXPECT_EQ(state.controlPoints.grid.image, state.field.size);
        penalty = estimator->observedPenalty();
        ++seen;
    };
    const MotionReport report = estimator->estimate(input, watched.view(), ctx);
    EXPECT_EQ(penalty, findFigure(report.levels.back().figures, "penalty")->value);
    EXPECT_GT(penalty, 0);
    EXPECT_GT(seen, 2);
    EXPECT_EQ(alone.values, watched.values);
    bsplineField(estimator->controlPoints(), spline.view(), resources.context());
    EXPECT_LT(test::largestDifference(spline.values, watched.values), 1e-4);
}

TEST_F(FfdDevice, RefusesFramesWithoutNumbersAndImagesApart) {
    const Size3 size{20, 18, 16};
    TestVolume fixed(size, test::waves), moving(size, test::waves);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    input.grids = FrameGrids{Geometry(size, {1, 1, 1}), Geometry(size, {1, 1, 1}, {200, 0, 0})};
    TestField field(size);
    const auto estimator =
        makeFfd(FfdParameters::from(ParamSet(*ffdMethod().parameters, "default")), Backend::Cuda);
    EXPECT_THROW(estimator->estimate(input, field.view(), context()), ComputeError);
    input.grids.reset();
    moving.voxels[77] = NAN;
    EXPECT_THROW(estimator->estimate(input, field.view(), context()), ComputeError);
    for (const float v : field.values)
        ASSERT_EQ(v, 0);
}

} // namespace
} // namespace systole
