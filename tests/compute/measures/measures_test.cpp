// Measures of agreement against plain loops over the definitions, and on shapes whose answers are
// known.
#include "compute/measures/label_overlap.h"
#include "compute/measures/nearest_points.h"
#include "compute/measures/similarity.h"
#include "tests/support/volume_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace systole {
namespace {

class Measures : public testing::Test {
protected:
    ExecContext ctx() { return resources_.context(); }

    template <typename Value>
    Volume volume(const Geometry& geometry, const Value& value) {
        return test::volumeOf(geometry, resources_.pool(), value);
    }
    Volume noise(const Geometry& geometry, float low, float high) {
        std::uniform_real_distribution<float> gray(low, high);
        return volume(geometry, [&](int, int, int) { return gray(random_); });
    }
    ExecResources resources_{2};
    std::mt19937 random_{5};
};

constexpr GrayRanges gray255{{0, 255}, {0, 255}};

TEST_F(Measures, ErrorsAndCorrelationFollowTheirDefinitions) {
    const Geometry grid({7, 5, 6}, {1, 1, 1});
    const Volume a = noise(grid, 1000, 1200), b = noise(grid, 1000, 1200);
    const Volume counted = volume(grid, [](int x, int y, int z) { return (x + y + z) % 3 != 0; });
    double n = 0, absolute = 0, squared = 0, meanA = 0, meanB = 0;
    for (std::size_t i = 0; i < grid.voxels(); ++i) {
        if (counted.voxels.data()[i] == 0)
            continue;
        const double x = static_cast<double>(a.voxels.data()[i]);
        const double y = static_cast<double>(b.voxels.data()[i]);
        ++n;
        absolute += std::abs(x - y);
        squared += (x - y) * (x - y);
        meanA += x;
        meanB += y;
    }
    meanA /= n;
    meanB /= n;
    double aa = 0, bb = 0, ab = 0;
    for (std::size_t i = 0; i < grid.voxels(); ++i)
        if (counted.voxels.data()[i] != 0) {
            const double x = static_cast<double>(a.voxels.data()[i]) - meanA;
            const double y = static_cast<double>(b.voxels.data()[i]) - meanB;
            aa += x * x;
            bb += y * y;
            ab += x * y;
        }
    const SimilarityFigures figures =
        similarityFigures(a.view(), b.view(), counted.view(), gray255, ctx());
    EXPECT_EQ(figures.voxels, static_cast<std::size_t>(n));
    EXPECT_NEAR(figures.meanAbsoluteError, absolute / n, 1e-9);
    EXPECT_NEAR(figures.squaredErrors, squared, 1e-6);
    EXPECT_NEAR(figures.correlation, ab / std::sqrt(aa * bb), 1e-9);
}

TEST_F(Measures, AnImageAgreesWithItselfAndNothingAgreesWithoutVoxels) {
    const Geometry grid({16, 12, 9}, {1, 1, 1});
    const Volume a = noise(grid, 0, 255);
    const SimilarityFigures same = similarityFigures(a.view(), a.view(), {}, gray255, ctx());
    EXPECT_EQ(same.voxels, grid.voxels());
    EXPECT_EQ(same.meanAbsoluteError, 0);
    EXPECT_EQ(same.squaredErrors, 0);
    EXPECT_NEAR(same.structural, 1, 1e-12);
    EXPECT_NEAR(same.mutualInformation, 2, 1e-12);
    EXPECT_NEAR(same.correlation, 1, 1e-12);
    const Volume none = volume(grid, [](int, int, int) { return 0; });
    const SimilarityFigures nothing =
        similarityFigures(a.view(), a.view(), none.view(), gray255, ctx());
    EXPECT_EQ(nothing.voxels, 0u);
    EXPECT_TRUE(std::isnan(nothing.meanAbsoluteError));
    EXPECT_TRUE(std::isnan(nothing.structural));
    const Volume flat = volume(grid, [](int, int, int) { return 0.1; });
    EXPECT_EQ(similarityFigures(flat.view(), a.view(), {}, gray255, ctx()).correlation, 0);
}

/// One window of the structural similarity after Wang et al., eq. 13.
double windowSimilarity(const std::vector<double>& a, const std::vector<double>& b, double range) {
    const auto n = static_cast<double>(a.size());
    double meanA = 0, meanB = 0, varianceA = 0, varianceB = 0, covariance = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        meanA += a[i] / n;
        meanB += b[i] / n;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        varianceA += (a[i] - meanA) * (a[i] - meanA) / (n - 1);
        varianceB += (b[i] - meanB) * (b[i] - meanB) / (n - 1);
        covariance += (a[i] - meanA) * (b[i] - meanB) / (n - 1);
    }
    const double c1 = std::pow(0.01 * range, 2), c2 = std::pow(0.03 * range, 2);
    return (2 * meanA * meanB + c1) * (2 * covariance + c2) /
           ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2));
}

TEST_F(Measures, StructuralSimilarityIsTheMeanOverWindows) {
    // Only five slices along z fit into a window.
    const Geometry grid({10, 9, 6}, {1, 1, 1});
    const Volume a = noise(grid, 500, 700), b = noise(grid, 450, 750);
    const Volume counted = volume(grid, [](int x, int, int) { return x != 9; });
    double sum = 0;
    int windows = 0;
    for (int z = 0; z + 5 <= 6; ++z)
        for (int y = 0; y + 7 <= 9; ++y)
            for (int x = 0; x + 7 <= 9; ++x) { // not those with x = 9
                std::vector<double> ofA, ofB;
                for (int k = 0; k < 5; ++k)
                    for (int j = 0; j < 7; ++j)
                        for (int i = 0; i < 7; ++i) {
                            ofA.push_back(static_cast<double>(a.view()(x + i, y + j, z + k)));
                            ofB.push_back(static_cast<double>(b.view()(x + i, y + j, z + k)));
                        }
                sum += windowSimilarity(ofA, ofB, 200);
                ++windows;
            }
    EXPECT_NEAR(meanStructuralSimilarity(a.view(), b.view(), counted.view(), 200, ctx()),
                sum / windows, 1e-9);
}

TEST_F(Measures, SimilarityHasTheSameBitsForAnyNumberOfThreads) {
    const Geometry grid({33, 21, 17}, {1, 1, 1});
    const Volume a = noise(grid, 0, 255), b = noise(grid, 0, 255);
    ExecResources one(1), many(3);
    const SimilarityFigures x = similarityFigures(a.view(), b.view(), {}, gray255, one.context());
    const SimilarityFigures y = similarityFigures(a.view(), b.view(), {}, gray255, many.context());
    EXPECT_EQ(x.meanAbsoluteError, y.meanAbsoluteError);
    EXPECT_EQ(x.squaredErrors, y.squaredErrors);
    EXPECT_EQ(x.structural, y.structural);
    EXPECT_EQ(x.correlation, y.correlation);
    EXPECT_EQ(x.mutualInformation, y.mutualInformation);
}

TEST_F(Measures, NearestPointIsThatOfASearchOverAll) {
    std::uniform_real_distribution<double> coordinate(-20, 20);
    const auto point = [&] {
        return Vec3{coordinate(random_), coordinate(random_), std::round(coordinate(random_))};
    };
    for (const int count : {1, 2, 3, 10, 257}) {
        std::vector<Vec3> points;
        for (int i = 0; i < count; ++i)
            points.push_back(point());
        const NearestPoints tree(points);
        for (int i = 0; i < 200; ++i) {
            const Vec3 at = point();
            double nearest = std::numeric_limits<double>::infinity();
            for (const Vec3 each : points)
                nearest = std::min(nearest, length(at - each));
            EXPECT_NEAR(tree.distanceTo(at), nearest, 1e-12);
        }
    }
}

TEST_F(Measures, OverlapOfEveryLabelIsThatOfItsMask) {
    const Geometry grid({20, 16, 10}, {1, 1.5, 4}, {3, 4, 5}, {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}});
    const auto boxes = [](int shift) {
        return [=](int x, int y, int z) {
            if (x >= 3 + shift && x < 9 + shift && y >= 3 && y < 9 && z >= 2 && z < 7)
                return 2;
            return x >= 9 + shift && x < 14 + shift && y >= 4 && y < 12 && z >= 2 && z < 8 ? 300
                                                                                           : 0;
        };
    };
    const Volume fixed = volume(grid, boxes(0));
    Volume moved = volume(grid, boxes(2));
    moved.view()(0, 0, 0) = 7; // a label that the fixed map doesn't have
    const std::vector<LabelOverlap> overlaps =
        labelOverlaps(grid, fixed.view(), moved.view(), ctx());
    ASSERT_EQ(overlaps.size(), 3u);
    EXPECT_EQ(overlaps[0].label, 2);
    EXPECT_EQ(overlaps[1].label, 7);
    EXPECT_EQ(overlaps[2].label, 300);
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
        const auto only = [&](const Volume& labels) {
            return volume(grid, [&](int x, int y, int z) {
                return labels.view()(x, y, z) == static_cast<float>(overlaps[i].label);
            });
        };
        const Volume a = only(fixed), b = only(moved);
        const std::vector<LabelOverlap> alone = labelOverlaps(grid, a.view(), b.view(), ctx());
        ASSERT_EQ(alone.size(), 1u);
        EXPECT_EQ(overlaps[i].dice, alone[0].dice);
        EXPECT_EQ(overlaps[i].surfaceMillimeters, alone[0].surfaceMillimeters);
    }
    EXPECT_EQ(overlaps[1].fixedVoxels, 0u);
    EXPECT_EQ(overlaps[1].movedVoxels, 1u);
    EXPECT_EQ(overlaps[1].dice, 0);
    EXPECT_TRUE(std::isnan(overlaps[1].surfaceMillimeters));
}

} // namespace
} // namespace systole
