// The way from a frame to its surface on the device, against that on the processor.
#include "compute/core/error.h"
#include "compute/surface/isosurface_device.h"
#include "compute/surface/mean_place.h"
#include "compute/surface/nonlocal_surface.h"
#include "compute/surface/point_values.h"
#include "compute/surface/redistance.h"
#include "compute/surface/signed_distance.h"
#include "compute/surface/surface.h"
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

TEST_F(SurfaceOnDevice, LabelsAndThresholdsHaveTheProcessorsDistances) {
    const Geometry grid({41, 37, 30}, {1, 1.2, 2});
    const test::Ball ball{{20, 22, 28}, 17, grid.spacing()};
    test::TestVolume labels(
        grid.size(), [&](double x, double y, double z) { return ball(x, y, z) < 0 ? 3.0 : 1.0; });
    test::TestVolume gray(grid.size(),
                          [&](double x, double y, double z) { return 100 - 4 * ball(x, y, z); });
    test::DeviceArray<float> phi(*cuda, grid.voxels());
    const VolumeView<float> onDevice(phi.data(), grid.size());
    std::vector<float> expected(grid.voxels());
    const VolumeView<float> onHost(expected.data(), grid.size());

    distanceOfLabelOnDevice(labels.view(), 3, grid, onDevice, context());
    distanceOfLabel(labels.view(), 3, grid, onHost, resources.context());
    std::vector<float> found = phi.download();
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-5f * std::abs(expected[i])) << i;

    distanceOfThresholdOnDevice(gray.view(), 100, grid, onDevice, context());
    distanceOfThreshold(gray.view(), 100, grid, onHost, resources.context());
    found = phi.download();
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-3) << i;

    EXPECT_THROW(distanceOfLabelOnDevice(labels.view(), 2, grid, onDevice, context()),
                 ComputeError);
    EXPECT_THROW(distanceOfThresholdOnDevice(gray.view(), 1000, grid, onDevice, context()),
                 ComputeError);
}

TEST_F(SurfaceOnDevice, WhatDenoisingMovedIsGivenBackAsOnTheProcessor) {
    const Vec3 spacing{1, 0.8, 1.5};
    const Size3 size{40, 43, 29};
    const test::Ball ball{{20, 22, 14}, 11, spacing}, smaller{{20, 22, 14}, 10.3, spacing};
    test::TestVolume before(size, ball);
    const test::TestVolume noise = test::noiseVolume(size, 5);
    for (std::size_t i = 0; i < before.voxels.size(); ++i)
        before.voxels[i] += 0.2f * noise.voxels[i];
    std::vector<float> expected = test::TestVolume(size, smaller).voxels;
    test::DeviceArray<float> noisy(*cuda, before.voxels), phi(*cuda, expected);
    const auto parameters = MeanPlaceParameters::around(3, 2);
    keepMeanPlace(before.view(), {expected.data(), size}, spacing, parameters, resources.context());
    keepMeanPlaceOnDevice({noisy.data(), size}, {phi.data(), size}, spacing, parameters, context());
    const std::vector<float> found = phi.download();
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-4) << i;
}

TEST_F(SurfaceOnDevice, DenoisedItIsThatOfTheProcessor) {
    const Vec3 spacing{1, 1, 1.3};
    const Size3 size{36, 35, 28};
    const test::Ball ball{{17, 18, 13}, 11, spacing};
    test::TestVolume noisy(size, ball);
    const test::TestVolume noise = test::noiseVolume(size, 7);
    for (std::size_t i = 0; i < noisy.voxels.size(); ++i)
        noisy.voxels[i] += 0.3f * noise.voxels[i];
    for (const char* const preset : {"live", "default"}) {
        SCOPED_TRACE(preset);
        ParamSet values(nonlocalMeansTable(), preset);
        values.set("rounds", 2);
        const auto parameters = NonlocalMeansParameters::from(values);
        std::vector<float> expected = noisy.voxels, through = noisy.voxels;
        denoiseNonlocally({expected.data(), size}, spacing, parameters, resources.context());
        test::DeviceArray<float> phi(*cuda, noisy.voxels);
        const DenoiseReport report =
            denoiseNonlocallyOnDevice({phi.data(), size}, spacing, parameters, context());
        EXPECT_GT(report.elements, 1000);
        const std::vector<float> found = phi.download();
        std::vector<double> errors;
        for (std::size_t i = 0; i < found.size(); ++i)
            if (std::abs(expected[i]) < 2)
                errors.push_back(
                    std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
        std::ranges::sort(errors);
        // Rounding between rounds chooses among equally near points.
        EXPECT_LT(errors[errors.size() * 99 / 100], 1e-3);
        EXPECT_LT(errors.back(), 0.2);
        denoiseNonlocally({through.data(), size}, spacing, parameters, context());
        EXPECT_EQ(through, found) << "from the host and back";
    }
}

TEST_F(SurfaceOnDevice, ValuesAtPointsAreThoseOfTheProcessor) {
    const Geometry grid({24, 20, 22}, {1, 1.2, 2}, {5, -7, 11});
    const test::Ball ball{{11, 10, 12}, 9, grid.spacing()};
    const test::TestVolume shape(grid.size(), ball);
    test::TestVolume values = test::noiseVolume(grid.size(), 2);
    test::DeviceArray<float> phi(*cuda, shape.voxels), noise(*cuda, values.voxels);
    const DeviceMesh mesh =
        deviceIsosurface({phi.data(), grid.size()}, grid, SurfaceEdge::Closed, context());
    const TriangleMesh onHost = toHost(mesh, *cuda);
    ASSERT_GT(onHost.points.size(), 500u);
    const auto found = valuesAtPointsOnDevice({noise.data(), grid.size()}, grid, mesh, context());
    const auto expected = valuesAtPoints(values.view(), grid, onHost, resources.context());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-5) << i;
}

} // namespace
} // namespace systole
