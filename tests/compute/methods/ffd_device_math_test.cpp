// Building blocks of the free-form deformation's kernels, as far as a host can run them: digits of
// quantiles, tiles of control points, the penalty of volume change by separable sums.
#include "compute/methods/ffd/penalty_jacobian_math.h"
#include "compute/methods/ffd/quadratic_tiles.h"
#include "compute/ops/quantile_math.h"
#include "compute/ops/reduce.h"
#include "tests/support/compute_support.h"
#include "tests/support/normal_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

namespace systole {
namespace {

using test::TestField;

/// The search of quantiles_cuda.cu in plain loops.
float byDigits(const std::vector<float>& values, double part) {
    const std::size_t stride = quantile::sampleStride(values.size());
    std::size_t rank = quantile::rankOf(part, quantile::sampleCount(values.size()));
    std::uint32_t found = 0;
    for (int digit = 0; digit < quantile::digits; ++digit) {
        std::vector<std::size_t> counts(quantile::cells, 0);
        for (std::size_t i = 0; i < values.size(); i += stride) {
            const std::uint32_t key = quantile::keyOf(values[i]);
            if (quantile::beginsAs(key, found, digit))
                ++counts[quantile::digitOf(key, digit)];
        }
        unsigned cell = 0;
        for (; rank >= counts[cell]; ++cell)
            rank -= counts[cell];
        found |= cell << quantile::shiftOf(digit);
    }
    return quantile::valueOf(found);
}

TEST(FfdQuantileDigits, FindTheSameValueAsSorting) {
    std::vector<std::vector<float>> cases{
        {3}, {-1, 5}, test::normalNoise(1000, 1), test::normalNoise(4099, 2)};
    for (float& v : cases.back()) // few values, many times, both zeros among them
        v = std::round(2 * v) / 2;
    cases.push_back(test::normalNoise(2'300'001, 3)); // every third is looked at
    for (const std::vector<float>& values : cases)
        for (const double part : {0.0, 0.002, 0.5, 0.998, 1.0}) {
            const VolumeView<const float> view(values.data(),
                                               {static_cast<int>(values.size()), 1, 1});
            EXPECT_EQ(byDigits(values, part), quantiles(view, {part})[0])
                << values.size() << " " << part;
        }
}

TEST(FfdQuantileDigits, KeysAreOrderedAndGiveTheirValueBack) {
    const float ordered[] = {-INFINITY, -1e30f, -2, -1e-38f, 0, 1e-38f, 1.5f, 1e30f, INFINITY};
    for (std::size_t i = 0; i < std::size(ordered); ++i) {
        EXPECT_EQ(quantile::valueOf(quantile::keyOf(ordered[i])), ordered[i]);
        if (i > 0) {
            EXPECT_LT(quantile::keyOf(ordered[i - 1]), quantile::keyOf(ordered[i]));
        }
    }
    EXPECT_EQ(quantile::keyOf(-0.0f), quantile::keyOf(0.0f));
}

TEST(FfdQuadraticTiles, CoverEveryPointOfEveryComponentOnce) {
    for (const Size3 n :
         {Size3{4, 4, 4}, Size3{32, 8, 5}, Size3{33, 9, 55}, Size3{55, 55, 55}, Size3{70, 13, 6}}) {
        const quadratic::Tiles tiles(n);
        std::vector<int> seen(3 * n.voxels(), 0);
        for (int t = 0; t < tiles.count(); ++t) {
            const quadratic::Tile tile = tiles.at(t);
            for (int k = tile.first.z; k < tile.last; ++k)
                for (int j = tile.first.y; j < std::min(tile.first.y + quadratic::tileY, n.y); ++j)
                    for (int i = tile.first.x; i < std::min(tile.first.x + quadratic::tileX, n.x);
                         ++i)
                        ++seen[static_cast<std::size_t>(tile.component) * n.voxels() +
                               VolumeView<const float>(nullptr, n).offset(i, j, k)];
        }
        EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }))
            << n.x << " " << n.y << " " << n.z;
    }
}

TEST(FfdQuadraticTiles, HaveABandForEveryTerm) {
    for (int n = 0; n < quadratic::termCount; ++n) {
        const QuadraticTerm term = quadratic::termAt(n);
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_GE(quadratic::slotOf(term.a[axis], term.b[axis]), 0) << n;
        const auto kinds =
            quadratic::isBending(n) ? quadratic::Kinds::Bending : quadratic::Kinds::Elastic;
        EXPECT_TRUE(quadratic::takesPart(kinds, n));
        EXPECT_TRUE(quadratic::takesPart(quadratic::Kinds::Both, n));
        EXPECT_TRUE(
            quadratic::needs(kinds, term.to, term.from, quadratic::slotOf(term.a[0], term.b[0])));
    }
    EXPECT_FALSE(quadratic::needs(quadratic::Kinds::Bending, 0, 1, -1));
}

using Stresses = std::vector<std::array<jacobian::Matrix<float>, jacobian::points>>;

/// Works like a kernel's thread: a column of control points marches along z, and takes what each
/// layer of tiles gives to its four open planes.
void gatherAsAThread(const Stresses& stresses, Size3 tiles, const float (&perTile)[3], int c, int x,
                     int y, FieldView<float> gradient) {
    float open[4]{};
    for (int tz = -3; tz < gradient.size.z; ++tz) {
        for (int m = 0; m < 4 && tz >= 0 && tz < tiles.z; ++m)
            for (int l = 0; l < 4; ++l) {
                const int tx = x - l, ty = y - m;
                if (tx < 0 || tx >= tiles.x || ty < 0 || ty >= tiles.y)
                    continue;
                const auto& tile =
                    stresses[VolumeView<const float>(nullptr, tiles).offset(tx, ty, tz)];
                jacobian::gatherColumn(
                    l, m, perTile,
                    [&](int p, int axis) { return tile[static_cast<std::size_t>(p)].of[c][axis]; },
                    [&](int plane, float value) { open[plane] += value; });
            }
        if (tz >= 0)
            gradient.componentView(c)(x, y, tz) += open[0];
        std::shift_left(std::begin(open), std::end(open), 1);
        open[3] = 0;
    }
}

/// The host computes a row of tiles at a time, a kernel a tile and then a column: the same bits.
/// The reference is the sum over 64 points in double precision.
TEST(FfdVolumePenalty, HasTheBitsOfAKernelAndIsThatOfTheDefinition) {
    const ControlGrid grid{{23, 17, 9}, {5, 4, 2}};
    const Size3 n = grid.points(), tiles{n.x - 3, n.y - 3, n.z - 3};
    TestField points(n), expected(n), found(n), kernel(n);
    points.values = test::normalNoise(points.values.size(), 4);
    for (float& v : points.values)
        v *= 0.4f;
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    const double value = addJacobianPenalty({points.view(), grid}, 1, {found.view(), grid}, ctx);
    ctx.backend = Backend::CpuReference;
    EXPECT_NEAR(addJacobianPenalty({points.view(), grid}, 1, {expected.view(), grid}, ctx) / value,
                1, 1e-6);
    const float perTile[3] = {1.0f / 5, 1.0f / 4, 1.0f / 2};
    const auto share = static_cast<float>(1 / (8 * static_cast<double>(tiles.voxels())));
    Stresses stresses;
    double sum = 0;
    for (int tz = 0; tz < tiles.z; ++tz)
        for (int ty = 0; ty < tiles.y; ++ty)
            for (int tx = 0; tx < tiles.x; ++tx) {
                auto& tile = stresses.emplace_back();
                for (int c = 0; c < 3; ++c) {
                    float along[jacobian::points][3];
                    jacobian::derivativesOf(
                        [&](int i, int j, int k) {
                            return points.view().componentView(c)(tx + i, ty + j, tz + k);
                        },
                        perTile, along);
                    for (std::size_t p = 0; p < jacobian::points; ++p)
                        for (int axis = 0; axis < 3; ++axis)
                            tile[p].of[c][axis] = along[p][axis] + (c == axis ? 1.0f : 0.0f);
                }
                for (auto& point : tile)
                    sum += onSumGrid(static_cast<double>(point.toStress(share)), jacobian::sumUnit);
            }
    EXPECT_EQ(static_cast<double>(share) * sum, value);
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < n.y; ++y)
            for (int x = 0; x < n.x; ++x)
                gatherAsAThread(stresses, tiles, perTile, c, x, y, kernel.view());
    EXPECT_EQ(found.values, kernel.values);
    const float largest = std::abs(
        *std::ranges::max_element(expected.values, {}, [](float v) { return std::abs(v); }));
    EXPECT_LT(test::largestDifference(expected.values, found.values), 1e-5 * largest);
}

} // namespace
} // namespace systole
