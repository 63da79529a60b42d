// The free-form deformation as a whole: recovers splines and translations, on one grid and on two,
// with masks, on thin and thick volumes.
#include "compute/core/error.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/reduce.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

FfdParameters parametersFor(const std::string& similarity) {
    ParamSet values(*ffdMethod().parameters, "default");
    values.setText("similarity", similarity);
    values.setText("bending", "1");
    return FfdParameters::from(values);
}

/// Mean |difference| of two fields over voxels at least `margin` from the border, in voxels.
double meanError(FieldView<const float> a, FieldView<const float> b, int margin) {
    double sum = 0;
    int count = 0;
    for (int z = margin; z < a.size.z - margin; ++z)
        for (int y = margin; y < a.size.y - margin; ++y)
            for (int x = margin; x < a.size.x - margin; ++x) {
                double squared = 0;
                for (int axis = 0; axis < 3; ++axis) {
                    const double d = static_cast<double>(a.componentView(axis)(x, y, z) -
                                                         b.componentView(axis)(x, y, z));
                    squared += d * d;
                }
                sum += std::sqrt(squared);
                ++count;
            }
    return sum / count;
}

class EachSimilarity : public testing::TestWithParam<const char*> {};

TEST_P(EachSimilarity, RecoversASplineDeformation) {
    const Size3 size{40, 36, 32};
    const ControlGrid grid{size, {10, 10, 10}};
    TestField points(grid.points()), truth(size), found(size);
    for (std::size_t i = 0; i < points.values.size(); ++i)
        points.values[i] = static_cast<float>(
            1.8 * std::sin(0.9 * static_cast<double>(i) + 0.3 * static_cast<double>(i % 7)));
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    bsplineField({points.view(), grid}, truth.view(), ctx);
    TestVolume moving(size, test::waves), fixed(size, [&](double x, double y, double z) {
        const std::size_t i =
            moving.view().offset(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
        const FieldView<float> d = truth.view();
        return test::waves(x + static_cast<double>(d.u[i]), y + static_cast<double>(d.v[i]),
                           z + static_cast<double>(d.w[i]));
    });
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    TestField zero(size);
    const auto estimator = makeFfd(parametersFor(GetParam()), Backend::Cpu);
    const MotionReport report = estimator->estimate(input, found.view(), ctx);
    const double before = meanError(zero.view(), truth.view(), 4);
    EXPECT_GT(before, 1.0);
    EXPECT_LT(meanError(found.view(), truth.view(), 4), 0.1 * before);
    // The control points are the field's.
    TestField again(size);
    bsplineField(estimator->controlPoints(), again.view(), ctx);
    EXPECT_EQ(again.values, found.values);
    EXPECT_EQ(report.levels.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Similarities, EachSimilarity, testing::Values("ssd", "nmi", "lncc"));

class Ffd : public testing::Test {
protected:
    static FfdParameters parameters(const std::string& similarity = "nmi") {
        return parametersFor(similarity);
    }
    MotionReport estimate(const MotionInput& input, TestField& field,
                          Backend backend = Backend::Cpu, const std::string& similarity = "nmi") {
        ExecContext ctx = resources.context();
        ctx.backend = backend;
        return makeFfd(parameters(similarity), backend)->estimate(input, field.view(), ctx);
    }
    MotionInput shifted() {
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        return input;
    }

    Size3 size{34, 30, 26};
    TestVolume fixed{size, test::waves};
    TestVolume moving{
        size, [](double x, double y, double z) { return test::waves(x - 1.2, y + 0.7, z - 0.4); }};
    ExecResources resources{2};
};

TEST_F(Ffd, PlainLoopsAndSimdAgree) {
    for (const char* similarity : {"ssd", "nmi", "lncc"}) {
        FfdParameters few = parameters(similarity);
        // Rounding decides when a line search is content: later iterations drift apart.
        few.descent.iterations = 1;
        TestField simd(size), plain(size);
        const auto run = [&](Backend backend, TestField& field) {
            ExecContext ctx = resources.context();
            ctx.backend = backend;
            makeFfd(few, backend)->estimate(shifted(), field.view(), ctx);
        };
        run(Backend::Cpu, simd);
        run(Backend::CpuReference, plain);
        EXPECT_LT(meanError(simd.view(), plain.view(), 0), 5e-3) << similarity;
        EXPECT_GT(std::abs(simd.view().componentView(0)(17, 15, 13)), 0.5) << similarity;
    }
}

/// The moving image has voxels of 1.3 × 1.1 × 1.6 mm, turned and moved against the fixed one.
TEST_F(Ffd, FindsTheMotionBetweenTwoGrids) {
    const double c = std::cos(0.3), s = std::sin(0.3);
    const Geometry fixedGrid(size, {1, 1, 1}, {10, -20, 5});
    const Geometry movingGrid({40, 44, 26}, {1.3, 1.1, 1.6}, {6, -30, 0},
                              {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}});
    const Vec3 motion{1.2, -0.7, 0.4}; // mm
    TestVolume other(movingGrid.size(), [&](double x, double y, double z) {
        const Vec3 there =
            fixedGrid.physicalToIndex(movingGrid.indexToPhysical({x, y, z}) - motion);
        return test::waves(there.x, there.y, there.z);
    });
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = other.view();
    input.grids = FrameGrids{fixedGrid, movingGrid};
    TestField field(size);
    estimate(input, field);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(field.view().componentView(axis)(17, 15, 13), motion[axis], 0.15);
}

TEST_F(Ffd, StartsFromAMotionAndAddsItsSpline) {
    TestField found(size), spline(size);
    for (std::size_t i = 0; i < size.voxels(); ++i)
        found.values[i] = 1.0f + 0.01f * static_cast<float>(i % static_cast<std::size_t>(size.x));
    const std::vector<float> start = found.values;
    const auto estimator = makeFfd(parameters(), Backend::Cpu);
    estimator->estimate(shifted(), found.view(), resources.context());
    bsplineField(estimator->controlPoints(), spline.view(), resources.context());
    for (std::size_t i = 0; i < start.size(); ++i)
        ASSERT_EQ(found.values[i], spline.values[i] + start[i]);
    EXPECT_NEAR(found.view().componentView(0)(17, 15, 13), 1.2, 0.1);
    EXPECT_NEAR(found.view().componentView(1)(17, 15, 13), -0.7, 0.1);
}

TEST_F(Ffd, IgnoresWhatTheMasksHide) {
    TestField clean(size), spoilt(size), masked(size);
    estimate(shifted(), clean);
    TestVolume fixedMask(size, [](double x, double, double) { return x < 22 ? 1 : 0; });
    TestVolume movingMask(size, [](double x, double, double) { return x < 24 ? 1 : 0; });
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 25; x < size.x; ++x)
                fixed.view()(x, y, z) = static_cast<float>(test::waves(x + 4.0, y - 3.0, z));
    MotionInput input = shifted();
    estimate(input, spoilt);
    input.fixedMask = fixedMask.view();
    input.movingMask = movingMask.view();
    estimate(input, masked);
    const auto at = [](TestField& field) { return field.view().componentView(0)(18, 15, 13); };
    EXPECT_NEAR(at(masked), 1.2, 0.15);
    EXPECT_LT(std::abs(at(masked) - 1.2f), std::abs(at(spoilt) - 1.2f) + 0.05f);
    MotionInput hidden = shifted();
    TestVolume none(size, [](double, double, double) { return 0; });
    hidden.fixedMask = none.view();
    EXPECT_THROW(estimate(hidden, masked), ComputeError);
}

TEST_F(Ffd, ShowsControlPointsWhoseEnergyFalls) {
    ExecContext ctx = resources.context();
    int level = -1;
    double last = 0;
    const auto estimator = makeFfd(parameters(), Backend::Cpu);
    std::vector<double> penalties; // values at the end of each level
    ctx.iteration = [&](const IterationState& state) {
        ASSERT_FALSE(state.controlPoints.empty());
        if (state.level != level)
            penalties.push_back(0);
        penalties.back() = estimator->observedPenalty();
        EXPECT_EQ(state.controlPoints.grid.image, state.field.size);
        EXPECT_EQ(state.controlPoints.values.size, state.controlPoints.grid.points());
        if (state.level == level) {
            EXPECT_LE(state.energy, last);
        }
        level = state.level;
        last = state.energy;
    };
    TestField field(size);
    const MotionReport report = estimator->estimate(shifted(), field.view(), ctx);
    EXPECT_EQ(level, 0);
    EXPECT_EQ(report.energy, last);
    ASSERT_EQ(penalties.size(), report.levels.size());
    for (std::size_t i = 0; i < penalties.size(); ++i)
        EXPECT_EQ(penalties[i], findFigure(report.levels[i].figures, "penalty")->value) << i;
    EXPECT_GT(penalties.back(), 0);
    const Figure* similarity = findFigure(report.levels.back().figures, "similarity");
    const Figure* penalty = findFigure(report.levels.back().figures, "penalty");
    ASSERT_TRUE(similarity && penalty);
    EXPECT_NEAR(report.energy, penalty->value - similarity->value, 1e-9);
}

TEST_F(Ffd, GivesASoundFieldForImagesWithLittleInThem) {
    for (const char* similarity : {"ssd", "nmi", "lncc"})
        for (const Size3 small :
             {Size3{30, 28, 1}, Size3{40, 1, 1}, Size3{2, 3, 2}, Size3{9, 8, 7}})
            for (const bool constant : {false, true}) {
                TestVolume a(small, [&](double x, double y, double z) {
                    return constant ? 100 : test::waves(x, y, z);
                });
                TestVolume b(small, [&](double x, double y, double z) {
                    return constant ? 100 : test::waves(x - 0.5, y, z);
                });
                MotionInput input;
                input.fixed = a.view();
                input.moving = b.view();
                TestField field(small);
                estimate(input, field, Backend::Cpu, similarity);
                for (const float v : field.values) {
                    ASSERT_TRUE(std::isfinite(v)) << similarity << small.x;
                    ASSERT_LT(std::abs(v), constant ? 1e-3f : 6.0f) << similarity << small.x;
                }
            }
}

TEST_F(Ffd, TakesThickSlices) {
    const Size3 slices{48, 44, 6};
    TestVolume a(slices, [](double x, double y, double z) { return test::waves(x, y, 14 * z); });
    TestVolume b(slices,
                 [](double x, double y, double z) { return test::waves(x - 1.5, y + 1, 14 * z); });
    MotionInput input;
    input.fixed = a.view();
    input.moving = b.view();
    input.spacing = {0.7, 0.7, 10};
    TestField field(slices);
    const auto estimator = makeFfd(parameters(), Backend::Cpu);
    estimator->estimate(input, field.view(), resources.context());
    EXPECT_EQ(estimator->controlPoints().grid.tile, (Size3{5, 5, 1}));
    EXPECT_NEAR(field.view().componentView(0)(24, 22, 3), 1.5, 0.15);
    EXPECT_NEAR(field.view().componentView(1)(24, 22, 3), -1, 0.15);
}

TEST_F(Ffd, RefusesImagesThatDontOverlapInSpace) {
    MotionInput input = shifted();
    input.grids = FrameGrids{Geometry(size, {1, 1, 1}), Geometry(size, {1, 1, 1}, {200, 0, 0})};
    TestField field(size);
    EXPECT_THROW(estimate(input, field), ComputeError);
    for (const float v : field.values)
        ASSERT_EQ(v, 0);
}

TEST_F(Ffd, SmoothsLessWhereTheImagesAgree) {
    // The pair with noise: a level's weight is the fraction that remains unexplained.
    const auto sharesOf = [&](float noise) {
        TestVolume first = fixed, second = moving;
        for (std::size_t i = 0; i < first.voxels.size(); ++i) {
            first.voxels[i] += noise * normalPair(randomBits(1, 0, i)).first;
            second.voxels[i] += noise * normalPair(randomBits(2, 0, i)).first;
        }
        MotionInput input = shifted();
        input.fixed = first.view();
        input.moving = second.view();
        TestField field(size);
        const MotionReport report = makeFfd(parameters("lncc"), Backend::Cpu)
                                        ->estimate(input, field.view(), resources.context());
        std::vector<double> shares;
        for (const MotionReport::Level& level : report.levels)
            for (const auto& figure : level.figures)
                if (figure.name == "unexplained")
                    shares.push_back(figure.value);
        return shares;
    };
    const std::vector<double> clean = sharesOf(0), noisy = sharesOf(60);
    ASSERT_EQ(clean.size(), noisy.size());
    ASSERT_FALSE(clean.empty());
    for (const double share : clean) {
        EXPECT_GE(share, 1 / 6.0);
        EXPECT_LE(share, 1);
    }
    EXPECT_LT(clean.back(), 0.3);
    EXPECT_GT(noisy.back(), 0.6);
}

TEST_F(Ffd, PenaltyOfVolumeChangeKeepsVolumes) {
    TestVolume larger(size, [](double x, double y, double z) {
        return test::waves(17 + 1.2 * (x - 17), 15 + 1.2 * (y - 15), 13 + 1.2 * (z - 13));
    });
    MotionInput input = shifted();
    input.moving = larger.view();
    const auto change = [&](double weight) {
        FfdParameters p = parameters();
        p.jacobian = weight;
        TestField field(size);
        makeFfd(p, Backend::Cpu)->estimate(input, field.view(), resources.context());
        double sum = 0;
        int voxels = 0;
        for (int z = 6; z < size.z - 6; ++z)
            for (int y = 6; y < size.y - 6; ++y)
                for (int x = 6; x < size.x - 6; ++x, ++voxels)
                    sum += std::abs(jacobianDeterminant(field.view(), x, y, z) - 1);
        return sum / voxels;
    };
    EXPECT_GT(change(0), 0.3);
    EXPECT_LT(change(10), 0.5 * change(0));
}

} // namespace
} // namespace systole
