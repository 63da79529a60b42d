// Signed distances on the device against those of the processor.
#include "compute/core/error.h"
#include "compute/surface/redistance.h"
#include "compute/surface/signed_distance.h"
#include "tests/compute/surface/surface_support.h"
#include "tests/support/compute_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

#include <algorithm>

namespace systole {
namespace {

class SurfaceOnDevice : public test::OnDevice {
protected:
    std::vector<float> distanceOf(const test::TestMask& mask, Vec3 spacing) {
        test::DeviceArray<std::uint8_t> inside(*cuda, mask.voxels);
        test::DeviceArray<float> phi(*cuda, mask.voxels.size());
        signedDistanceOnDevice({inside.data(), mask.size}, spacing, {phi.data(), mask.size},
                               context());
        return phi.download();
    }
    std::vector<float> levelOf(const test::TestVolume& values, float level, Vec3 spacing) {
        test::DeviceArray<float> from(*cuda, values.voxels), phi(*cuda, values.voxels.size());
        distanceToLevelOnDevice({from.data(), values.size}, level, Inside::Below, spacing,
                                {phi.data(), values.size}, context());
        return phi.download();
    }
    void expectAsOnProcessor(const test::TestMask& mask, Vec3 spacing) {
        std::vector<float> expected(mask.voxels.size());
        signedDistance(mask.view(), spacing, {expected.data(), mask.size}, resources.context());
        const auto found = distanceOf(mask, spacing);
        for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_NEAR(found[i], expected[i], 1e-6f * std::abs(expected[i])) << i;
        EXPECT_EQ(found, distanceOf(mask, spacing));
    }
};

TEST_F(SurfaceOnDevice, DistancesOfMasksAreThoseOfTheProcessor) {
    expectAsOnProcessor(test::randomMask({71, 45, 23}, 0.3), {1, 1, 1});
    expectAsOnProcessor(test::randomMask({71, 45, 23}, 0.001), {0.7, 1.3, 10});
    expectAsOnProcessor(test::randomMask({33, 1, 40}, 0.02), {1, 2, 3});
    expectAsOnProcessor(test::randomMask({1, 50, 3}, 0.1), {1, 2, 3});
    const test::Ball ball{{70, 52, 48}, 30};
    expectAsOnProcessor({{140, 100, 97}, [&](int x, int y, int z) { return ball(x, y, z) < 0; }},
                        {1, 1, 1});
    // One crossing far away, in words of 32 voxels behind empty ones.
    expectAsOnProcessor({{300, 2, 2}, [](int x, int y, int z) { return x == 299 && y + z == 0; }},
                        {1, 1, 1});
}

TEST_F(SurfaceOnDevice, MasksWithoutABorderAreRefused) {
    EXPECT_THROW(distanceOf({{40, 4, 4}, [](int, int, int) { return true; }}, {1, 1, 1}),
                 ComputeError);
    EXPECT_THROW(distanceOf({{40, 4, 4}, [](int, int, int) { return false; }}, {1, 1, 1}),
                 ComputeError);
}

TEST_F(SurfaceOnDevice, DistancesToLevelsAreThoseOfTheProcessor) {
    const Vec3 spacing{1, 0.8, 2};
    const test::Ball ball{{33, 30, 12}, 20, spacing};
    test::TestVolume values({70, 61, 26}, ball);
    const test::TestVolume noise = test::noiseVolume(values.size, 3);
    for (std::size_t i = 0; i < values.voxels.size(); ++i)
        values.voxels[i] += 0.2f * noise.voxels[i];
    std::vector<float> expected(values.voxels.size());
    distanceToLevel(values.view(), 0.3f, Inside::Below, spacing, {expected.data(), values.size},
                    resources.context());
    const auto found = levelOf(values, 0.3f, spacing);
    std::vector<double> errors;
    for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i] < 0, expected[i] < 0) << i;
        errors.push_back(
            std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
    }
    std::ranges::sort(errors);
    // Where points are equally near, rounding chooses.
    EXPECT_LT(errors[errors.size() * 99 / 100], 1e-3);
    EXPECT_LT(errors.back(), 0.5);
    EXPECT_EQ(found, levelOf(values, 0.3f, spacing));
    EXPECT_THROW(levelOf(values, -1000, spacing), ComputeError);
}

TEST_F(SurfaceOnDevice, RedistancingInPlaceIsThatOfTheProcessor) {
    const test::Ball ball{{24, 22, 20}, 13};
    const test::TestVolume values({48, 45, 41}, [&](double x, double y, double z) {
        return ball(x, y, z) * (1 + 0.5 * std::sin(0.3 * x));
    });
    std::vector<float> expected = values.voxels;
    redistance({expected.data(), values.size}, {1, 1, 1}, 5, resources.context());
    test::DeviceArray<float> phi(*cuda, values.voxels);
    redistanceOnDevice({phi.data(), values.size}, {1, 1, 1}, 5, context());
    const auto found = phi.download();
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], std::abs(expected[i]) < 5 ? 0.01 : 0.5) << i;
}

} // namespace
} // namespace systole
