// The unbiased method: large deformations without folds, no change of volume from noise alone,
// starts that fold.
#include "compute/methods/unbiased/unbiased.h"
#include "compute/ops/exponential.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/resample.h"
#include "tests/compute/motion/masked_pair.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using test::Formula;
using test::TestField;
using test::TestVolume;

struct Outcome {
    TestField field;
    MotionReport report;
    double smallest;
};

class Unbiased : public testing::Test {
protected:
    Outcome estimate(TestVolume& fixed, TestVolume& moving, const std::string& preset = "default",
                     Backend backend = Backend::Cpu) {
        return estimateFrom(TestField(fixed.size), fixed, moving, preset, backend);
    }
    Outcome estimateFrom(const TestField& start, TestVolume& fixed, TestVolume& moving,
                         const std::string& preset = "default", Backend backend = Backend::Cpu) {
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        ExecContext ctx = resources.context();
        ctx.backend = backend;
        Outcome out{start, {}, 0};
        const MotionMethod method = unbiasedMethod();
        out.report = method.make(ParamSet(*method.parameters, preset), backend)
                         ->estimate(input, out.field.view(), ctx);
        out.smallest = jacobianFigures(out.field.view(), 0, ctx).smallest;
        return out;
    }
    double dice(TestVolume& fixed, TestVolume& moving, TestField& field) {
        TestVolume warped(fixed.size, [](double, double, double) { return 0; });
        warpVolume(moving.view(), field.view(), warped.view(), {}, resources.context());
        double both = 0, sum = 0;
        for (std::size_t i = 0; i < fixed.voxels.size(); ++i) {
            const bool a = fixed.voxels[i] > 127, b = warped.voxels[i] > 127;
            both += a && b ? 1 : 0;
            sum += (a ? 1 : 0) + (b ? 1 : 0);
        }
        return 2 * both / sum;
    }

    ExecResources resources{2};
};

/// 255 inside and 0 outside, with an edge of about a voxel; `distance` is negative inside.
double edge(double distance) { return 255 / (1 + std::exp(3 * distance)); }

Formula ball(double center, double radius) {
    return [=](double x, double y, double z) {
        return edge(std::hypot(x - center, y - center, z - center) - radius);
    };
}

TEST_F(Unbiased, ABallGrowsByTwentyVoxelsWithoutFolds) {
    const Size3 size{64, 64, 64};
    TestVolume large(size, ball(31.5, 28)), small(size, ball(31.5, 8));
    Outcome out = estimate(large, small);
    EXPECT_GT(out.smallest, 0);
    EXPECT_GT(dice(large, small, out.field), 0.95);
    EXPECT_NEAR(out.field.view().componentView(0)(31 + 27, 31, 31), -20, 1.5);
}

TEST_F(Unbiased, ABallShrinksToAnEighthWithoutFolds) {
    const Size3 size{48, 48, 48};
    TestVolume small(size, ball(23.5, 9)), large(size, ball(23.5, 18));
    Outcome out = estimate(small, large);
    EXPECT_GT(out.smallest, 0);
    EXPECT_GT(dice(small, large, out.field), 0.95);
}

TEST_F(Unbiased, ALetterCBecomesABallWithoutFolds) {
    const Size3 size{64, 64, 48};
    TestVolume full(size, [](double x, double y, double z) {
        return edge(std::hypot(x - 31.5, y - 31.5, 1.3 * (z - 23.5)) - 22);
    });
    TestVolume letter(size, [](double x, double y, double z) {
        const double r = std::hypot(x - 31.5, y - 31.5, 1.3 * (z - 23.5));
        const double hollow = std::hypot(x - 31.5, y - 31.5, 1.3 * (z - 23.5)) - 11;
        const double gap = std::max(std::abs(y - 31.5) - 5, 31.5 - x);
        return edge(std::max(r - 22, -std::min(hollow, gap)));
    });
    Outcome out = estimate(full, letter);
    EXPECT_GT(out.smallest, 0);
    EXPECT_GT(dice(full, letter, out.field), 0.9);
}

TEST_F(Unbiased, NoiseAloneChangesNoVolume) {
    const Size3 size{40, 36, 32};
    constexpr int repetitions = 10;
    double mean = 0, spread = 0;
    for (std::uint64_t n = 0; n < repetitions; ++n) {
        TestVolume fixed(size, test::body), moving(size, test::body);
        const TestVolume first = test::noiseVolume(size, 2 * n + 1),
                         second = test::noiseVolume(size, 2 * n + 2);
        for (std::size_t i = 0; i < fixed.voxels.size(); ++i) {
            fixed.voxels[i] += 6 * first.voxels[i];
            moving.voxels[i] += 6 * second.voxels[i];
        }
        Outcome out = estimate(fixed, moving);
        TestVolume jacobian(size, [](double, double, double) { return 0; });
        jacobianMap(out.field.view(), jacobian.view(), resources.context());
        double sum = 0, squares = 0;
        for (const float value : jacobian.voxels) {
            const double logarithm = std::log(static_cast<double>(value));
            sum += logarithm;
            squares += logarithm * logarithm;
        }
        const auto voxels = static_cast<double>(size.voxels());
        mean += sum / voxels / repetitions;
        spread += std::sqrt(squares / voxels) / repetitions;
    }
    EXPECT_LT(std::abs(mean), 1e-3);
    EXPECT_GT(spread, 1e-3) << "the noise moves something";
}

TEST_F(Unbiased, ThePrintedSchemeLowersTheEnergyAndKeepsTheDeterminantPositive) {
    const Size3 size{32, 32, 32};
    TestVolume fixed(size, ball(15.5, 9)), moving(size, ball(15.5, 6));
    Outcome out = estimate(fixed, moving, "paper");
    EXPECT_GT(out.smallest, 0);
    EXPECT_GT(dice(fixed, moving, out.field), 0.95);
    EXPECT_EQ(out.report.iterations, 300);
    EXPECT_EQ(out.report.levels.size(), 1u);
}

// Metal beside the heart, where masks leave it out: its gradients are none of the energy's.
TEST_F(Unbiased, WhatMasksLeaveOutDecidesNoStep) {
    test::MaskedPair pair;
    const auto estimated = [&] {
        TestField field(test::MaskedPair::size);
        const MotionMethod method = unbiasedMethod();
        method.make(ParamSet(*method.parameters, "default"), Backend::Cpu)
            ->estimate(pair.maskedInput(), field.view(), resources.context());
        return field;
    };
    TestField without = estimated();
    for (int z = 12; z < 16; ++z)
        for (int y = 12; y < 16; ++y)
            for (int x = 36; x < 40; ++x)
                pair.fixed.view()(x, y, z) = pair.moving.view()(x, y, z) = 3000;
    TestField with = estimated();
    const double error = test::MaskedPair::error(without.view());
    EXPECT_LT(test::MaskedPair::error(with.view()), 1.2 * error + 0.02);
}

// Followed so closely, noise leaves |M| just above its bound in voxels, and folds between them.
TEST_F(Unbiased, NothingFoldsBetweenVoxels) {
    const Size3 size{30, 26, 22};
    TestVolume fixed = test::noiseVolume(size, 1, 128, 60),
               moving = test::noiseVolume(size, 2, 128, 60);
    TestField field(size);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    const MotionMethod method = unbiasedMethod();
    ParamSet values(*method.parameters, "default");
    values.set("lambda", 10.0);
    values.set("sigma", 1.0);
    method.make(values, Backend::Cpu)->estimate(input, field.view(), resources.context());
    EXPECT_GT(steepness(field.view(), resources.context()), 0.78f) << "steep enough to fold";
    EXPECT_FALSE(hasFolds(field.view(), resources.context()));
}

TEST_F(Unbiased, AStartThatFoldsIsUnfolded) {
    const Size3 size{32, 32, 32};
    TestVolume fixed(size, test::waves), moving(size, test::waves);
    TestField start(size);
    for (int x = 0; x < size.x; ++x)
        for (std::size_t row = 0; row < size.voxels(); row += 32)
            start.values[row + static_cast<std::size_t>(x)] = x % 16 < 8 ? 6.0f : -6.0f;
    ASSERT_LT(jacobianFigures(start.view(), 0, resources.context()).smallest, 0);
    EXPECT_GT(estimateFrom(start, fixed, moving).smallest, 0);
}

} // namespace
} // namespace systole
