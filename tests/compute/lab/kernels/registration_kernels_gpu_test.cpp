// Every variant of the spatial and the similarity gradient on the device, with sizes that no block
// divides and positions beyond the image. LabKernelGpuTest goes through all block sizes.
#include "compute/core/block_sizes.h"
#include "compute/core/error.h"
#include "tests/compute/lab/kernels/calls_on_device.h"
#include "tests/compute/lab/kernels/registration_kernels_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

namespace systole::lab {
namespace {

class RegistrationKernelsOnDevice : public test::OnDevice {
protected:
    /// Calls run(ctx) with blocks of so many threads for the family's variant.
    template <typename Run>
    void withBlocks(const KernelFamily& family, int variant, int threads, const Run& run) {
        const BlockSizes blocks({{family.kernel(variant), threads}});
        ExecContext ctx = context();
        ctx.blockSizes = &blocks;
        run(ctx);
    }
};

TEST_F(RegistrationKernelsOnDevice, SpatialGradientIsTheTrilinearValuesDerivative) {
    for (const Size3 image : {Size3{33, 18, 7}, Size3{64, 40, 30}, Size3{5, 1, 1}}) {
        test::TestVolume moving = test::noiseVolume(image, 4);
        test::TestField motion = test::wildMotion({41, 13, 9}, image, 2);
        const Size3 size = motion.size;
        const std::vector<double> exact = test::exactGradients(moving, motion);
        test::DeviceArray<float> voxels(*cuda, moving.voxels), moved(*cuda, motion.values);
        for (int variant = 0; variant < spatialGradientFamily.count(); ++variant)
            for (const int threads : {96, 1024}) {
                test::DeviceArray<float> out(*cuda, exact.size());
                withBlocks(spatialGradientFamily, variant, threads, [&](const ExecContext& ctx) {
                    spatialGradientOnDevice(variant, {voxels.data(), image}, {moved.data(), size},
                                            {out.data(), size}, ctx);
                });
                const KernelVariant& row = spatialGradientFamily.at(variant);
                const bool rounded = row.tolerance > 1e-3; // 8-bit weights
                const double error = test::largestError(out.download(), exact);
                EXPECT_LT(error, rounded ? row.tolerance : 3e-6) << row.name << " " << threads;
                if (rounded && image.y > 1) {
                    EXPECT_GT(error, 1e-4) << row.name;
                }
            }
    }
}

TEST_F(RegistrationKernelsOnDevice, SimilarityGradientIsTheDefinitions) {
    for (const Size3 size : {Size3{35, 14, 6}, Size3{70, 33, 40}}) {
        const test::RandomSlope slope(size);
        const std::vector<double> exact = slope.exact();
        test::DeviceArray<float> values(*cuda, slope.values);
        for (int variant = 0; variant < similarityGradientFamily.count(); ++variant)
            for (const int threads : {32, 96, 1024}) {
                test::DeviceArray<float> out(*cuda, exact.size());
                withBlocks(similarityGradientFamily, variant, threads, [&](const ExecContext& ctx) {
                    similarityGradientOnDevice(variant, slope.of(values.data()), {out.data(), size},
                                               ctx);
                });
                EXPECT_LT(test::largestError(out.download(), exact), test::slopeRounding)
                    << similarityGradientFamily.at(variant).name << " " << threads;
            }
    }
}

TEST_F(RegistrationKernelsOnDevice, RefuseOtherSizes) {
    test::DeviceArray<float> some(*cuda, std::size_t{500});
    const FieldView<float> small{some.data(), {2, 2, 2}}, large{some.data(), {3, 3, 3}};
    EXPECT_THROW(spatialGradientOnDevice(0, {some.data(), {4, 4, 4}}, small, large, context()),
                 ComputeError);
    EXPECT_THROW(spatialGradientOnDevice(0, {}, small, small, context()), ComputeError);
    const test::RandomSlope slope({2, 2, 2});
    EXPECT_THROW(similarityGradientOnDevice(0, slope.of(some.data()), large, context()),
                 ComputeError);
}

} // namespace
} // namespace systole::lab
