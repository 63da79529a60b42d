// Fits of maps to pairs of points, against Eigen's own solvers, and against exhaustive search.
#include "compute/core/random.h"
#include "compute/methods/ffd/affine_fit.h"
#include "compute/methods/ffd/affine_levels.h"
#include "tests/support/affine_scene.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace systole::affine {
namespace {

using test::largestDistance;
using test::turned;

double noise(std::uint64_t stream, std::size_t i) {
    return static_cast<double>(normalPair(randomBits(5, stream, i)).first);
}

std::vector<PointPair> pairsOf(const AffineMap& map, std::size_t count, double error) {
    std::vector<PointPair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 p{40 + 25 * noise(0, i), -10 + 20 * noise(1, i), 30 * noise(2, i)};
        pairs.push_back(
            {p, map(p) + Vec3{error * noise(3, i), error * noise(4, i), error * noise(5, i)}});
    }
    return pairs;
}

const AffineMap sheared{{{{1.1, 0.2, -0.1}, {-0.3, 0.9, 0.05}, {0.02, -0.15, 1.3}}}, {4, -7, 11}};

TEST(AffineFit, IsEigensLeastSquaresSolution) {
    const std::vector<PointPair> pairs = pairsOf(sheared, 50, 3);
    Eigen::MatrixXd points(50, 4), targets(50, 3);
    for (int i = 0; i < 50; ++i) {
        const PointPair& p = pairs[static_cast<std::size_t>(i)];
        points.row(i) << p.from.x, p.from.y, p.from.z, 1;
        targets.row(i) << p.to.x, p.to.y, p.to.z;
    }
    const Eigen::MatrixXd solution = points.colPivHouseholderQr().solve(targets);
    const AffineMap map = leastSquares(pairs, Freedom::Affine);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            EXPECT_NEAR(map.matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)],
                        solution(column, row), 1e-10);
        EXPECT_NEAR(map.offset[row], solution(3, row), 1e-9);
    }
}

TEST(AffineFit, IsEigensRigidSolution) {
    const AffineMap truth{turned(40, {1, -2, 3}), {5, 6, -7}};
    const std::vector<PointPair> pairs = pairsOf(truth, 40, 4);
    Eigen::Matrix3Xd from(3, 40), to(3, 40);
    for (int i = 0; i < 40; ++i) {
        const PointPair& p = pairs[static_cast<std::size_t>(i)];
        from.col(i) << p.from.x, p.from.y, p.from.z;
        to.col(i) << p.to.x, p.to.y, p.to.z;
    }
    const Eigen::Matrix4d solution = Eigen::umeyama(from, to, false);
    const AffineMap map = leastSquares(pairs, Freedom::Rigid);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            EXPECT_NEAR(map.matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)],
                        solution(row, column), 1e-12);
        EXPECT_NEAR(map.offset[row], solution(row, 3), 1e-10);
    }
}

TEST(AffineFit, PointsInAPlaneLeaveTheirNormalAsItIs) {
    const AffineMap truth{turned(20, {0, 0, 1}, {1.1, 0.9, 1}), {3, 4, 0}};
    std::vector<PointPair> pairs = pairsOf(truth, 30, 0);
    for (PointPair& p : pairs) {
        p.from.z = 7;
        p.to = truth(p.from);
    }
    EXPECT_LT(largestDistance(leastSquares(pairs, Freedom::Affine), truth, 50), 1e-9);
    const AffineMap turn{turned(20, {0, 0, 1}), {3, 4, 0}};
    for (PointPair& p : pairs)
        p.to = turn(p.from);
    EXPECT_LT(largestDistance(leastSquares(pairs, Freedom::Rigid), turn, 50), 1e-9);
}

TEST(AffineFit, TrimmedPairsDontCount) {
    for (const Freedom freedom : {Freedom::Rigid, Freedom::Affine}) {
        const AffineMap truth =
            freedom == Freedom::Affine ? sheared : AffineMap{turned(25, {2, 1, 1}), {5, -3, 2}};
        std::vector<PointPair> pairs = pairsOf(truth, 300, 0);
        for (std::size_t i = 0; i < pairs.size(); i += 3)
            pairs[i].to = pairs[i].to + Vec3{20 + 5 * noise(7, i), 9 * noise(8, i), -12};
        const TrimmedFit fit =
            leastTrimmedSquares(pairs, 0.5, freedom, leastSquares(pairs, freedom), 30);
        EXPECT_LT(largestDistance(fit.map, truth, 50), 1e-6);
        EXPECT_EQ(fit.kept.size(), 150u);
        EXPECT_TRUE(std::is_sorted(fit.kept.begin(), fit.kept.end()));
        for (const int i : fit.kept)
            EXPECT_NE(i % 3, 0);
        EXPECT_GT(largestDistance(leastSquares(pairs, freedom), truth, 50), 1);
    }
}

TEST(AffineFit, KeepsThePairsThatItFitsBest) {
    const std::vector<PointPair> pairs = pairsOf(sheared, 101, 5);
    const TrimmedFit fit = leastTrimmedSquares(pairs, 0.7, Freedom::Affine, {}, 30);
    ASSERT_EQ(fit.kept.size(), 71u);
    const auto distance = [&](std::size_t i) {
        return length(fit.map(pairs[i].from) - pairs[i].to);
    };
    std::vector<bool> kept(pairs.size());
    double farthest = 0, squares = 0;
    for (const int i : fit.kept) {
        kept[static_cast<std::size_t>(i)] = true;
        farthest = std::max(farthest, distance(static_cast<std::size_t>(i)));
        squares += std::pow(distance(static_cast<std::size_t>(i)), 2);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i)
        EXPECT_TRUE(kept[i] || distance(i) >= farthest);
    EXPECT_NEAR(fit.rms, std::sqrt(squares / 71), 1e-9);
    const TrimmedFit whole = leastTrimmedSquares(pairs, 1, Freedom::Affine, {}, 30);
    EXPECT_EQ(whole.kept.size(), pairs.size());
    EXPECT_LT(largestDistance(whole.map, leastSquares(pairs, Freedom::Affine), 50), 1e-9);
}

TEST(AffineFit, HalfWayTwiceIsTheWholeWay) {
    const AffineMap a{turned(20, {1, 2, 3}, {1.1, 1, 0.9}), {4, 5, 6}};
    const AffineMap step{turned(30, {0, 1, 1}, {1.05, 0.9, 1}), {-7, 3, 2}};
    const auto middle = halfWay(a, compose(a, compose(step, step)));
    ASSERT_TRUE(middle);
    EXPECT_LT(largestDistance(*middle, compose(a, step), 50), 1e-9);
    // Half way seen from the other side.
    const AffineMap b = compose(a, compose(step, step));
    const auto back = halfWay(*b.inverse(), *a.inverse());
    ASSERT_TRUE(back);
    EXPECT_LT(largestDistance(compose(*back, *middle), {}, 50), 1e-9);
    AffineMap flat = a;
    flat.matrix[0] = flat.matrix[1];
    EXPECT_FALSE(halfWay(flat, a));
}

TEST(AffineLevels, ThickSlicesWaitUntilTheOtherAxesHaveCaughtUp) {
    const Geometry thick({256, 256, 64}, {0.75, 0.75, 3});
    const PairLevels levels = pairLevels(thick, thick, 4);
    ASSERT_EQ(levels.count(), 4);
    const Size3 sizes[] = {{256, 256, 64}, {128, 128, 64}, {64, 64, 64}, {32, 32, 32}};
    for (std::size_t level = 0; level < 4; ++level)
        EXPECT_EQ(levels.fixed.grids[levels.fixed.ofLevel[level]].size(), sizes[level]);
}

TEST(AffineLevels, BothImagesHaveTheSameResolution) {
    const Geometry fine({200, 200, 100}, {0.5, 0.5, 1}), coarse({64, 64, 64}, {2, 2, 2});
    for (const bool swapped : {false, true}) {
        const PairLevels levels =
            swapped ? pairLevels(coarse, fine, 3) : pairLevels(fine, coarse, 3);
        double spacing = 2;
        for (std::size_t level = 0; level < static_cast<std::size_t>(levels.count()); ++level) {
            for (const ImageLevels* image : {&levels.fixed, &levels.moving}) {
                const Geometry& grid = image->grids[image->ofLevel[level]];
                for (int axis = 0; axis < 3; ++axis)
                    EXPECT_TRUE(grid.size()[axis] < 2 * minSamples ||
                                std::abs(grid.spacing()[axis] - spacing) < 1e-9)
                        << level;
                // Decimation keeps the middle.
                const Geometry& finest = image->grids.front();
                const auto middle = [](const Geometry& of) {
                    const Size3 n = of.size();
                    return of.indexToPhysical({0.5 * (n.x - 1), 0.5 * (n.y - 1), 0.5 * (n.z - 1)});
                };
                EXPECT_LT(length(middle(grid) - middle(finest)), 1e-9);
            }
            spacing *= 2;
        }
    }
    EXPECT_EQ(pairLevels(Geometry({8, 8, 1}, {1, 1, 1}), coarse, 4).count(), 1);
}

} // namespace
} // namespace systole::affine
