// Polynomials and Laplace's equation in the voxels of a tissue.
#include "compute/cardiac/harmonic.h"
#include "compute/cardiac/local_fit.h"
#include "compute/cardiac/local_slope.h"
#include "tests/compute/cardiac/cardiac_support.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole::cardiac {
namespace {

using testing::mapOf;

/// Slices apart, axes turned about z and mirrored.
Geometry obliqueGrid() {
    const double c = std::cos(0.5), s = std::sin(0.5);
    return {{16, 18, 9}, {1.5, 1.2, 4}, {-3, 5, 11}, {{{c, s, 0}, {s, -c, 0}, {0, 0, 1}}}};
}

double cubic(Vec3 p) {
    return 1 + 0.3 * p.x - 0.2 * p.y + 0.1 * p.z + 0.02 * p.x * p.y - 0.01 * p.z * p.z +
           0.001 * p.x * p.x * p.x - 0.002 * p.x * p.y * p.z;
}
Vec3 slopeOfCubic(Vec3 p) {
    return {0.3 + 0.02 * p.y + 0.003 * p.x * p.x - 0.002 * p.y * p.z,
            -0.2 + 0.02 * p.x - 0.002 * p.x * p.z, 0.1 - 0.02 * p.z - 0.002 * p.x * p.y};
}

TEST(LocalFit, IsExactForPolynomialsOfItsOrderUpToTheBorder) {
    const Geometry grid = obliqueGrid();
    const Vec3 middle = grid.center();
    const TissueMap map =
        mapOf(grid, [&](Vec3 p) { return length(p - middle) < 9 ? Tissue::Wall : Tissue::Other; });
    const TissueVoxels voxels = largestPiece(map, Tissue::Wall);
    std::vector<double> values;
    for (std::size_t i = 0; i < voxels.count(); ++i)
        values.push_back(cubic(voxels.position(i) - middle));
    const LocalFit fit(voxels, 3);
    std::size_t thirdOrder = 0;
    for (std::size_t i = 0; i < voxels.count(); ++i) {
        const Vec3 index = voxels.indexPoint(i) + Vec3{0.3, -0.2, 0.1};
        const FitWeights weights = fit.at(index);
        if (weights.order < 3)
            continue;
        ++thirdOrder;
        const Vec3 p = grid.indexToPhysical(index) - middle;
        const LocalScalar found = applied(weights, values);
        EXPECT_NEAR(found.value, cubic(p), 1e-6);
        EXPECT_LT(length(found.gradient - slopeOfCubic(p)), 1e-6);
    }
    EXPECT_GT(thirdOrder, voxels.count() / 2);
}

/// Points inside, at the border, beyond it, and with few voxels nearby.
TEST(LocalSlope, IsThatOfTheFitOfSecondOrder) {
    const Geometry grid = obliqueGrid();
    const Vec3 middle = grid.center();
    for (const double thickness : {30.0, 5.0}) {
        const TissueVoxels voxels = largestPiece(
            mapOf(grid,
                  [&](Vec3 p) {
                      return length(p - middle) < 9 && std::abs(p.z - middle.z) < thickness
                                 ? Tissue::Wall
                                 : Tissue::Other;
                  }),
            Tissue::Wall);
        std::vector<double> values;
        for (std::size_t i = 0; i < voxels.count(); ++i)
            values.push_back(std::sin(cubic(voxels.position(i) - middle)));
        const LocalFit fit(voxels, 2);
        LocalSlope slope(voxels, fit, values);
        for (double z = -1; z < 10; z += 0.7)
            for (double y = -1; y < 19; y += 1.3)
                for (double x = -1; x < 17; x += 0.37) {
                    const Vec3 expected = applied(fit.at({x, y, z}), values).gradient;
                    EXPECT_LT(length(slope.at({x, y, z}) - expected), 1e-9 * (1 + length(expected)))
                        << x << " " << y << " " << z;
                }
    }
}

TEST(LocalFit, TakesALowerOrderWhereVoxelsDontDetermineIt) {
    const Geometry grid({20, 20, 20}, {1, 1, 1});
    const auto thin = [&](int layers) {
        return largestPiece(
            mapOf(grid, [=](Vec3 p) { return p.z < layers ? Tissue::Wall : Tissue::Other; }),
            Tissue::Wall);
    };
    const auto orderIn = [&](int layers) {
        const TissueVoxels voxels = thin(layers);
        return LocalFit(voxels, 3).at({10, 10, 0}).order;
    };
    EXPECT_EQ(orderIn(1), 0);
    EXPECT_EQ(orderIn(2), 1);
    EXPECT_EQ(orderIn(3), 2);
    const TissueVoxels voxels = thin(1);
    EXPECT_TRUE(LocalFit(voxels, 3).at({10, 10, 8}).place.empty());
}

TEST(Laplace, IsLinearBetweenPlatesThatLieBetweenVoxels) {
    const Geometry grid({5, 4, 8}, {1, 2, 3});
    const TissueVoxels voxels =
        largestPiece(mapOf(grid, [](Vec3) { return Tissue::Wall; }), Tissue::Wall);
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    std::vector<FixedFace> faces;
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 5; ++x) {
            faces.push_back({voxels.place(x, y, 0), 2, 0.3, 0}); // −0.9 mm along z
            faces.push_back({voxels.place(x, y, 7), 2, 0.8, 1}); // 23.4 mm along z
        }
    const std::vector<double> solution = solveLaplace(voxels, faces, ctx);
    for (std::size_t i = 0; i < voxels.count(); ++i)
        EXPECT_NEAR(solution[i], (voxels.position(i).z + 0.9) / 24.3, 1e-8);
}

TEST(Laplace, IsLinearAlongATubeOfAnyLengthWithTheSameBitsForAnyThreads) {
    const Geometry grid({30, 26, 41}, {1, 0.5, 0.25});
    const Vec3 middle = grid.center();
    const auto isWall = [&](Vec3 p) { // nothing flows through its sides
        const double r = std::hypot(p.x - middle.x, p.y - middle.y);
        return r > 3 && r < 6 ? Tissue::Wall : Tissue::Other;
    };
    const TissueVoxels voxels = largestPiece(mapOf(grid, isWall), Tissue::Wall);
    std::vector<FixedFace> faces;
    for (std::size_t i = 0; i < voxels.count(); ++i) {
        if (voxels.index[i][2] == 0)
            faces.push_back({static_cast<std::int32_t>(i), 2, 0.5, -1});
        if (voxels.index[i][2] == 40)
            faces.push_back({static_cast<std::int32_t>(i), 2, 0.5, 1});
    }
    std::vector<std::vector<double>> solutions;
    for (const int threads : {1, 3}) {
        ExecResources resources(threads);
        ExecContext ctx = resources.context();
        solutions.push_back(solveLaplace(voxels, faces, ctx));
    }
    EXPECT_EQ(solutions[0], solutions[1]);
    for (std::size_t i = 0; i < voxels.count(); ++i)
        EXPECT_NEAR(solutions[0][i], (voxels.index[i][2] - 20) / 20.5, 1e-8);
}

} // namespace
} // namespace systole::cardiac
