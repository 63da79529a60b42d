// The unbiased method on the device against the CPU: every force kernel over odd and thin sizes,
// estimations of a fixed number of steps, undone steps, starts that fold, graphs and observers.
#include "compute/methods/unbiased/unbiased.h"
#include "compute/methods/unbiased/variants.h"
#include "compute/ops/jacobian.h"
#include "tests/compute/methods/unbiased_device_force.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

/// A motion of a few voxels that changes volumes by up to a half.
TestField wavyField(Size3 size) {
    TestField field(size);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = field.view().componentView(0).offset(x, y, z);
                field.view().u[i] = static_cast<float>(1.6 * std::sin(0.25 * x + 0.1 * y));
                field.view().v[i] = static_cast<float>(1.2 * std::cos(0.2 * y - 0.15 * z));
                field.view().w[i] = static_cast<float>(1.4 * std::sin(0.2 * z + 0.1 * x));
            }
    return field;
}

TestVolume shiftedWaves(Size3 size) {
    return TestVolume(size, [](double x, double y, double z) {
        return test::waves(x - 1.1 + 0.4 * std::sin(0.2 * y), y + 0.6, z - 0.3);
    });
}

class UnbiasedForceOnDevice : public test::OnDevice,
                              public testing::WithParamInterface<std::string> {};

TEST_P(UnbiasedForceOnDevice, IsThePlainLoopsOnOddAndThinSizes) {
    const int variant = unbiased::forceFamily.named(GetParam());
    const KernelVariant& row = unbiased::forceFamily.at(variant);
    for (const Size3 size :
         {Size3{33, 29, 27}, Size3{64, 31, 5}, Size3{30, 14, 40}, Size3{7, 5, 3}, Size3{1, 17, 9},
          Size3{40, 1, 6}, Size3{31, 12, 1}, Size3{2, 2, 2}, Size3{95, 61, 33}}) {
        TestVolume fixed(size, test::waves), moving = shiftedWaves(size);
        TestField motion = wavyField(size);
        for (const bool pulledBack : {true, false}) {
            const unbiased::ForceRule rule{1000, {1, 0.8f, 0.5f}, pulledBack};
            const unbiased::Frames frames{fixed.view(), moving.view()};
            TestField expected(size);
            ExecContext ctx = context();
            const unbiased::Check check =
                unbiased::forceReference(frames, motion.view(), rule, expected.view(), ctx);
            ASSERT_EQ(check.folded, 0);
            double scale = 0;
            for (const float v : expected.values)
                scale = std::max(scale, std::abs(static_cast<double>(v)));
            for (const int threads : {row.standardThreads, 96, 288}) {
                const test::ForceFound found =
                    test::forceOnDevice(variant, threads, frames, motion.view(), rule, *cuda);
                EXPECT_LE(test::largestDifference(found.force, expected.values),
                          row.tolerance * scale)
                    << size.x << " " << size.y << " " << size.z << ", " << threads;
                EXPECT_NEAR(found.energy, check.energy, 1e-5 * check.energy);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, UnbiasedForceOnDevice,
                         testing::ValuesIn(unbiased::forceFamily.names()), [](const auto& info) {
                             std::string name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

struct Outcome {
    std::vector<float> field;
    MotionReport report;
};

class UnbiasedOnDevice : public test::OnDevice {
protected:
    Outcome estimate(MotionEstimator& estimator, Backend backend, TestField start,
                     const std::function<void(const IterationState&)>& watch = {}) {
        TestVolume fixed(start.size, test::waves), moving = shiftedWaves(start.size);
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        ExecContext ctx = context();
        ctx.backend = backend;
        ctx.iteration = watch;
        Outcome out{};
        out.report = estimator.estimate(input, start.view(), ctx);
        out.field = std::move(start.values);
        return out;
    }
    Outcome estimate(const ParamSet& values, Backend backend, TestField start) {
        return estimate(*unbiasedMethod().make(values, backend), backend, std::move(start));
    }
    static ParamSet fixedSteps(int levels, int iterations) {
        ParamSet values(*unbiasedMethod().parameters, "paper");
        values.set("levels", levels);
        values.set("iterations", iterations);
        return values;
    }
    static void expectClose(const Outcome& cpu, const Outcome& cuda) {
        double sum = 0;
        for (std::size_t i = 0; i < cpu.field.size(); ++i)
            sum += std::abs(static_cast<double>(cpu.field[i] - cuda.field[i]));
        EXPECT_LT(sum / static_cast<double>(cpu.field.size()), 1e-3);
        EXPECT_LT(test::largestDifference(cpu.field, cuda.field), 0.05);
        ASSERT_EQ(cpu.report.levels.size(), cuda.report.levels.size());
        EXPECT_EQ(cpu.report.iterations, cuda.report.iterations);
        EXPECT_NEAR(cpu.report.energy, cuda.report.energy, 1e-3 * cpu.report.energy);
    }
};

// Steps of a fixed length go to and fro once the frames match, and rounding grows there: so few
// that they don't get that far.
TEST_F(UnbiasedOnDevice, MovesAsTheCpuInAsManySteps) {
    for (const Size3 size : {Size3{34, 29, 27}, Size3{48, 17, 9}})
        for (const char* force : {"printed", "pulled-back"})
            for (const double momentum : {0.0, 0.5}) {
                ParamSet values = fixedSteps(2, 12);
                values.set("max-step", 0.05);
                values.setText("force", force);
                values.set("momentum", momentum);
                expectClose(estimate(values, Backend::Cpu, TestField(size)),
                            estimate(values, Backend::Cuda, TestField(size)));
            }
}

TEST_F(UnbiasedOnDevice, UndoesTheStepsThatTheCpuUndoes) {
    ParamSet values = fixedSteps(1, 25);
    values.set("adaptive", true);
    values.set("momentum", 0.9);
    values.set("max-step", 2.0);
    values.set("lambda", 100000.0);
    const Size3 size{34, 29, 27};
    const Outcome cpu = estimate(values, Backend::Cpu, TestField(size)),
                  cuda = estimate(values, Backend::Cuda, TestField(size));
    EXPECT_GT(cpu.report.levels[0].figures.at(0).value, 0) << "nothing was undone";
    EXPECT_EQ(cpu.report.levels[0].figures.at(0).value, cuda.report.levels[0].figures.at(0).value);
    expectClose(cpu, cuda);
}

TEST_F(UnbiasedOnDevice, UnfoldsAStart) {
    const Size3 size{32, 32, 32};
    TestField start(size);
    for (std::size_t i = 0; i < size.voxels(); ++i)
        start.values[i] = i % 16 < 8 ? 6.0f : -6.0f;
    ParamSet values = fixedSteps(1, 5);
    const Outcome cpu = estimate(values, Backend::Cpu, start),
                  cuda = estimate(values, Backend::Cuda, start);
    expectClose(cpu, cuda);
    EXPECT_GT(
        jacobianFigures(FieldView<const float>(cuda.field.data(), size), 0, context()).smallest, 0);
}

TEST_F(UnbiasedOnDevice, GraphsAndObserversChangeNoBit) {
    const Size3 size{45, 38, 31};
    const ParamSet values(*unbiasedMethod().parameters, "default");
    const auto estimator = unbiasedMethod().make(values, Backend::Cuda);
    const Outcome first = estimate(*estimator, Backend::Cuda, TestField(size));
    for (int again = 0; again < 2; ++again) {
        const Outcome graphs = estimate(*estimator, Backend::Cuda, TestField(size));
        EXPECT_EQ(graphs.field, first.field);
        EXPECT_EQ(graphs.report.iterations, first.report.iterations);
        EXPECT_EQ(graphs.report.energy, first.report.energy);
    }
    int seen = 0;
    std::vector<float> last;
    const Outcome watched =
        estimate(*estimator, Backend::Cuda, TestField(size), [&](const IterationState& state) {
            ++seen;
            last.assign(state.field.u, state.field.u + 3 * state.field.size.voxels());
        });
    EXPECT_EQ(watched.field, first.field);
    EXPECT_EQ(last, first.field);
    int iterations = 0;
    for (const MotionReport::Level& level : first.report.levels)
        iterations += level.iterations;
    EXPECT_EQ(seen, iterations);
}

} // namespace
} // namespace systole
