// Demons: its force against the formula in float64, steps no longer than the longest, no folds.
#include "compute/methods/demons/demons.h"
#include "compute/ops/exponential.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/reduce.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"
#include "tests/compute/methods/noisy_waves.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

constexpr double longest = 2;

TEST(DemonsForces, AreTheEsmFormulaAndNoLongerThanTheLongestStep) {
    const Size3 size{13, 11, 9};
    TestVolume fixed(size, test::waves);
    TestVolume warped(size, [](double x, double y, double z) {
        return 0.5 * test::waves(x + 0.7, y, z - 0.4) + 10 * std::sin(x * y);
    });
    TestField motion(size); // out of the grid for the first columns
    TestVolume inside(size, [](double x, double, double) { return x > 2 ? 1 : 0; });
    for (std::size_t i = 0; i < inside.voxels.size(); ++i)
        motion.values[i] = inside.voxels[i] > 0 ? 0.1f : -100.0f;
    const double scale[3] = {1, 1, 0.4};
    TestField step(size);
    ExecResources resources(2);
    const double energy =
        demonsForces({fixed.view(),
                      warped.view(),
                      motion.view(),
                      step.view(),
                      {{1, 1, 0.4f}, static_cast<float>(0.25 / (longest * longest))}},
                     resources.context());
    double squared = 0;
    int count = 0;
    for (int z = 1; z + 1 < size.z; ++z)
        for (int y = 1; y + 1 < size.y; ++y)
            for (int x = 1; x + 1 < size.x; ++x) {
                const auto f = fixed.view(), w = warped.view();
                const auto mean = [&](int i, int j, int k) {
                    return 0.5 *
                           (static_cast<double>(f(i, j, k)) + static_cast<double>(w(i, j, k)));
                };
                const double d = static_cast<double>(f(x, y, z)) - static_cast<double>(w(x, y, z));
                const double j[3] = {scale[0] * (mean(x + 1, y, z) - mean(x - 1, y, z)) / 2,
                                     scale[1] * (mean(x, y + 1, z) - mean(x, y - 1, z)) / 2,
                                     scale[2] * (mean(x, y, z + 1) - mean(x, y, z - 1)) / 2};
                const double norm =
                    j[0] * j[0] + j[1] * j[1] + j[2] * j[2] + d * d / (4 * longest * longest);
                double length = 0;
                for (int k = 0; k < 3; ++k) {
                    const double inSmallest = x > 2 ? d * j[k] / norm : 0;
                    length += inSmallest * inSmallest;
                    EXPECT_NEAR(step.view().componentView(k)(x, y, z), inSmallest * scale[k], 1e-4);
                }
                EXPECT_LE(std::sqrt(length), longest + 1e-4);
            }
    for (std::size_t i = 0; i < fixed.voxels.size(); ++i)
        if (inside.voxels[i] > 0) {
            const double d = static_cast<double>(fixed.voxels[i] - warped.voxels[i]);
            squared += d * d;
            ++count;
        }
    EXPECT_NEAR(energy, squared / count, 1e-3 * energy);
}

/// One voxel brighter than a ramp pushes there only: the first step has the shape of the smoothing.
/// The step over four voxels is computed on half the grid within the slices.
TEST(Demons, SmoothTheirStepsOverTheSameLengthAlongEveryAxis) {
    struct Case {
        int length; ///< voxels within a slice, and the distance of two
        double tolerance;
    };
    for (const Case& each : {Case{2, 1e-3}, Case{4, 0.02}}) {
        SCOPED_TRACE(each.length);
        const Size3 size{33, 33, 13};
        TestVolume fixed(size, [](double x, double, double) { return 10 * x; }), moving = fixed;
        moving.view()(16, 16, 6) -= 1;
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        input.spacing = {1, 1, static_cast<double>(each.length)};
        ParamSet parameters(*demonsMethod().parameters, "default");
        parameters.setText("levels", "1");
        parameters.setText("iterations", "1");
        parameters.setText("fluid", std::to_string(each.length));
        parameters.setText("fluid-in-noise", std::to_string(each.length));
        parameters.setText("diffusion", "0");
        TestField field(size);
        ExecResources resources(2);
        makeDemons(parameters, Backend::Cpu)->estimate(input, field.view(), resources.context());
        const VolumeView<float> u = field.view().componentView(0);
        const double most = u(16, 16, 6), gaussian = std::exp(-0.5);
        EXPECT_GT(most, 0);
        EXPECT_NEAR(u(16, 16 + each.length, 6) / most, gaussian, each.tolerance);
        EXPECT_NEAR(u(16, 16, 7) / most, gaussian, 1e-3) << "one slice on";
    }
}

/// A wide step computed on half the grid is close to the step of the whole grid: the forces, the
/// Gaussian and the exponential one after another. Axes of even and odd length; with steps that are
/// squared twice and with some that are too short for that; thick slices, which aren't halved.
TEST(Demons, WideStepsOnHalfTheGridAreThoseOfTheWholeGrid) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    struct Case {
        Size3 size;
        double slice;
        const char* maxStep;
    };
    for (const Case& each : {Case{{40, 36, 38}, 1, "2"}, Case{{37, 41, 39}, 1, "2"},
                             Case{{40, 37, 12}, 4, "2"}, Case{{40, 37, 38}, 1, "0.5"}}) {
        SCOPED_TRACE(testing::Message()
                     << each.size.x << " " << each.size.z << " " << each.maxStep);
        TestVolume fixed(each.size, test::waves),
            moving(each.size, [](double x, double y, double z) {
                return test::waves(x - 1.5, y + 0.8, z - 1);
            });
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        input.spacing = {1, 1, each.slice};
        ParamSet parameters(*demonsMethod().parameters, "noisy");
        parameters.setText("levels", "1");
        parameters.setText("iterations", "1");
        parameters.setText("diffusion", "0");
        parameters.setText("max-step", each.maxStep);
        TestField found(each.size), rest(each.size), step(each.size), squared(each.size);
        makeDemons(parameters, Backend::Cpu)->estimate(input, found.view(), ctx);

        const DemonsParameters values = DemonsParameters::from(parameters);
        const PyramidLevel level = pyramidLevels(each.size, input.spacing, 1).front();
        demonsForces(
            {fixed.view(), moving.view(), rest.view(), step.view(), demonsScale(level, values)},
            ctx);
        for (int axis = 0; axis < 3; ++axis) {
            const VolumeView<float> component = step.view().componentView(axis);
            smoothGaussian(component, component, {5, 5, 5 / each.slice}, ctx);
        }
        for (float& value : step.values)
            value *= std::ldexp(1.0f, -values.squarings());
        for (int n = 0; n < values.squarings(); ++n) {
            composeFields(step.view(), step.view(), squared.view(), ctx);
            std::swap(step.values, squared.values);
        }
        double difference = 0, all = 0;
        for (std::size_t i = 0; i < step.values.size(); ++i) {
            difference += std::pow(static_cast<double>(found.values[i] - step.values[i]), 2);
            all += std::pow(static_cast<double>(step.values[i]), 2);
        }
        EXPECT_GT(all, 0);
        EXPECT_LT(std::sqrt(difference / all), 0.05);
        EXPECT_GT(std::sqrt(difference / all), 0.005) << "on the whole grid nothing would differ";
    }
}

/// Deviations of 10 gray values in either frame part the two widths; so many voxels tell them
/// within a few percent.
TEST(Demons, SmoothTheirStepsMoreWhereTheFramesAreNoisy) {
    for (const test::NoisyWaves::Case& each : test::NoisyWaves::cases) {
        SCOPED_TRACE(testing::Message() << each.first << ", " << each.second);
        test::NoisyWaves pair(each);
        const auto found = [&](const char* width, int threads) {
            ExecResources resources(threads);
            return pair.byDemons(width, Backend::Cpu, resources.context());
        };
        const auto byDefault = found(nullptr, 1);
        EXPECT_EQ(byDefault.width, each.noisy ? 5 : 1);
        EXPECT_EQ(byDefault.field, found(each.noisy ? "5" : "1", 1).field);
        EXPECT_EQ(byDefault.field, found(nullptr, 3).field) << "any number of threads";
    }
}

/// A motion as strong as half a wave, where an added step would fold the grid.
TEST(Demons, DeformationsHaveNoFolds) {
    const Size3 size{48, 40, 36};
    const auto moved = [](double x, double y, double z) {
        return test::waves(x - 4 * std::sin(0.16 * x), y - 3 * std::sin(0.2 * y), z);
    };
    TestVolume fixed(size, test::waves), moving(size, moved);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    TestField field(size);
    ExecResources resources(2);
    const MotionMethod method = demonsMethod();
    const ParamSet parameters(*method.parameters, "default");
    const MotionReport report =
        makeDemons(parameters, Backend::Cpu)->estimate(input, field.view(), resources.context());
    double smallest = 1;
    for (int z = 2; z + 2 < size.z; ++z)
        for (int y = 2; y + 2 < size.y; ++y)
            for (int x = 2; x + 2 < size.x; ++x)
                smallest = std::min(smallest, jacobianDeterminant(field.view(), x, y, z));
    EXPECT_GT(smallest, 0);
    double before = 0;
    for (std::size_t i = 0; i < fixed.voxels.size(); ++i)
        before += std::pow(static_cast<double>(fixed.voxels[i] - moving.voxels[i]), 2);
    before /= static_cast<double>(fixed.voxels.size());
    EXPECT_LT(report.energy, 0.1 * before) << "the frames agree better than before";
}

/// Nothing explains these frames, and nothing smooths the motion.
TEST(Demons, NoiseFoldsNothingHoweverWeakTheSmoothing) {
    const Size3 size{30, 26, 22};
    TestVolume fixed = test::noiseVolume(size, 1), moving = test::noiseVolume(size, 2);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    for (const char* sigma : {"1", "0.6", "0.3"}) {
        ParamSet parameters(*demonsMethod().parameters, "default");
        parameters.setText("fluid", sigma);
        parameters.setText("diffusion", sigma);
        TestField field(size);
        makeDemons(parameters, Backend::Cpu)->estimate(input, field.view(), ctx);
        EXPECT_EQ(cellsThatMayFold(field.view(), ctx), 0u) << sigma;
        EXPECT_GT(steepness(field.view(), ctx), 0.1f) << sigma;
    }
}

TEST(Demons, SquaringsKeepTheScaledStepBelowHalfAVoxel) {
    for (const double step : {0.1, 0.5, 0.6, 1.0, 2.0, 8.0}) {
        DemonsParameters parameters;
        parameters.maxStep = step;
        EXPECT_LE(step / std::pow(2, parameters.squarings()), 0.5);
        EXPECT_TRUE(parameters.squarings() == 0 ||
                    step / std::pow(2, parameters.squarings() - 1) > 0.5);
    }
}

} // namespace
} // namespace systole
