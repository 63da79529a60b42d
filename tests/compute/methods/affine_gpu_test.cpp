// Affine registration on the device against the CPU: the same blocks, matches and maps.
#include "compute/core/error.h"
#include "compute/methods/ffd/affine.h"
#include "compute/methods/ffd/affine_steps.h"
#include "tests/support/affine_scene.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

#include <algorithm>
#include <cmath>
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

bool same(const affine::BlockMatch& a, const affine::BlockMatch& b) {
    const bool here = a.here == b.here || (std::isnan(a.here) && std::isnan(b.here));
    return here && a.x == b.x && a.y == b.y && a.z == b.z && a.correlation == b.correlation;
}

/// Blocks, warps and matches have the bits of the CPU's, where its processor has fused
/// multiply-add.
TEST_F(AffineOnDevice, StepsAreThoseOfTheCpu) {
    const Pair pair;
    const affine::PairLevels levels = affine::pairLevels(pair.fixedGrid, pair.movingGrid, 3);
    const MotionInput input = pair.input(true);
    const ExecContext onHost = resources.context(), onDevice = context();
    const auto host = affine::makeSteps(input, levels, onHost);
    const affine::VoxelMap map{{{0.98f, 0.03f, 0, 1}, {-0.03f, 1, 0, 0.4f}, {0, 0, 1, 2}}};
    for (const int variant : {0, 1}) {
        const auto device = affine::makeStepsOnDevice(input, levels, variant, onDevice);
        for (const affine::Side side : {affine::Side::Fixed, affine::Side::Moving})
            for (int level = 0; level < levels.count(); ++level) {
                EXPECT_EQ(host->image(side, level).gray, device->image(side, level).gray) << level;
                EXPECT_EQ(host->image(side, level).mask, device->image(side, level).mask) << level;
                const std::vector<float> variances = host->variances(side, level);
                EXPECT_EQ(variances, device->variances(side, level)) << level;
                std::vector<int> blocks(variances.size());
                std::iota(blocks.begin(), blocks.end(), 0);
                host->setBlocks(side, blocks);
                device->setBlocks(side, blocks);
                for (int radius = 1; radius <= 3; ++radius) {
                    const auto expected = host->match(side, level, map, {radius});
                    const auto found = device->match(side, level, map, {radius});
                    ASSERT_EQ(expected.size(), found.size());
                    for (std::size_t i = 0; i < expected.size(); ++i)
                        ASSERT_TRUE(same(expected[i], found[i]))
                            << "level " << level << ", radius " << radius << ", block " << i;
                }
            }
    }
}

} // namespace
} // namespace systole
