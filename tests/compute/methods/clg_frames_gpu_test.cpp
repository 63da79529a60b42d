// CLG's frames on the device: unknown voxels, pyramid, noise and smoothness, against the CPU.
#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/balance_math.h"
#include "compute/ops/fill_unknown.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"
#include "tests/compute/methods/clg_device_steps.h"
#include "tests/compute/methods/clg_kernels_support.h"

#include <functional>

namespace systole {
namespace {

using test::ClgKernels;
using test::cubes;
using test::grayValues;
using test::largestDifference;
using test::sizes;
using test::TestField;
using test::text;
using test::thickSlices;
using test::unevenField;
using test::Values;

TEST_F(ClgKernels, FramesAreExtendedToTheSameBits) {
    for (const Size3 size : sizes) {
        const std::size_t n = size.voxels();
        Values frames = grayValues({size.x, size.y, 2 * size.z}, 5);
        std::vector<std::uint8_t> known(n), mask, next(n);
        for (std::size_t i = 0; i < n; ++i)
            known[i] = frames[i] > 200;
        mask = known;
        Values expected = frames, scratch(fillScratch(size));
        const std::array views{VolumeView<float>(expected.data(), size),
                               VolumeView<float>(expected.data() + n, size)};
        fillUnknown({mask.data(), size}, {next.data(), size}, views, scratch.data(), context());
        EXPECT_EQ(test::fillOnDevice(*cuda, frames, known, size, true), expected) << text(size);
        EXPECT_EQ(test::fillOnDevice(*cuda, frames, known, size, false), frames) << text(size);
    }
}

TEST_F(ClgKernels, PyramidStepsAreThoseOfTheCpu) {
    for (const Size3 size : sizes)
        for (const std::array<int, 3> factor :
             {std::array{2, 2, 2}, std::array{2, 2, 1}, std::array{1, 2, 2}}) {
            const Size3 coarse{(size.x + factor[0] - 1) / factor[0],
                               (size.y + factor[1] - 1) / factor[1],
                               (size.z + factor[2] - 1) / factor[2]};
            Values volumes = grayValues({size.x, size.y, 2 * size.z}, 8);
            Values expected(2 * coarse.voxels());
            for (std::size_t k = 0; k < 2; ++k)
                decimate({volumes.data() + k * size.voxels(), size}, factor,
                         {expected.data() + k * coarse.voxels(), coarse}, context());
            EXPECT_LT(
                largestDifference(test::decimateOnDevice(*cuda, volumes, 2, size, factor, coarse),
                                  expected),
                2e-4)
                << text(size);

            TestField fine = unevenField(size, 2), down(coarse), up(size);
            downsampleField(fine.view(), factor, down.view(), context());
            upsampleField(down.view(), factor, up.view(), context());
            EXPECT_LT(largestDifference(
                          test::downsampleOnDevice(*cuda, fine.values, size, factor, coarse),
                          down.values),
                      1e-6);
            EXPECT_LT(
                largestDifference(test::upsampleOnDevice(*cuda, down.values, coarse, factor, size),
                                  up.values),
                1e-6);
        }
}

TEST_F(ClgKernels, TheBalanceIsThatOfTheCpu) {
    for (const Size3 size :
         {Size3{40, 33, 29}, Size3{80, 75, 78}, Size3{13, 6, 7}, Size3{5, 9, 9}}) {
        TestField field = unevenField(size, 0.4f);
        for (const std::array<float, 3> scale : {cubes, thickSlices}) {
            const double gain = clg::smoothnessGain(fieldRoughness(field.view(), scale, context()));
            const std::array<float, 3> smoothness =
                test::smoothnessOnDevice(*cuda, field.values, size, scale, {0.3f, 0.1f, 0});
            EXPECT_NEAR(smoothness[0], 0.3 * gain, 1e-5 * gain) << text(size);
            EXPECT_NEAR(smoothness[1], 0.1 * gain, 1e-5 * gain);
            EXPECT_EQ(smoothness[2], 0);
        }

        // White noise is smoothed, a smooth picture is not, a constant one neither.
        Values white = grayValues(size, 9), waves = white, constant(size.voxels(), 7.0f);
        form->smooth({waves.data(), size}, tapsOfAxes({2, 2, 2}), context());
        for (Values& volume : {std::ref(white), std::ref(waves), std::ref(constant)})
            for (const double least : {0.0, 0.7}) {
                const std::array<float, 3> scale = least > 0 ? thickSlices : cubes;
                const double sigma = std::max(least, clg::prefilterSigma(neighborCorrelation(
                                                         {volume.data(), size}, scale, context())));
                const test::PrefilterOutcome outcome =
                    test::prefilterOnDevice(*cuda, volume, size, scale, least);
                EXPECT_NEAR(outcome.sigma, sigma, 1e-6) << text(size);
                Values expected = volume;
                if (sigma > 0)
                    form->smooth({expected.data(), size},
                                 tapsOfAxes({sigma * static_cast<double>(scale[0]),
                                             sigma * static_cast<double>(scale[1]),
                                             sigma * static_cast<double>(scale[2])}),
                                 context());
                EXPECT_LT(largestDifference(outcome.smoothed, expected), 3e-4);
            }
    }
}

} // namespace
} // namespace systole
