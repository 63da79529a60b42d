// CLG's image kernels on the device, each variant against the plain loops.
#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/gradient_constancy.h"
#include "compute/methods/clg/self_similarity.h"
#include "compute/methods/clg/steps.h"
#include "compute/ops/exponential.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"
#include "compute/ops/smooth_halved.h"
#include "tests/compute/methods/clg_device_steps.h"
#include "tests/compute/methods/clg_kernels_support.h"

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
                // Scratch memory has room for two volumes, and in one case for all.
                for (const int slots : {2, size == sizes[0] ? 6 : 2})
                    EXPECT_LT(largestDifference(test::smoothOnDevice(*cuda, variant, in, count,
                                                                     size, sigma, slots),
                                                expected),
                              2e-6)
                        << smoothFamily.kernel(variant) << " " << text(size) << " sigma " << sigma.x
                        << " " << sigma.y << " " << sigma.z;
        }
}

/// The tensor's smoothing: three of its nine volumes, with as much scratch as it gets, and with the
/// minimum.
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
            // The next solve starts from `total`.
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

} // namespace
} // namespace systole
