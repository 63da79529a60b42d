// CLG's image kernels on the device, each variant against the plain loops.
#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/gradient_constancy.h"
#include "compute/methods/clg/self_similarity.h"
#include "compute/methods/clg/steps.h"
#include "compute/ops/exponential.h"
#include "compute/ops/fill_unknown.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"
#include "compute/ops/smooth_halved.h"
#include "tests/compute/methods/clg_device_steps.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

namespace systole {
namespace {

using test::largestDifference;
using test::TestField;
using test::TestVolume;
using test::Values;

/// Odd, short and one-voxel extents, and some that need several blocks.
const std::vector<Size3> sizes{{33, 18, 7}, {67, 5, 40}, {131, 9, 6}, {64, 32, 20},
                               {1, 9, 20},  {40, 31, 1}, {17, 1, 5},  {1, 1, 1}};

/// Scales of two grids (PyramidLevel): cubes, and slices four times as thick as their pixels.
constexpr std::array<float, 3> cubes{1, 1, 1}, thickSlices{1, 0.9f, 0.25f};

std::array<float, 3> inverse(std::array<float, 3> scale) {
    return {1 / scale[0], 1 / scale[1], 1 / scale[2]};
}

/// A field's values, each component multiplied by its factor.
Values scaled(Values field, std::array<float, 3> factor) {
    const std::size_t voxels = field.size() / 3;
    for (std::size_t i = 0; i < field.size(); ++i)
        field[i] *= factor[i / voxels];
    return field;
}

std::string text(Size3 size) {
    return std::to_string(size.x) + "×" + std::to_string(size.y) + "×" + std::to_string(size.z);
}

/// Positions up to some voxels away, some of them outside.
TestField unevenField(Size3 size, float amplitude) {
    TestField field(size);
    for (std::size_t i = 0; i < field.values.size(); ++i)
        field.values[i] =
            amplitude * static_cast<float>(std::sin(0.37 * static_cast<double>(i) + 0.2));
    return field;
}

Values grayValues(Size3 size, std::uint64_t seed) {
    Values values = test::noiseVolume(size, seed).voxels;
    for (float& v : values)
        v = 120 + 40 * v;
    return values;
}

/// 1, and 0 at every seventh voxel.
Values mostlyInside(Size3 size) {
    Values inside(size.voxels());
    for (std::size_t i = 0; i < inside.size(); ++i)
        inside[i] = i % 7 == 3 ? 0.0f : 1.0f;
    return inside;
}

std::array<VolumeView<float>, 9> nineOf(Values& all, Size3 size) {
    std::array<VolumeView<float>, 9> volumes;
    for (std::size_t k = 0; k < 9; ++k)
        volumes[k] = {all.data() + k * size.voxels(), size};
    return volumes;
}

class ClgKernels : public test::OnDevice {
protected:
    std::unique_ptr<ClgForm> form = makeClgReferenceForm();
};

TEST_F(ClgKernels, SmoothingIsTheSameInEveryVariant) {
    for (const Size3 size : sizes)
        for (const Vec3 sigma : {Vec3{0.6, 0.6, 0.6}, Vec3{2.33, 2.33, 2.33}, Vec3{4, 4, 4},
                                 Vec3{10, 10, 10}, Vec3{4, 4, 0.6}, Vec3{0.6, 4, 2.33}}) {
            constexpr int count = 3;
            const Values in = test::noiseVolume({size.x, size.y, count * size.z}, 5).voxels;
            Values expected = in;
            for (std::size_t k = 0; k < count; ++k)
                form->smooth({expected.data() + k * size.voxels(), size}, tapsOfAxes(sigma),
                             context());
            for (int variant = 0; variant < smoothFamily.count(); ++variant)
                // With room for two volumes, and in one case for all.
                for (const int slots : {2, size == sizes[0] ? 6 : 2})
                    EXPECT_LT(largestDifference(test::smoothOnDevice(*cuda, variant, in, count,
                                                                     size, sigma, slots),
                                                expected),
                              2e-6)
                        << smoothFamily.kernel(variant) << " " << text(size) << " sigma " << sigma.x
                        << " " << sigma.y << " " << sigma.z;
        }
}

/// As the tensor is smoothed: three of its nine volumes, with as much scratch as it gets, and with
/// the least.
TEST_F(ClgKernels, SmoothingOnHalfTheGridIsThatOfTheCpu) {
    for (const Size3 size : sizes)
        for (const Vec3 sigma : {Vec3{4, 4, 4}, Vec3{2.33, 2.33, 2.33}, Vec3{4, 3.6, 1},
                                 Vec3{1, 1, 5}, Vec3{10, 10, 10}}) {
            constexpr std::size_t count = 3;
            const Values in = grayValues({size.x, size.y, static_cast<int>(count) * size.z}, 5);
            Values expected = in;
            for (std::size_t k = 0; k < count; ++k)
                smoothHalved(
                    {expected.data() + k * size.voxels(), size}, sigma,
                    [&](VolumeView<float> v, Vec3 left) {
                        form->smooth(v, tapsOfAxes(left), context());
                    },
                    context());
            for (int variant = 0; variant < smoothFamily.count(); ++variant)
                for (const std::size_t floats : {count * size.voxels() * 3, size.voxels() * 3})
                    EXPECT_LT(largestDifference(test::smoothHalvedOnDevice(*cuda, variant, in,
                                                                           static_cast<int>(count),
                                                                           size, sigma, floats),
                                                expected),
                              2e-4)
                        << smoothFamily.kernel(variant) << " " << text(size) << " sigma "
                        << sigma.x;
        }
}

TEST_F(ClgKernels, SelfSimilarityIsThatOfTheCpu) {
    for (const Size3 size : sizes)
        for (const std::array<float, 3> scale : {cubes, thickSlices}) {
            if (clg::comparedAxes(size, scale).count == 0)
                continue;
            Values fixed = grayValues(size, 1), warped = grayValues(size, 2);
            const Values inside = mostlyInside(size);
            Values expected(9 * size.voxels());
            const std::array<VolumeView<float>, 9> out = nineOf(expected, size);
            const clg::ComparedAxes axes = clg::comparedAxes(size, scale);
            TestField ofFixed(size), ofWarped(size);
            describe({fixed.data(), size}, axes, ofFixed.view(), context());
            describe({warped.data(), size}, axes, ofWarped.view(), context());
            const double noise = addSelfSimilarity(
                {ofFixed.view(), ofWarped.view(), {inside.data(), size}, axes, scale, {0, 1}}, out,
                context());
            const test::TensorOutcome found =
                test::selfSimilarityOnDevice(*cuda, fixed, warped, inside, size, scale);
            EXPECT_LT(largestDifference(found.products, expected), 1e-5) << text(size);
            EXPECT_NEAR(found.noise, noise, 1e-5) << text(size);
        }
}

TEST_F(ClgKernels, GradientConstancyIsThatOfTheCpu) {
    const double sigma = clg::comparedGradientWidth, share = 0.4;
    for (const Size3 size : sizes)
        for (const float epsilon : {1.5f, -1.0f}) {
            const std::array<float, 3> scale = epsilon > 0 ? thickSlices : cubes;
            const Values fixed = grayValues(size, 1), warped = grayValues(size, 2),
                         inside = mostlyInside(size),
                         before = test::noiseVolume({size.x, size.y, 9 * size.z}, 3).voxels;
            Values sum(size.voxels()), difference(size.voxels()), expected = before;
            for (std::size_t i = 0; i < sum.size(); ++i) {
                sum[i] = fixed[i] + warped[i];
                difference[i] = warped[i] - fixed[i];
            }
            for (Values* const values : {&sum, &difference})
                form->smooth({values->data(), size}, tapsOfAxes({sigma, sigma, sigma}), context());
            const std::array<VolumeView<float>, 9> out = nineOf(expected, size);
            addGradientConstancy({{fixed.data(), size},
                                  {warped.data(), size},
                                  {sum.data(), size},
                                  {difference.data(), size},
                                  {inside.data(), size},
                                  scale,
                                  clg::gradientShare(share, 0),
                                  epsilon},
                                 out, context());
            EXPECT_LT(largestDifference(test::gradientConstancyOnDevice(*cuda, fixed, warped,
                                                                        inside, before, size, scale,
                                                                        share, epsilon),
                                        expected),
                      1e-5)
                << text(size);
        }
}

TEST_F(ClgKernels, ProductsAreTheSameInEveryVariant) {
    for (const Size3 size : sizes)
        for (const bool central : {true, false})
            for (const float epsilon : {1.5f, -1.0f}) {
                const std::array<float, 3> scale = epsilon > 0 ? thickSlices : cubes;
                Values fixed = grayValues(size, 1), warped = grayValues(size, 2);
                const Values inside = mostlyInside(size);
                Values expected(9 * size.voxels());
                const std::array<VolumeView<float>, 9> out = nineOf(expected, size);
                TensorInput input;
                input.fixed = {fixed.data(), size};
                input.warped = {warped.data(), size};
                input.inside = central ? VolumeView<const float>(inside.data(), size)
                                       : VolumeView<const float>();
                input.centralGradient = central;
                input.epsilon = epsilon;
                input.scale = scale;
                const double noise = form->tensor(input, out, context());
                double largest = 1;
                for (const float v : expected)
                    largest = std::max(largest, std::abs(static_cast<double>(v)));
                for (int variant = 0; variant < clg::gradientFamily.count(); ++variant) {
                    const std::string name = clg::gradientFamily.kernel(variant);
                    const test::TensorOutcome outcome = test::tensorOnDevice(
                        *cuda, variant, fixed, warped, central ? inside : Values{}, size, central,
                        scale, epsilon);
                    EXPECT_LT(largestDifference(outcome.products, expected) / largest, 1e-6)
                        << name << " " << text(size) << " central " << central;
                    EXPECT_NEAR(outcome.noise, noise, 1e-5 * (1 + noise)) << name;
                }
            }
}

TEST_F(ClgKernels, WarpIsTheSameInEveryVariantButTheFilterIsInexact) {
    for (const Size3 size : sizes)
        for (const bool cubic : {false, true}) {
            Values moving = grayValues(size, 3), fixed = grayValues(size, 4);
            TestField field = unevenField(size, 2.7f);
            Values expected(size.voxels()), inside(size.voxels());
            form->warp({moving.data(), size}, field.view(), {expected.data(), size},
                       {inside.data(), size}, cubic, context());
            const double epsilon =
                1 + meanSquaredResidual({fixed.data(), size}, {expected.data(), size},
                                        {inside.data(), size}, context());
            for (int variant = 0; variant < clg::warpFamily.count(); ++variant) {
                const std::string name = clg::warpFamily.at(variant).name;
                const test::WarpOutcome outcome =
                    test::warpOnDevice(*cuda, variant, moving, fixed, field.values, size, cubic);
                EXPECT_LT(largestDifference(outcome.inside, inside), 1e-5)
                    << name << " " << text(size);
                const double error = largestDifference(outcome.warped, expected);
                if (name != "texture-filter") {
                    EXPECT_LT(error, cubic ? 4e-4 : 2e-4) << name << " " << text(size);
                    EXPECT_NEAR(outcome.epsilon, epsilon, 1e-5 * epsilon) << name;
                } else if (!cubic) {
                    // Each of three weights is off by 1/512 at most, of a range of some 300.
                    EXPECT_LT(error, 3 * 300.0 / 512);
                }
            }
        }
}

TEST_F(ClgKernels, RightHandSideComposeAndAddAreThoseOfTheReference) {
    for (const Size3 size : sizes) {
        const Values coefficients = test::noiseVolume({size.x, size.y, 9 * size.z}, 6).voxels;
        TestField w = unevenField(size, 1.9f), t = unevenField(size, -0.8f);
        Values expected = coefficients, negated = coefficients;
        const std::array<VolumeView<float>, 9> c = nineOf(expected, size);
        form->rightHandSide(c, w.view(), context());
        for (std::size_t i = 6 * size.voxels(); i < negated.size(); ++i)
            negated[i] = -negated[i];
        EXPECT_LT(largestDifference(
                      test::rightHandSideOnDevice(*cuda, coefficients, w.values, size), expected),
                  1e-5);
        EXPECT_EQ(test::rightHandSideOnDevice(*cuda, coefficients, {}, size), negated);

        for (const std::array<float, 3> scale : {cubes, thickSlices}) {
            TestField used = t, composed(size);
            form->compose(w.view(), used.view(), scale, composed.view(), context());
            Values total = t.values;
            const Values onDevice = test::composeOnDevice(*cuda, w.values, total, scale, size);
            EXPECT_LT(largestDifference(onDevice, composed.values), 2e-5) << text(size);
            // What the next solve starts from.
            EXPECT_LT(largestDifference(total, scaled(onDevice, inverse(scale))), 2e-6);

            Values step = t.values, sum = scaled(step, scale);
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += w.values[i];
            EXPECT_LT(
                largestDifference(test::addStepOnDevice(*cuda, w.values, step, scale, size), sum),
                1e-6);
            EXPECT_EQ(step, Values(step.size(), 0.0f));
        }
    }
}

TEST_F(ClgKernels, FoldsAreMendedAsOnTheCpu) {
    const Size3 size{45, 38, 33};
    for (const float steepness : {0.1f, 1.5f, 6.0f, 40.0f}) { // 40 is scaled down first
        SCOPED_TRACE(steepness);
        TestField w(size), t(size), composed(size), spare(size);
        const Values a = test::noiseVolume({size.x, size.y, 3 * size.z}, 3).voxels,
                     b = test::noiseVolume({size.x, size.y, 3 * size.z}, 4).voxels;
        for (std::size_t i = 0; i < a.size(); ++i) {
            w.values[i] = 0.05f * a[i];
            t.values[i] = 0.05f * a[i] + 0.2f * steepness * b[i];
        }
        TestField used = t;
        Values marks(size.voxels());
        form->compose(w.view(), used.view(), cubes, composed.view(), context());
        const bool folded = hasFolds(composed.view(), context());
        EXPECT_EQ(folded, steepness > 1);
        composeWithoutFolds(w.view(), used.view(), composed.view(), spare.view(),
                            {marks.data(), size}, context());
        Values total = t.values, again = t.values;
        const Values onDevice =
            test::composeWithoutFoldsOnDevice(*cuda, w.values, total, cubes, size);
        // Rounding may decide at single voxels whether they count as folded.
        std::size_t different = 0;
        for (std::size_t i = 0; i < onDevice.size(); ++i)
            different += std::abs(onDevice[i] - composed.values[i]) > 1e-3f;
        EXPECT_LE(different, onDevice.size() / 1000);
        EXPECT_LT(largestDifference(total, onDevice), 2e-6);
        EXPECT_EQ(test::composeWithoutFoldsOnDevice(*cuda, w.values, again, cubes, size), onDevice);
        TestField brought(size);
        brought.values = onDevice;
        EXPECT_EQ(jacobianFigures(brought.view(), 0, context()).folded, 0u);
    }
}

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
