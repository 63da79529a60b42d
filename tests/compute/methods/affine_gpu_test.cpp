// Affine registration on the device against the CPU: the same blocks, matches and maps.
#include "compute/core/error.h"
#include "compute/methods/ffd/affine.h"
#include "compute/methods/ffd/affine_steps.h"
#include "tests/support/affine_scene.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace systole {
namespace {

using test::BlobScene;
using test::centeredGrid;
using test::largestDistance;
using test::turned;

class AffineOnDevice : public test::OnDevice {};

struct Pair {
    Geometry fixedGrid = centeredGrid({70, 61, 50}, {2, 2, 2.2}),
             movingGrid = centeredGrid({64, 64, 64}, {1.9, 2, 2}, turned(20, {1, 0, 1}));
    AffineMap truth{turned(9, {1, 2, 3}, {1.04, 0.97, 1.02}), {7, -6, 5}};
    std::vector<float> fixed = BlobScene(1).image(fixedGrid, truth),
                       moving = BlobScene(1).image(movingGrid);
    std::vector<float> mask = std::vector<float>(movingGrid.voxels(), 1);

    Pair() { std::fill_n(mask.begin(), mask.size() / 6, 0.0f); }
    MotionInput input(bool masked) const {
        MotionInput in;
        in.fixed = {fixed.data(), fixedGrid.size()};
        in.moving = {moving.data(), movingGrid.size()};
        in.grids = FrameGrids{fixedGrid, movingGrid};
        if (masked)
            in.movingMask = {mask.data(), movingGrid.size()};
        return in;
    }
};

TEST_F(AffineOnDevice, FindsTheMapsOfTheCpu) {
    const Pair pair;
    for (const bool symmetric : {false, true})
        for (const bool rigid : {false, true})
            for (const char* const variant : {"direct", "rows"}) {
                AffineParameters p;
                p.symmetric = symmetric;
                p.rigid = rigid;
                p.anyContrast = rigid;
                p.matchVariant = affine::matchFamily.named(variant);
                const MotionInput input = pair.input(symmetric);
                const AffineResult host = registerAffine(input, {}, p, resources.context());
                const AffineResult device = registerAffine(input, {}, p, context());
                EXPECT_LT(largestDistance(host.map, device.map, 1), 1e-4) << variant;
                EXPECT_EQ(host.start, device.start);
                ASSERT_EQ(host.levels.size(), device.levels.size());
                for (std::size_t i = 0; i < host.levels.size(); ++i)
                    EXPECT_EQ(host.levels[i].blocks, device.levels[i].blocks);
                const AffineResult again = registerAffine(input, {}, p, context());
                EXPECT_EQ(again.map.matrix, device.map.matrix);
                EXPECT_EQ(again.map.offset, device.map.offset);
            }
}

TEST_F(AffineOnDevice, ImagesMayLieOnTheDevice) {
    const Pair pair;
    MotionInput input = pair.input(true);
    const AffineResult uploaded = registerAffine(input, {}, {}, context());
    test::DeviceArray<float> fixed(*cuda, pair.fixed), moving(*cuda, pair.moving),
        mask(*cuda, pair.mask);
    input.fixed.data = fixed.data();
    input.moving.data = moving.data();
    input.movingMask.data = mask.data();
    input.space = MemorySpace::Device;
    const AffineResult there = registerAffine(input, {}, {}, context());
    EXPECT_EQ(uploaded.map.matrix, there.map.matrix);
    EXPECT_EQ(uploaded.map.offset, there.map.offset);
}

TEST_F(AffineOnDevice, ValuesThatAreNotFiniteAreAnError) {
    Pair pair;
    pair.moving[77] = std::numeric_limits<float>::infinity();
    test::DeviceArray<float> fixed(*cuda, pair.fixed), moving(*cuda, pair.moving);
    MotionInput input = pair.input(false);
    input.fixed.data = fixed.data();
    input.moving.data = moving.data();
    input.space = MemorySpace::Device;
    EXPECT_THROW(registerAffine(input, {}, {}, context()), ComputeError);
}

/// Blocks, warps and matches: the arithmetic is the same, so that they differ by the decimation
/// alone.
TEST_F(AffineOnDevice, StepsAreThoseOfTheCpu) {
    const Pair pair;
    const affine::PairLevels levels = affine::pairLevels(pair.fixedGrid, pair.movingGrid, 3);
    const MotionInput input = pair.input(true);
    const ExecContext onHost = resources.context(), onDevice = context();
    const auto host = affine::makeSteps(input, levels, onHost);
    for (const int variant : {0, 1}) {
        const auto device = affine::makeStepsOnDevice(input, levels, variant, onDevice);
        const affine::VoxelMap map{{{0.98f, 0.03f, 0, 1}, {-0.03f, 1, 0, 0.4f}, {0, 0, 1, 2}}};
        for (const affine::Side side : {affine::Side::Fixed, affine::Side::Moving})
            for (int level = 0; level < levels.count(); ++level) {
                const std::vector<float> a = host->variances(side, level),
                                         b = device->variances(side, level);
                ASSERT_EQ(a.size(), b.size());
                for (std::size_t i = 0; i < a.size(); ++i)
                    ASSERT_NEAR(a[i], b[i], 1e-3 * std::max(1.0f, a[i]));
                std::vector<int> blocks(a.size());
                std::iota(blocks.begin(), blocks.end(), 0);
                host->setBlocks(side, blocks);
                device->setBlocks(side, blocks);
                for (int radius = 1; radius <= 3; ++radius) {
                    const auto expected = host->match(side, level, map, {radius});
                    const auto found = device->match(side, level, map, {radius});
                    int different = 0;
                    for (std::size_t i = 0; i < expected.size(); ++i) {
                        EXPECT_EQ(std::isnan(expected[i].here), std::isnan(found[i].here));
                        different += std::abs(expected[i].x - found[i].x) > 1e-2f ||
                                     std::abs(expected[i].y - found[i].y) > 1e-2f ||
                                     std::abs(expected[i].z - found[i].z) > 1e-2f;
                    }
                    // Two windows may be equally good but for the decimation's rounding.
                    EXPECT_LE(different, static_cast<int>(expected.size() / 200)) << level;
                }
            }
    }
}

} // namespace
} // namespace systole
