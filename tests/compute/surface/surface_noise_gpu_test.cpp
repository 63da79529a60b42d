// Denoising by the noise found, on the device as on the CPU.
#include "compute/surface/coarse_grid.h"
#include "compute/surface/nonlocal_surface.h"
#include "tests/support/compute_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"
#include "tests/support/moved_border.h"

namespace systole {
namespace {

using namespace test;

class SurfaceNoiseOnDevice : public OnDevice {
protected:
    const Size3 size{48, 50, 46};
    const MovedBorder border =
        movedBorder(sphere({23.6, 24.3, 22.8}, 16), size, 0.8, 1, 1, resources.context());
};

TEST_F(SurfaceNoiseOnDevice, ACoarserGridIsThatOfTheCpu) {
    const CoarseGrid grid = CoarseGrid::of(size, {1, 1, 1}, 1.9);
    const std::size_t voxels = grid.size.voxels();
    std::vector<float> smooth(voxels), asItIs(voxels), back(size.voxels());
    coarsen({border.phi.data(), size}, grid, {smooth.data(), grid.size}, {asItIs.data(), grid.size},
            resources.context());
    refine({asItIs.data(), grid.size}, grid, 0.25f, {back.data(), size}, resources.context());
    DeviceArray<float> fine(*cuda, border.phi), first(*cuda, voxels), second(*cuda, voxels);
    coarsenOnDevice({fine.data(), size}, grid, {first.data(), grid.size},
                    {second.data(), grid.size}, context());
    refineOnDevice({second.data(), grid.size}, grid, 0.25f, {fine.data(), size}, context());
    EXPECT_LT(largestDifference(first.download(), smooth), 1e-5);
    EXPECT_LT(largestDifference(second.download(), asItIs), 1e-5);
    EXPECT_LT(largestDifference(fine.download(), back), 1e-5);
}

TEST_F(SurfaceNoiseOnDevice, IsFoundAndTakenAwayAsOnTheCpu) {
    for (const double grid : {0.0, 1.0, 2.0}) {
        NonlocalMeansParameters p;
        p.grid = grid;
        std::vector<float> onCpu = border.phi, through = border.phi;
        const DenoiseReport expected =
            denoiseNonlocally({onCpu.data(), size}, {1, 1, 1}, p, resources.context());
        const DenoiseReport report =
            denoiseNonlocally({through.data(), size}, {1, 1, 1}, p, context());
        EXPECT_EQ(report.grid, expected.grid);
        EXPECT_EQ(report.noise.amplitude, expected.noise.amplitude);
        EXPECT_LT(largestDifference(through, onCpu), 1e-3) << grid;
    }
}

} // namespace
} // namespace systole
