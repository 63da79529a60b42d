// Interpolation on the device: volumes of unusual sizes, positions outside, and the texture
// filter's weights. LabKernelGpuTest goes through all block sizes.
#include "compute/core/block_sizes.h"
#include "compute/core/error.h"
#include "tests/compute/lab/kernels/calls_on_device.h"
#include "tests/compute/lab/kernels/interpolate_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

namespace systole::lab {
namespace {

class InterpolateOnDevice : public test::OnDevice {
protected:
    std::vector<float> values(int variant, int threads, const test::TestVolume& volume,
                              const test::TestField& positions) {
        const Size3 size = positions.size;
        const std::size_t n = size.voxels();
        test::DeviceArray<float> voxels(*cuda, volume.voxels), at(*cuda, positions.values),
            out(*cuda, n);
        ExecContext ctx = context();
        const BlockSizes blocks({{interpolateFamily.kernel(variant), threads}});
        ctx.blockSizes = &blocks;
        interpolateOnDevice(variant, {voxels.data(), volume.size}, {at.data(), size},
                            {out.data(), size}, ctx);
        return out.download();
    }
};

constexpr int filter = interpolateFamily.named("texture-filter");
const Size3 volumes[] = {{33, 18, 7}, {64, 40, 30}, {5, 1, 1}, {1, 1, 1}};

/// Differences in full precision stay within those that the order of multiplications and additions
/// causes.
TEST_F(InterpolateOnDevice, ExactVariantsEqualTheFormForProcessors) {
    for (const Size3 size : volumes) {
        const test::TestVolume volume = test::noiseVolume(size, 4);
        test::TestVolume mutableVolume = volume;
        test::TestField positions = test::randomPositions({41, 13, 9}, size, 2);
        std::vector<float> expected(positions.size.voxels());
        interpolate(mutableVolume.view(), positions.view(), {expected.data(), positions.size},
                    resources.context());
        for (const char* name : {"direct", "l2-only", "texture", "texture-1d", "read-only"})
            for (const int threads : {96, 1024})
                EXPECT_LT(test::largestDifference(
                              values(interpolateFamily.named(name), threads, volume, positions),
                              expected),
                          3e-6)
                    << name << " " << threads;
    }
}

/// The texture unit rounds the part along each axis to 1/256, and each of the eight weights that
/// the parts give to 1/256 again, such that they still add up to one.
TEST_F(InterpolateOnDevice, TheFiltersWeightsAreMultiplesOf256th) {
    test::TestField positions(Size3{40, 30, 20});
    for (std::size_t i = 0; i < positions.values.size(); ++i)
        positions.values[i] = uniformFloat(static_cast<std::uint32_t>(randomBits(3, 1, i)));
    const std::size_t n = positions.size.voxels();
    std::vector<double> sums(n, 0.0);
    for (std::size_t corner = 0; corner < 8; ++corner) {
        test::TestVolume volume({2, 2, 2}, [](double, double, double) { return 0; });
        volume.voxels[corner] = 1;
        const std::vector<float> weights = values(filter, 256, volume, positions);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(weights[i] * 256, std::round(weights[i] * 256)) << i;
            // Three parts off by 2^-9 and a weight that is rounded by less than 2^-8.
            EXPECT_NEAR(static_cast<double>(weights[i]),
                        test::trilinear(volume, test::positionAt(positions, i)).value,
                        3 * 0x1p-9 + 0x1p-8);
            sums[i] += static_cast<double>(weights[i]);
        }
    }
    for (const double sum : sums)
        EXPECT_EQ(sum, 1);
}

/// So a value is off by 2^-9 of the contrast along each axis, and, since the errors of the weights
/// cancel in their sum, by 2^-8 of how far the eight values lie from any number: their middle.
/// A position is rounded once more as half a voxel is added: 2^-18 for positions below 64.
TEST_F(InterpolateOnDevice, TheFilterIsWithinTheBoundOfItsEightBitWeights) {
    for (const Size3 size : volumes) {
        test::TestVolume volume = test::noiseVolume(size, 4);
        test::TestField positions = test::randomPositions({41, 13, 9}, size, 2);
        for (const int threads : {96, 1024}) {
            const std::vector<float> found = values(filter, threads, volume, positions);
            double worst = 0;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const test::TrilinearValue exact =
                    test::trilinear(volume, test::positionAt(positions, i));
                const double contrast = exact.contrast[0] + exact.contrast[1] + exact.contrast[2];
                const double error = std::abs(static_cast<double>(found[i]) - exact.value);
                EXPECT_LE(error, (0x1p-9 + 0x1p-18) * contrast + 0x1p-8 * exact.spread + 3e-6) << i;
                if (contrast > 0)
                    worst = std::max(worst, error / contrast);
            }
            if (size.x > 5) { // some of thousands of positions come near the bound
                EXPECT_GT(worst, 0x1p-10);
            }
        }
    }
}

TEST_F(InterpolateOnDevice, RefusesOtherSizes) {
    test::DeviceArray<float> some(*cuda, std::size_t{100});
    const FieldView<float> positions{some.data(), some.data() + 8, some.data() + 16, {2, 2, 2}};
    EXPECT_THROW(interpolateOnDevice(interpolateFamily.named("direct"), {some.data(), {3, 3, 3}},
                                     positions, {some.data() + 60, {3, 3, 3}}, context()),
                 ComputeError);
    EXPECT_THROW(interpolateOnDevice(interpolateFamily.named("texture"), {}, positions,
                                     {some.data() + 60, {2, 2, 2}}, context()),
                 ComputeError);
}

} // namespace
} // namespace systole::lab
