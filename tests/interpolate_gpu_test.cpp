// Interpolation on the device in every variant and block size.
#include "compute/core/block_sizes.h"
#include "compute/core/error.h"
#include "compute/ops/interpolate.h"
#include "tests/device_array.h"
#include "tests/gpu_support.h"
#include "tests/interpolate_support.h"

namespace systole {
namespace {

class InterpolateOnDevice : public test::OnDevice {
protected:
    std::vector<float> values(InterpolateVariant variant, int threads,
                              const test::TestVolume& volume, const test::TestField& positions) {
        const Size3 size = positions.size;
        const std::size_t n = size.voxels();
        test::DeviceArray<float> voxels(*cuda, volume.voxels), at(*cuda, positions.values),
            out(*cuda, n);
        ExecContext ctx = context();
        const BlockSizes blocks({{interpolateKernels[static_cast<int>(variant)], threads}});
        ctx.blockSizes = &blocks;
        interpolateOnDevice(variant, {voxels.data(), volume.size},
                            {at.data(), at.data() + n, at.data() + 2 * n, size}, {out.data(), size},
                            ctx);
        return out.download();
    }
};

const Size3 volumes[] = {{33, 18, 7}, {64, 40, 30}, {5, 1, 1}, {1, 1, 1}};

/// In full precision: within what the order of multiplications and additions changes.
TEST_F(InterpolateOnDevice, ExactVariantsEqualTheFormForProcessors) {
    for (const Size3 size : volumes) {
        const test::TestVolume volume = test::noiseVolume(size, 4);
        test::TestVolume mutableVolume = volume;
        test::TestField positions = test::randomPositions({41, 13, 9}, size, 2);
        std::vector<float> expected(positions.size.voxels());
        interpolate(mutableVolume.view(), positions.view(), {expected.data(), positions.size},
                    resources.context());
        for (const InterpolateVariant variant :
             {InterpolateVariant::Direct, InterpolateVariant::L2Only, InterpolateVariant::Texture})
            for (const int threads : {32, 96, 256, 1024})
                EXPECT_LT(
                    test::largestDifference(values(variant, threads, volume, positions), expected),
                    3e-6)
                    << interpolateKernels[static_cast<int>(variant)] << " " << threads;
    }
}

/// The texture unit rounds the part along each axis to 1/256: it is off by 2^-9 at most, and the
/// value by that times the contrast along the axis, for each axis. A position is rounded once more
/// as half a voxel is added: 2^-18 for positions below 64.
TEST_F(InterpolateOnDevice, TheFilterIsWithinTheBoundOfItsEightBitWeights) {
    for (const Size3 size : volumes) {
        test::TestVolume volume = test::noiseVolume(size, 4);
        test::TestField positions = test::randomPositions({41, 13, 9}, size, 2);
        for (const int threads : {32, 96, 256, 1024}) {
            const std::vector<float> found =
                values(InterpolateVariant::TextureFilter, threads, volume, positions);
            double worst = 0;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const test::TrilinearValue exact =
                    test::trilinear(volume, test::positionAt(positions, i));
                const double contrast = exact.contrast[0] + exact.contrast[1] + exact.contrast[2];
                const double error = std::abs(static_cast<double>(found[i]) - exact.value);
                EXPECT_LE(error, (0x1p-9 + 0x1p-18) * contrast + 3e-6) << i;
                if (contrast > 0)
                    worst = std::max(worst, error / contrast);
            }
            RecordProperty("worst_error_over_contrast", std::to_string(worst));
            if (size.x > 5) { // of thousands of positions some come near the bound
                EXPECT_GT(worst, 0x1p-12);
            }
        }
    }
}

TEST_F(InterpolateOnDevice, RefusesOtherSizes) {
    test::DeviceArray<float> some(*cuda, std::size_t{100});
    const FieldView<float> positions{some.data(), some.data() + 8, some.data() + 16, {2, 2, 2}};
    EXPECT_THROW(interpolateOnDevice(InterpolateVariant::Direct, {some.data(), {3, 3, 3}},
                                     positions, {some.data() + 60, {3, 3, 3}}, context()),
                 ComputeError);
    EXPECT_THROW(interpolateOnDevice(InterpolateVariant::Texture, {}, positions,
                                     {some.data() + 60, {2, 2, 2}}, context()),
                 ComputeError);
}

} // namespace
} // namespace systole
