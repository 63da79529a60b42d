// The bound on a B-spline's determinants, and splines that fold and are unfolded.
#include "compute/core/affine_map.h"
#include "compute/methods/ffd/basis_integrals.h"
#include "compute/methods/ffd/determinant_bound.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/methods/ffd/unfold.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/exponential.h"
#include "compute/ops/jacobian.h"
#include "tests/compute/ops/bspline_field_support.h"

#include <limits>

namespace systole {
namespace {

using test::TestControlPoints;
using test::TestField;
using test::TestVolume;

/// Weights of the four points of a tile along an axis, of the value and the derivative.
struct PlaceWeights {
    double of[2][4];
    PlaceWeights(double u, int tile) {
        for (int l = 0; l < 4; ++l) {
            of[0][l] = cubicBasis(0, l, u);
            of[1][l] = cubicBasis(1, l, u) / tile;
        }
    }
};

/// det(I + ∇d) at a place in a tile, by the definition.
double determinantAt(const TestControlPoints& points, const int (&tile)[3],
                     const PlaceWeights* const (&along)[3]) {
    double m[3][3]{};
    for (int c = 0; c < 3; ++c)
        for (int n = 0; n < 64; ++n) {
            const int at[3] = {n % 4, n / 4 % 4, n / 16};
            const auto value = static_cast<double>(points.constView().values.componentView(c)(
                tile[0] + at[0], tile[1] + at[1], tile[2] + at[2]));
            for (int a = 0; a < 3; ++a)
                m[c][a] += value * along[0]->of[a == 0][at[0]] * along[1]->of[a == 1][at[1]] *
                           along[2]->of[a == 2][at[2]];
        }
    return determinant({{{1 + m[0][0], m[0][1], m[0][2]},
                         {m[1][0], 1 + m[1][1], m[1][2]},
                         {m[2][0], m[2][1], 1 + m[2][2]}}});
}

/// Whether a part of the tile lies between the first and the last voxel.
bool isInImage(const ControlGrid& grid, const int (&tile)[3]) {
    for (int a = 0; a < 3; ++a) {
        const double first = 0.5 * grid.margin[a] / grid.tile[a] - tile[a];
        if (!(first < 1 && first + static_cast<double>(grid.image[a] - 1) / grid.tile[a] > 0))
            return false;
    }
    return true;
}

/// The smallest at 5 × 5 × 5 places of that part.
double sampledMinimum(const TestControlPoints& points, const int (&tile)[3]) {
    constexpr int samples = 5;
    std::vector<PlaceWeights> places[3];
    for (int a = 0; a < 3; ++a) {
        const ControlGrid& grid = points.grid;
        const double first = 0.5 * grid.margin[a] / grid.tile[a] - tile[a],
                     last = first + static_cast<double>(grid.image[a] - 1) / grid.tile[a],
                     begin = std::clamp(first, 0.0, 1.0), end = std::clamp(last, 0.0, 1.0);
        for (int n = 0; n < samples; ++n)
            places[a].emplace_back(begin + (end - begin) * n / (samples - 1), grid.tile[a]);
    }
    double lowest = std::numeric_limits<double>::infinity();
    for (const PlaceWeights& z : places[2])
        for (const PlaceWeights& y : places[1])
            for (const PlaceWeights& x : places[0])
                lowest = std::min(lowest, determinantAt(points, tile, {&x, &y, &z}));
    return lowest;
}

const ControlGrid boundGrids[] = {
    {{16, 13, 9}, {5, 4, 3}},
    ControlGrid::centered({16, 13, 9}, {5, 4, 3}),
    ControlGrid::centered({17, 12, 6}, {5, 5, 1}, {2, 2, 1}),
};

template <typename Body>
void overTiles(const ControlGrid& grid, const Body& body) {
    const Size3 tiles = grid.tiles();
    for (int tz = 0; tz < tiles.z; ++tz)
        for (int ty = 0; ty < tiles.y; ++ty)
            for (int tx = 0; tx < tiles.x; ++tx)
                body({tx, ty, tz});
}

/// Random points: the bound is never above the minimum, and not far below it.
TEST(DeterminantBound, LiesJustBelowTheSmallestDeterminant) {
    for (const float amplitude : {0.3f, 1.5f, 6.0f}) {
        double gap = 0, spread = 0;
        int tiles = 0, seed = 3;
        for (const ControlGrid& grid : boundGrids) {
            const TestControlPoints points =
                test::randomControlPoints(grid, amplitude, static_cast<std::uint64_t>(seed++));
            const DeterminantBound bound(grid, {1, 1, 1});
            overTiles(grid, [&](const int(&tile)[3]) {
                const double found = bound.of(points.constView().values, tile[0], tile[1], tile[2]);
                EXPECT_EQ(std::isfinite(found), isInImage(grid, tile));
                if (!std::isfinite(found))
                    return;
                const double sampled = sampledMinimum(points, tile);
                EXPECT_LE(found, sampled + 1e-9);
                gap += sampled - found;
                spread += 1 - sampled;
                ++tiles;
            });
        }
        EXPECT_GT(tiles, 100);
        // A fraction of how far determinants fall below 1.
        EXPECT_LT(gap, 0.1 * spread) << amplitude;
    }
}

TEST(DeterminantBound, IsExactForAffineDisplacements) {
    for (const ControlGrid& grid : boundGrids) {
        const TestControlPoints points(grid, [](Vec3 p) {
            return Vec3{0.1 * p.x - 0.2 * p.y + 3, 0.05 * p.x - 0.3 * p.y, 0.2 * p.z - 0.1 * p.x};
        });
        const DeterminantBound bound(grid, {1, 1, 2});
        const double expected = (1.1 * 0.7 + 0.2 * 0.05) * 1.2;
        overTiles(grid, [&](const int(&tile)[3]) {
            if (isInImage(grid, tile)) {
                EXPECT_NEAR(bound.of(points.constView().values, tile[0], tile[1], tile[2]),
                            expected, 1e-5);
            }
        });
    }
}

TEST(DeterminantBound, CoarserBoundsNeverPassATileThatItRefuses) {
    const Vec3 unit{1, 1, 2.5};
    const ControlGrid& grid = boundGrids[1];
    int mildOnes = 0, steepOnes = 0;
    for (const float amplitude : {0.2f, 0.5f, 1.0f, 3.0f, 6.0f}) {
        const TestControlPoints points = test::randomControlPoints(grid, amplitude, 7);
        const FieldView<const float> values = points.constView().values;
        const DeterminantBound bound(grid, unit);
        overTiles(grid, [&](const int(&tile)[3]) {
            const double least = 0.2, exact = bound.of(values, tile[0], tile[1], tile[2]);
            EXPECT_EQ(bound.isAtLeast(least, values, tile[0], tile[1], tile[2]), exact >= least);
            std::vector<char> mild;
            bound.mildTilesOfRow(values, tile[1], tile[2], least, mild);
            if (mild[static_cast<std::size_t>(tile[0])] != 0) {
                EXPECT_GE(exact, least);
                ++mildOnes;
            }
            steepOnes += exact < least ? 1 : 0;
        });
    }
    EXPECT_GT(mildOnes, 20);
    EXPECT_GT(steepOnes, 20);
}

class Unfolding : public testing::Test {
protected:
    double lowestBound(const TestControlPoints& points) {
        const DeterminantBound bound(points.grid, {1, 1, 1});
        double lowest = std::numeric_limits<double>::infinity();
        overTiles(points.grid, [&](const int(&tile)[3]) {
            lowest =
                std::min(lowest, bound.of(points.constView().values, tile[0], tile[1], tile[2]));
        });
        return lowest;
    }

    ControlGrid grid = ControlGrid::centered({26, 23, 17}, {5, 4, 3});
    ExecResources resources{2};
};

TEST_F(Unfolding, LeavesNoTileThatMayFold) {
    for (const float amplitude : {0.5f, 5.0f, 50.0f}) {
        TestControlPoints points = test::randomControlPoints(grid, amplitude, 5);
        const std::vector<float> before = points.values;
        const bool folded = lowestBound(points) < minFfdDeterminant;
        EXPECT_EQ(unfold(points.view(), {}, {1, 1, 1}, resources.context()), folded);
        EXPECT_GE(lowestBound(points), minFfdDeterminant) << amplitude;
        EXPECT_EQ(points.values != before, folded);
    }
}

TEST_F(Unfolding, ChangesOnlyWhatIsNearAFold) {
    const auto motion = [](Vec3 p) {
        const double steep = std::exp(
            -((p.x - 13) * (p.x - 13) + (p.y - 12) * (p.y - 12) + (p.z - 8) * (p.z - 8)) / 12);
        return Vec3{0.1 * p.x + 30 * steep, 1 - 20 * steep, 0.05 * p.y};
    };
    TestControlPoints points(grid, motion);
    ASSERT_LT(lowestBound(points), 0);
    const TestControlPoints before = points;
    ASSERT_TRUE(unfold(points.view(), {}, {1, 1, 1}, resources.context()));
    EXPECT_GE(lowestBound(points), minFfdDeterminant);
    for (const int axis : {0, 1, 2}) {
        EXPECT_EQ(points.view().values.componentView(axis)(0, 0, 0),
                  before.constView().values.componentView(axis)(0, 0, 0));
        EXPECT_EQ(points.view().values.componentView(axis)(7, 7, 7),
                  before.constView().values.componentView(axis)(7, 7, 7));
    }
}

TEST_F(Unfolding, AnAffineStartCountsAndStays) {
    const auto affine = [](Vec3 p) { return Vec3{-0.5 * p.x, 0.1 * p.x, 0.3 * p.z}; };
    const TestControlPoints start(grid, affine);
    const FieldView<const float> added = start.constView().values;
    EXPECT_TRUE(isAffine(added));
    TestControlPoints points = test::randomControlPoints(grid, 4, 6), sum = points;
    EXPECT_FALSE(isAffine(points.constView().values));
    ASSERT_TRUE(unfold(points.view(), added, {1, 1, 1}, resources.context()));
    for (std::size_t i = 0; i < sum.values.size(); ++i)
        sum.values[i] = points.values[i] + start.values[i];
    EXPECT_GE(lowestBound(sum), minFfdDeterminant - 1e-5);
    // One that folds by itself can't be helped.
    const TestControlPoints mirror(grid, [](Vec3 p) { return Vec3{-2 * p.x, 0, 0}; });
    const std::vector<float> before = points.values;
    EXPECT_FALSE(unfold(points.view(), mirror.constView().values, {1, 1, 1}, resources.context()));
    EXPECT_EQ(points.values, before);
}

/// Only the first of two tiles along z counts.
TEST_F(Unfolding, AStartThatFoldsOnOneSliceIsLeftAlone) {
    const ControlGrid slice = ControlGrid::centered({20, 20, 1}, {5, 5, 5}, {1, 1, 2});
    const TestControlPoints mirror(slice, [](Vec3 p) { return Vec3{-2 * p.x, 0, 0}; });
    TestControlPoints points = test::randomControlPoints(slice, 4, 6);
    const std::vector<float> before = points.values;
    EXPECT_FALSE(unfold(points.view(), mirror.constView().values, {1, 1, 1}, resources.context()));
    EXPECT_EQ(points.values, before);
}

TEST_F(Unfolding, HasTheSameBitsForAnyNumberOfThreads) {
    TestControlPoints one = test::randomControlPoints(grid, 3, 5), three = one;
    ExecResources single(1), many(3);
    unfold(one.view(), {}, {1, 1, 1}, single.context());
    unfold(three.view(), {}, {1, 1, 1}, many.context());
    EXPECT_EQ(one.values, three.values);
}

TEST_F(Unfolding, ASumWithADenseStartDoesntFoldAtAnyVoxel) {
    const Size3 size{24, 22, 20};
    const auto fieldOf = [&](double steepness) {
        TestField field(size);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    field.view().componentView(0)(x, y, z) =
                        static_cast<float>(2 + steepness * std::sin(0.7 * x) * std::sin(0.4 * y));
        return field;
    };
    TestField start = fieldOf(0.6), sum = fieldOf(2), folded = sum;
    const ExecContext ctx = resources.context();
    ASSERT_TRUE(hasFolds(sum.view(), ctx));
    ASSERT_FALSE(hasFolds(start.view(), ctx));
    unfoldSum(sum.view(), start.view(), ctx);
    EXPECT_FALSE(hasFolds(sum.view(), ctx));
    TestField again = folded;
    unfoldSum(again.view(), folded.view(), ctx); // the start folds: nothing is done
    EXPECT_EQ(again.values, folded.values);
}

/// A spline follows noise if it isn't smoothed: a fifth of its voxels fold.
TEST_F(Unfolding, FfdDoesntFoldOnNoise) {
    const Size3 size{34, 30, 26};
    const auto noise = [&](std::uint64_t seed) {
        TestVolume volume(size, [](double, double, double) { return 128.0; });
        for (std::size_t i = 0; i < volume.voxels.size(); ++i)
            volume.voxels[i] += 60 * normalPair(randomBits(seed, 3, i)).first;
        return volume;
    };
    TestVolume fixed = noise(1), moving = noise(2);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    ParamSet values(*ffdMethod().parameters, "default");
    values.set("bending", 0.0);
    values.set("tolerance", 0.0);
    const auto estimator = makeFfd(FfdParameters::from(values), Backend::Cpu);
    TestField field(size);
    ExecResources limited(2, estimator->memoryEstimate(size, {1, 1, 1}));
    const ExecContext ctx = limited.context();
    const auto estimate = [&] {
        for (const MotionReport::Level& level :
             estimator->estimate(input, field.view(), ctx).levels)
            EXPECT_NEAR(level.energy, level.figures[1].value - level.figures[0].value, 1e-9);
    };
    estimate();
    EXPECT_GT(jacobianFigures(field.view(), 0, ctx).smallest, 0);
    // A sum that starts there folds so much that averaging doesn't help; it takes the most memory.
    estimate();
}

} // namespace
} // namespace systole
