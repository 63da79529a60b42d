// Steps that would fold, against linear maps and determinants in double precision.
#include "compute/ops/exponential.h"
#include "compute/ops/fold_math.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"
#include "tests/support/compute_support.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

/// Noise smoothed over `sigma` voxels, its steepest edge `steepest`.
TestField smoothNoise(Size3 size, double sigma, float steepest, std::uint64_t seed,
                      const ExecContext& ctx) {
    TestField field(size);
    field.values = test::noiseVolume({size.x, size.y, 3 * size.z}, seed).voxels;
    for (int k = 0; k < 3 && sigma > 0; ++k) {
        const VolumeView<float> v = field.view().componentView(k);
        smoothGaussian(v, v, {sigma, sigma, sigma}, ctx);
    }
    const float now = steepness(field.view(), ctx);
    for (float& value : field.values)
        value *= steepest / now;
    return field;
}

/// det(I + ∇w) of the trilinear field between eight voxels at a position in [0, 1]³, from the
/// derivative of the interpolation.
double determinantIn(FieldView<const float> field, const int (&first)[3], const Vec3& at) {
    Eigen::Matrix3d m = Eigen::Matrix3d::Identity();
    for (int corner = 0; corner < 8; ++corner) {
        double weight[3], slope[3];
        int voxel[3];
        bool inGrid = true;
        for (int axis = 0; axis < 3; ++axis) {
            const bool far = (corner >> axis & 1) != 0, flat = field.size[axis] == 1;
            voxel[axis] = first[axis] + (far ? 1 : 0);
            weight[axis] = flat ? 1 : far ? at[axis] : 1 - at[axis];
            slope[axis] = flat ? 0 : far ? 1 : -1;
            inGrid = inGrid && voxel[axis] < field.size[axis];
        }
        for (int k = 0; k < 3 && inGrid; ++k) {
            const double value =
                static_cast<double>(field.componentView(k)(voxel[0], voxel[1], voxel[2]));
            for (int axis = 0; axis < 3; ++axis)
                m(k, axis) += value * slope[axis] * weight[(axis + 1) % 3] * weight[(axis + 2) % 3];
        }
    }
    return m.determinant();
}

/// The least of them over a cell's corners and over (parts + 1)³ positions in it.
struct MinInCell {
    MinInCell(FieldView<const float> field, int x, int y, int z) {
        for (int k = 0; k <= parts; ++k)
            for (int j = 0; j <= parts; ++j)
                for (int i = 0; i <= parts; ++i) {
                    const double value =
                        determinantIn(field, {x, y, z},
                                      {i / double(parts), j / double(parts), k / double(parts)});
                    anywhere = std::min(anywhere, value);
                    if (i % parts == 0 && j % parts == 0 && k % parts == 0)
                        atCorners = std::min(atCorners, value);
                }
    }
    static constexpr int parts = 2;
    double atCorners = INFINITY, anywhere = INFINITY;
};

double minDeterminant(FieldView<const float> field) {
    double least = INFINITY;
    for (int z = 0; z < folds::cellsAlong(field.size.z); ++z)
        for (int y = 0; y < folds::cellsAlong(field.size.y); ++y)
            for (int x = 0; x < folds::cellsAlong(field.size.x); ++x)
                least = std::min(least, MinInCell(field, x, y, z).anywhere);
    return least;
}

TEST(Exponential, NoFieldWithoutFoldsHasALowDeterminantBetweenItsVoxels) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    int folded = 0, smooth = 0;
    for (const Size3 size : {Size3{17, 9, 8}, Size3{33, 5, 1}, Size3{1, 7, 6}, Size3{1, 1, 1}})
        for (const float steepest : {0.7f, 1.0f, 1.3f, 1.7f, 2.5f}) {
            for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
                TestField field =
                    size.voxels() > 1 ? smoothNoise(size, 1, steepest, seed, ctx) : TestField(size);
                const double least = minDeterminant(field.view());
                const bool mayFold = hasFolds(field.view(), ctx);
                EXPECT_TRUE(mayFold || least > 0.01 - 1e-6) << least;
                EXPECT_TRUE(!mayFold || least < 0.05) << least << ", far from a fold";
                EXPECT_GE(jacobianFigures(field.view(), 0, ctx).smallest, least - 1e-5);
                (mayFold ? folded : smooth)++;
            }
        }
    EXPECT_GT(folded, 10);
    EXPECT_GT(smooth, 10);
}

/// Folds between corners that are all right, which a look at voxels misses; and how far the bound
/// is below what samples find.
TEST(Exponential, FindsFoldsBetweenTheVoxels) {
    int between = 0, inVain = 0, without = 0;
    for (std::uint64_t seed = 1; seed <= 8000; ++seed) {
        TestField field(Size3{2, 2, 2});
        field.values = test::noiseVolume({2, 2, 6}, seed).voxels;
        for (float& value : field.values)
            value *= 0.3f;
        const MinInCell least(field.view(), 0, 0, 0);
        const bool above = folds::Cell(field.view(), 0, 0, 0).isAbove(0.01f);
        EXPECT_TRUE(!above || least.anywhere > 0.01 - 1e-6) << seed;
        between += least.atCorners > 0.01 && least.anywhere < 0.01;
        without += least.anywhere > 0.01;
        inVain += !above && least.anywhere > 0.01;
    }
    EXPECT_GT(between, 10);
    EXPECT_LT(inVain, without / 20);
}

/// The shortcut for gentle edges rests on this bound, which a compression reaches.
TEST(Exponential, GentleEdgesCannotFold) {
    const double gentle = static_cast<double>(folds::gentleEdge);
    EXPECT_GT(std::pow(1 - gentle, 3), static_cast<double>(folds::minDeterminant));
    ExecResources resources(2);
    const Size3 size{6, 6, 6};
    TestField field(size);
    for (int k = 0; k < 3; ++k) {
        const TestVolume part(size, [&](double x, double y, double z) {
            return -gentle * (k == 0 ? x : k == 1 ? y : z);
        });
        std::copy(part.voxels.begin(), part.voxels.end(), field.view().component(k));
    }
    EXPECT_NEAR(minDeterminant(field.view()), std::pow(1 - gentle, 3), 1e-5);
    EXPECT_NEAR(static_cast<double>(steepness(field.view(), resources.context())), gentle, 1e-5);
}

TEST(Exponential, OfAGentleStepIsTheStep) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const Size3 size{20, 17, 14};
    TestField step = smoothNoise(size, 1.5, 0.499f, 7, ctx), spare(size);
    const std::vector<float> before = step.values;
    exponentiate(step.view(), spare.view(), ctx);
    EXPECT_EQ(step.values, before);
}

/// exp(d) = d + (∇d)d/2 + …, and for a linear map what N steps of d/N make.
TEST(Exponential, EqualsTheStepToFirstOrderAndThePowerOfALinearMap) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const Size3 size{24, 24, 5};
    for (const auto& [rate, steps] : {std::pair{0.6, 2}, {1.2, 4}, {2.4, 8}}) {
        SCOPED_TRACE(rate);
        const double c = 11.5; // a rotation about the center
        const TestVolume u(size, [&](double, double y, double) { return -rate * (y - c); }),
            v(size, [&](double x, double, double) { return rate * (x - c); });
        TestField step(size), spare(size);
        std::copy(u.voxels.begin(), u.voxels.end(), step.view().u);
        std::copy(v.voxels.begin(), v.voxels.end(), step.view().v);
        exponentiate(step.view(), spare.view(), ctx);

        Eigen::Matrix2d a, power = Eigen::Matrix2d::Identity();
        a << 0, -rate, rate, 0;
        for (int n = 0; n < steps; ++n)
            power = power * (Eigen::Matrix2d::Identity() + a / steps);
        const Eigen::Vector2d at(0.5, 0.5); // voxel (12, 12)
        const Eigen::Vector2d found(step.view().componentView(0)(12, 12, 2),
                                    step.view().componentView(1)(12, 12, 2));
        EXPECT_LT((found - (power * at - at)).norm(), 1e-5);
        EXPECT_LT((found - a * at).norm(), (std::exp(rate) - 1 - rate) * at.norm());
    }
}

TEST(Exponential, OfACompressionThatTurnsInsideOutKeepsItsSide) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const Size3 size{17, 17, 17};
    TestField step(size), spare(size);
    for (int k = 0; k < 3; ++k) {
        const TestVolume part(size, [&](double x, double y, double z) {
            return -2 * ((k == 0 ? x : k == 1 ? y : z) - 8);
        });
        std::copy(part.voxels.begin(), part.voxels.end(), step.view().component(k));
    }
    EXPECT_LT(minDeterminant(step.view()), 0);
    exponentiate(step.view(), spare.view(), ctx);
    // Two squarings: (1 − 2/4)⁴ of the distance is left.
    EXPECT_NEAR(static_cast<double>(step.view().componentView(0)(16, 8, 8)),
                8 * (std::pow(0.5, 4) - 1), 1e-4);
    EXPECT_GT(minDeterminant(step.view()), 0);
}

TEST(Exponential, OfStepsThatFoldDoesNotFold) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    for (const double sigma : {2.0, 3.0, 5.0})
        for (const float steepest : {1.5f, 3.0f, 6.0f, 8.0f, 30.0f}) {
            SCOPED_TRACE(sigma);
            SCOPED_TRACE(steepest);
            const Size3 size{44, 40, 36};
            TestField step = smoothNoise(size, sigma, steepest, 11, ctx), spare(size);
            if (steepest >= 3) {
                EXPECT_LT(jacobianFigures(step.view(), 0, ctx).smallest, 0);
            }
            exponentiate(step.view(), spare.view(), ctx);
            EXPECT_GT(jacobianFigures(step.view(), 0, ctx).smallest, 0);
        }
}

TEST(Exponential, AComposedFieldDoesNotFold) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const Size3 size{44, 40, 36};
    TestField out(size), spare(size);
    std::vector<float> marks(size.voxels());
    TestField w = smoothNoise(size, 4, 0.7f, 3, ctx);
    for (const double sigma : {0.0, 1.0, 2.0, 4.0})
        for (const float steepest : {0.2f, 1.0f, 4.0f, 20.0f}) {
            SCOPED_TRACE(sigma);
            SCOPED_TRACE(steepest);
            TestField step = smoothNoise(size, sigma, steepest, 12, ctx);
            composeFields(w.view(), step.view(), out.view(), ctx);
            const std::vector<float> composed = out.values;
            const bool folded = hasFolds(out.view(), ctx);
            if (steepest != 1.0f) {
                EXPECT_EQ(folded, steepest > 1) << "the test's point";
            }
            composeWithoutFolds(w.view(), step.view(), out.view(), spare.view(),
                                {marks.data(), size}, ctx);
            EXPECT_GE(minDeterminant(out.view()), 0.01 - 1e-5);
            if (folded) {
                EXPECT_NE(out.values, w.values) << "the step was dropped";
            } else {
                EXPECT_EQ(out.values, composed);
            }
        }
}

TEST(Exponential, IsTheSameForAnyNumberOfThreads) {
    ExecResources one(1), four(4);
    const Size3 size{33, 29, 27};
    std::vector<float> results[2];
    for (const int threads : {0, 1}) {
        const ExecContext ctx = (threads == 0 ? one : four).context();
        TestField w = smoothNoise(size, 4, 0.7f, 3, one.context()),
                  step = smoothNoise(size, 1, 5, 4, one.context()), out(size), spare(size);
        std::vector<float> marks(size.voxels());
        composeFields(w.view(), step.view(), out.view(), ctx);
        composeWithoutFolds(w.view(), step.view(), out.view(), spare.view(), {marks.data(), size},
                            ctx);
        results[threads] = out.values;
    }
    EXPECT_EQ(results[0], results[1]);
}

} // namespace
} // namespace systole
