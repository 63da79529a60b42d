// The unbiased method's steps: the numbers that both implementations add in any order, the rule of
// accepting and halving, how long a step is stable, and when it ends.
#include "compute/methods/unbiased/steps.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace systole::unbiased {
namespace {

TEST(UnbiasedSteps, AddEnergiesInAnyOrder) {
    constexpr std::size_t voxels = 5000;
    std::vector<double> energies;
    double exact = 0;
    for (std::size_t i = 0; i < voxels; ++i) {
        const auto data = static_cast<float>(300 * (1 + std::sin(0.7 * static_cast<double>(i))));
        energies.push_back(energyOf(data, 250, 0.01f, energyUnit(voxels)));
        exact += static_cast<double>(data) + 2.5;
    }
    const double sum = std::accumulate(energies.begin(), energies.end(), 0.0);
    EXPECT_NEAR(sum, exact, 1e-7 * exact);
    std::sort(energies.begin(), energies.end());
    EXPECT_EQ(std::accumulate(energies.begin(), energies.end(), 0.0), sum);
    EXPECT_EQ(std::accumulate(energies.rbegin(), energies.rend(), 0.0), sum);
}

TEST(UnbiasedSteps, ThatFoldOrRaiseTheEnergyAreRejectedAndHalved) {
    const StepRule rule{0.5f, 0.8f, true, 0.01, 0};
    StepState state = startOf(rule, 100);
    EXPECT_EQ(momentumOf(state, rule), 0) << "nothing to go on with";
    judge(state, rule, {90, 1});
    EXPECT_TRUE(state.rejected);
    EXPECT_EQ(momentumOf(state, rule), 0);
    EXPECT_EQ(state.energy, 100);
    EXPECT_FLOAT_EQ(state.step, 0.25f);
    judge(state, rule, {101, 0});
    EXPECT_TRUE(state.rejected);
    EXPECT_FLOAT_EQ(state.step, 0.125f);
    judge(state, rule, {NAN, 0});
    EXPECT_TRUE(state.rejected);
    judge(state, rule, {90, 0});
    EXPECT_FALSE(state.rejected);
    EXPECT_EQ(momentumOf(state, rule), 0.8f);
    EXPECT_EQ(state.energy, 90);
    EXPECT_GT(state.step, 0.0625f);
    EXPECT_EQ(state.rejections, 3);
    const StepRule printed{0.5f, 0, false, 0, 0};
    state = startOf(printed, 100);
    judge(state, printed, {101, 0});
    EXPECT_FALSE(state.rejected) << "without adaptation only |M| decides";
    judge(state, printed, {50, 2});
    EXPECT_TRUE(state.rejected);
    EXPECT_EQ(state.energy, 101);
}

TEST(UnbiasedSteps, AreStableBeyondTheAllowedLength) {
    const StepRule rule{0.5f, 0.5f, true, 0.01, 20};
    StepState state = startOf(rule, 100);
    EXPECT_EQ(timeStep(state, rule, 0, 80), 0) << "nothing moves";
    EXPECT_FLOAT_EQ(timeStep(state, rule, 1000, 80), 0.5f / 1000) << "the length decides";
    EXPECT_FLOAT_EQ(timeStep(state, rule, 1, 80), 1.5f / 100)
        << "half of 2 (1 + momentum) / curvature";
    judge(state, rule, {101, 0});
    EXPECT_FLOAT_EQ(timeStep(state, rule, 1, 80), 0.75f / 100) << "halved with the step";
    const StepRule printed{0.5f, 0, false, 0, 20};
    EXPECT_FLOAT_EQ(timeStep(startOf(printed, 100), printed, 1, 80), 0.5f) << "as in the paper";
}

// lambda (|M| − 1) log |M| of a small wave along x, by its second difference.
TEST(UnbiasedSteps, BoundTheRegularizersCurvature) {
    constexpr int n = 48;
    constexpr double lambda = 7, step = 1e-2;
    double largest = 0;
    for (const double sigma : {0.0, 1.0, 2.0}) {
        for (int waves = 1; waves < n / 2; ++waves) {
            const double k = 2 * std::numbers::pi * waves / n;
            double energy = 0, squares = 0;
            for (int x = 0; x < n; ++x) {
                const auto w = [&](int at) { return step * std::sin(k * at); };
                const double determinant = 1 + 0.5 * (w(x + 1) - w(x - 1));
                energy += lambda * (determinant - 1) * std::log(determinant);
                squares += w(x) * w(x);
            }
            const double smoothed = std::exp(-sigma * sigma * k * k / 2);
            largest = std::max(largest, 2 * energy / squares * smoothed);
        }
        EXPECT_LE(largest, 1.01 * regularizerCurvature(lambda, sigma));
        largest = 0;
    }
}

TEST(UnbiasedSteps, TakeTheCurvatureFromSquaredGradients) {
    const Size3 size{5, 4, 3};
    test::TestVolume image(size, [](double x, double y, double z) { return 3 * x - 2 * y + z; });
    const float scale[3] = {1, 1, 0.5f};
    const Vector inside = squaredGradient(image.view(), {}, scale, 2, 1, 1),
                 corner = squaredGradient(image.view(), {}, scale, 0, 3, 2);
    for (const Vector& squared : {inside, corner}) {
        EXPECT_FLOAT_EQ(squared.v[0], 9);
        EXPECT_FLOAT_EQ(squared.v[1], 4);
        EXPECT_FLOAT_EQ(squared.v[2], 0.25f);
    }
}

TEST(UnbiasedSteps, EndWhenAWindowLowersTheEnergyNoMore) {
    const StepRule rule{0.5f, 0.8f, true, 0.01, 0};
    StepState state = startOf(rule, 100);
    for (int n = 0; n < convergenceWindow; ++n)
        judge(state, rule, {100 - 0.2 * (n + 1), 0});
    EXPECT_FALSE(state.done) << "2 %";
    for (int n = 0; n < convergenceWindow; ++n)
        judge(state, rule, {98 - 0.02 * (n + 1), 0});
    EXPECT_TRUE(state.done) << "0.2 %";
}

} // namespace
} // namespace systole::unbiased
