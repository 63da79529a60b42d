// Corners against the structure tensor by Eigen, and where they must and must not be.
#include "compute/core/error.h"
#include "compute/landmarks/corners.h"
#include "tests/compute/landmarks/sest_support.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

class Corners : public testing::Test {
protected:
    std::vector<float> response(test::TestVolume& frame, Vec3 spacing, CornerSettings settings) {
        std::vector<float> values(frame.size.voxels());
        cornerResponse(frame.view(), spacing, settings, {values.data(), frame.size},
                       resources.context());
        return values;
    }
    std::vector<Corner> corners(test::TestVolume& frame, Vec3 spacing, CornerSettings settings,
                                VolumeView<const float> mask = {}) {
        return findCorners(frame.view(), spacing, mask, settings, resources.context());
    }
    ExecResources resources{2};
};

/// A bright box: its eight corners, in millimeters of an anisotropic grid.
TEST_F(Corners, OfABoxAreItsEight) {
    test::TestVolume frame({40, 36, 20}, [](double x, double y, double z) {
        return x >= 10 && x < 30 && y >= 8 && y < 28 && z >= 5 && z < 14 ? 100 : 0;
    });
    CornerSettings settings;
    settings.spacing = 5;
    settings.minResponse = 0.3;
    const std::vector<Corner> found = corners(frame, {1, 1, 2.5}, settings);
    ASSERT_EQ(found.size(), 8u);
    // The maximum lies inside the corner, by about the size of the neighborhood.
    for (const double x : {9.5, 29.5})
        for (const double y : {7.5, 27.5})
            for (const double z : {4.5, 13.5})
                EXPECT_TRUE(std::ranges::any_of(found,
                                                [&](const Corner& c) {
                                                    return std::abs(c.voxel.x - x) < 3 &&
                                                           std::abs(c.voxel.y - y) < 3 &&
                                                           std::abs(c.voxel.z - z) < 2;
                                                }))
                    << x << " " << y << " " << z;
}

/// 1 / trace(S⁻¹) by Eigen, S summed voxel by voxel in double precision.
TEST_F(Corners, ResponseEqualsTheInverseTrace) {
    const Size3 size{22, 19, 15};
    const Vec3 spacing{0.8, 1, 1.6};
    test::TestVolume frame = test::texturedFrame(size);
    CornerSettings settings;
    settings.tensorSigma = 1.2;
    const std::vector<float> found = response(frame, spacing, settings);
    const auto at = [&](Voxel p) {
        return double{frame.view()(std::clamp(p.x, 0, size.x - 1), std::clamp(p.y, 0, size.y - 1),
                                   std::clamp(p.z, 0, size.z - 1))};
    };
    for (const Voxel p : {Voxel{11, 9, 7}, Voxel{0, 0, 0}, Voxel{21, 3, 14}, Voxel{5, 18, 2}}) {
        Eigen::Matrix3d tensor = Eigen::Matrix3d::Zero();
        double weights = 0;
        const int reach[] = {5, 4, 3}; // ⌈3σ⌉ voxels
        for (int k = -reach[2]; k <= reach[2]; ++k)
            for (int j = -reach[1]; j <= reach[1]; ++j)
                for (int i = -reach[0]; i <= reach[0]; ++i) {
                    const Voxel q{std::clamp(p.x + i, 0, size.x - 1),
                                  std::clamp(p.y + j, 0, size.y - 1),
                                  std::clamp(p.z + k, 0, size.z - 1)};
                    Eigen::Vector3d gradient;
                    for (int axis = 0; axis < 3; ++axis)
                        gradient[axis] =
                            (at(q.moved(axis, 1)) - at(q.moved(axis, -1))) / (2 * spacing[axis]);
                    const Vec3 apart{i * spacing.x, j * spacing.y, k * spacing.z};
                    const double weight = std::exp(-dot(apart, apart) / (2 * 1.2 * 1.2));
                    tensor += weight * gradient * gradient.transpose();
                    weights += weight;
                }
        tensor /= weights;
        const double expected = 1 / tensor.inverse().trace();
        const std::size_t i = frame.view().offset(p.x, p.y, p.z);
        EXPECT_NEAR(found[i], expected, 2e-4 * expected);
    }
}

TEST_F(Corners, EdgesAndPlanesHaveNone) {
    for (const auto& formula :
         {test::Formula([](double x, double, double) { return x > 9.5; }),
          test::Formula([](double x, double y, double) { return x > 9.5 && y > 7.5; }),
          test::Formula([](double, double, double) { return 3; })}) {
        test::TestVolume frame({20, 20, 20}, formula);
        EXPECT_TRUE(corners(frame, {1, 1, 1}, {}).empty());
    }
}

TEST_F(Corners, KeepTheirDistanceNumberAndMask) {
    const Size3 size{60, 50, 30};
    const Vec3 spacing{1, 1, 2};
    test::TestVolume frame = test::noiseVolume(size, 4);
    CornerSettings settings;
    settings.spacing = 6.5;
    settings.number = 100000;
    const std::vector<Corner> all = corners(frame, spacing, settings);
    ASSERT_GT(all.size(), 100u);
    const auto apart = [&](const Corner& a, const Corner& b) {
        return length({(a.voxel.x - b.voxel.x) * spacing.x, (a.voxel.y - b.voxel.y) * spacing.y,
                       (a.voxel.z - b.voxel.z) * spacing.z});
    };
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_GE(apart(all[i], all[j]), 6.5);
            EXPECT_LE(all[i].response, all[j].response);
        }
    settings.number = 50;
    const std::vector<Corner> few = corners(frame, spacing, settings);
    ASSERT_EQ(few.size(), 50u);
    for (std::size_t i = 0; i < 50; ++i)
        EXPECT_EQ(few[i].voxel, all[i].voxel);
    test::TestVolume mask(size, [](double x, double, double) { return x < 20; });
    settings.number = 1000;
    for (const Corner& corner : corners(frame, spacing, settings, mask.view()))
        EXPECT_LT(corner.voxel.x, 20);
    test::TestVolume other({4, 4, 4}, [](double, double, double) { return 1; });
    EXPECT_THROW(corners(frame, spacing, settings, other.view()), ComputeError);
    settings.number = -1;
    EXPECT_THROW(corners(frame, spacing, settings), ComputeError);
}

TEST_F(Corners, OfOnePlaneAndOfDamagedFrames) {
    test::TestVolume plane({40, 40, 1}, [](double x, double y, double) {
        return x >= 10 && x < 30 && y >= 10 && y < 30 ? 100 : 0;
    });
    CornerSettings settings;
    settings.minResponse = 0.5;
    EXPECT_EQ(corners(plane, {1, 1, 1}, settings).size(), 4u);
    plane.view()(20, 20, 0) = std::numeric_limits<float>::quiet_NaN();
    plane.view()(5, 5, 0) = std::numeric_limits<float>::infinity();
    EXPECT_EQ(corners(plane, {1, 1, 1}, settings).size(), 4u);
}

TEST_F(Corners, AreTheSameForAnyThreads) {
    test::TestVolume frame = test::noiseVolume({40, 30, 25}, 8);
    ExecResources three(3);
    const std::vector<Corner> a = corners(frame, {1, 1, 1}, {}),
                              b = findCorners(frame.view(), {1, 1, 1}, {}, {}, three.context());
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].voxel, b[i].voxel);
        EXPECT_EQ(a[i].response, b[i].response);
    }
}

} // namespace
} // namespace systole
