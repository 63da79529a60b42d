// Corners found on the device are the processor's.
#include "compute/core/error.h"
#include "compute/core/random.h"
#include "compute/landmarks/corners.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/waves.h"

#include <algorithm>
#include <tuple>
#include <vector>

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
    /// Expects the same corners in the same order with the same bits.
    void expectSame(const TestVolume& frame, Vec3 spacing, VolumeView<const float> mask,
                    const CornerSettings& settings, std::size_t atLeast) {
        const std::vector<Corner> onHost = found(Backend::Cpu, frame, spacing, mask, settings),
                                  onDevice = found(Backend::Cuda, frame, spacing, mask, settings);
        ASSERT_GE(onHost.size(), atLeast);
        ASSERT_EQ(onHost.size(), onDevice.size());
        for (std::size_t i = 0; i < onHost.size(); ++i) {
            EXPECT_EQ(placeOf(onHost[i]), placeOf(onDevice[i])) << i;
            EXPECT_EQ(onHost[i].response, onDevice[i].response) << i;
        }
    }
};

double noise(double x, double y, double z) {
    return 255 * uniformFloat(static_cast<std::uint32_t>(randomBits(
                     5, static_cast<std::uint64_t>(x + 100 * y), static_cast<std::uint64_t>(z))));
}

TEST_F(CornersOnDevice, AreTheProcessors) {
    TestVolume random({61, 50, 43}, noise), smooth({64, 48, 40}, test::waves);
    expectSame(random, {1, 1, 1}, {}, {}, 200);
    expectSame(random, {0.7, 0.7, 2.5}, {}, {.number = 300, .spacing = 3}, 300);
    expectSame(random, {1, 1, 1}, {},
               {.number = 5000, .spacing = 0, .gradientSigma = 1.5, .tensorSigma = 2}, 50);
    expectSame(smooth, {1.5, 1, 1}, {}, {.spacing = 2, .margin = 0}, 4);
}

TEST_F(CornersOnDevice, KeepToTheMaskAndTheMargin) {
    TestVolume frame({50, 40, 30}, noise),
        mask({50, 40, 30}, [](double x, double, double) { return x < 20 ? 1 : 0; });
    const CornerSettings settings{.spacing = 2, .margin = 4};
    expectSame(frame, {1, 1, 1}, mask.view(), settings, 50);
    for (const Corner& corner : found(Backend::Cuda, frame, {1, 1, 1}, mask.view(), settings)) {
        EXPECT_LT(corner.voxel.x, 20);
        EXPECT_GE(std::min({corner.voxel.x, corner.voxel.y, corner.voxel.z}), 4);
    }
}

TEST_F(CornersOnDevice, OfASinglePlaneAndOfNothing) {
    expectSame(TestVolume({70, 60, 1}, noise), {1, 1, 8}, {}, {.spacing = 2}, 50);
    TestVolume flat({20, 20, 20}, [](double, double, double) { return 7.0; });
    EXPECT_TRUE(found(Backend::Cuda, flat, {1, 1, 1}, {}, {}).empty());
    EXPECT_THROW(found(Backend::Cuda, flat, {1, 1, 1}, {}, {.number = -1}), ComputeError);
    // Wider than the device's filters: by the processor.
    TestVolume frame({40, 40, 40}, noise);
    expectSame(frame, {1, 1, 1}, {}, {.gradientSigma = 20}, 0);
}

} // namespace
} // namespace systole
