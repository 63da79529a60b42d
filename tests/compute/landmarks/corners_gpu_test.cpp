// Corners found on the device are the processor's.
#include "compute/core/error.h"
#include "compute/core/random.h"
#include "compute/landmarks/corners.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/waves.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace systole {
namespace {

using test::TestVolume;

std::tuple<int, int, int> placeOf(const Corner& corner) {
    return {corner.voxel.x, corner.voxel.y, corner.voxel.z};
}

class CornersOnDevice : public test::OnDevice {
protected:
    std::vector<Corner> found(Backend backend, TestVolume frame, Vec3 spacing,
                              VolumeView<const float> mask, const CornerSettings& settings) {
        ExecContext ctx = context();
        ctx.backend = backend;
        return findCorners(frame.view(), spacing, mask, settings, ctx);
    }
    /// At least 199 of 200 corners are the same; rounding may decide between two that are alike.
    void expectAlike(TestVolume frame, Vec3 spacing, VolumeView<const float> mask,
                     const CornerSettings& settings, std::size_t atLeast) {
        const std::vector<Corner> onHost = found(Backend::Cpu, frame, spacing, mask, settings),
                                  onDevice = found(Backend::Cuda, frame, spacing, mask, settings);
        ASSERT_GE(onHost.size(), atLeast);
        std::set<std::tuple<int, int, int>> places;
        for (const Corner& corner : onHost)
            places.insert(placeOf(corner));
        std::size_t same = 0;
        for (const Corner& corner : onDevice)
            same += places.count(placeOf(corner));
        EXPECT_GE(200 * same, 199 * std::max(onHost.size(), onDevice.size()));
        for (std::size_t i = 1; i < onDevice.size(); ++i)
            ASSERT_GE(onDevice[i - 1].response, onDevice[i].response);
        ASSERT_FALSE(onDevice.empty());
        EXPECT_NEAR(onDevice.front().response, onHost.front().response,
                    1e-4f * onHost.front().response);
        const std::vector<Corner> again = found(Backend::Cuda, frame, spacing, mask, settings);
        ASSERT_EQ(again.size(), onDevice.size());
        for (std::size_t i = 0; i < again.size(); ++i) {
            EXPECT_EQ(placeOf(again[i]), placeOf(onDevice[i]));
            EXPECT_EQ(again[i].response, onDevice[i].response);
        }
    }
};

double noise(double x, double y, double z) {
    return 255 * uniformFloat(static_cast<std::uint32_t>(randomBits(
                     5, static_cast<std::uint64_t>(x + 100 * y), static_cast<std::uint64_t>(z))));
}

TEST_F(CornersOnDevice, AreTheProcessors) {
    TestVolume random({61, 50, 43}, noise), smooth({64, 48, 40}, test::waves);
    expectAlike(random, {1, 1, 1}, {}, {}, 200);
    expectAlike(random, {0.7, 0.7, 2.5}, {}, {.number = 300, .spacing = 3}, 300);
    expectAlike(random, {1, 1, 1}, {},
                {.number = 5000, .spacing = 0, .gradientSigma = 1.5, .tensorSigma = 2}, 50);
    expectAlike(smooth, {1.5, 1, 1}, {}, {.spacing = 2, .margin = 0}, 4);
}

TEST_F(CornersOnDevice, KeepToTheMaskAndTheMargin) {
    TestVolume frame({50, 40, 30}, noise),
        mask({50, 40, 30}, [](double x, double, double) { return x < 20 ? 1 : 0; });
    const CornerSettings settings{.spacing = 2, .margin = 4};
    expectAlike(frame, {1, 1, 1}, mask.view(), settings, 50);
    for (const Corner& corner : found(Backend::Cuda, frame, {1, 1, 1}, mask.view(), settings)) {
        EXPECT_LT(corner.voxel.x, 20);
        EXPECT_GE(std::min({corner.voxel.x, corner.voxel.y, corner.voxel.z}), 4);
    }
}

TEST_F(CornersOnDevice, OfASinglePlaneAndOfNothing) {
    expectAlike(TestVolume({70, 60, 1}, noise), {1, 1, 8}, {}, {.spacing = 2}, 50);
    TestVolume flat({20, 20, 20}, [](double, double, double) { return 7.0; });
    EXPECT_TRUE(found(Backend::Cuda, flat, {1, 1, 1}, {}, {}).empty());
    EXPECT_THROW(found(Backend::Cuda, flat, {1, 1, 1}, {}, {.number = -1}), ComputeError);
    // Wider than the device's filters: by the processor.
    TestVolume frame({40, 40, 40}, noise);
    EXPECT_EQ(found(Backend::Cuda, frame, {1, 1, 1}, {}, {.gradientSigma = 20}).size(),
              found(Backend::Cpu, frame, {1, 1, 1}, {}, {.gradientSigma = 20}).size());
}

} // namespace
} // namespace systole
