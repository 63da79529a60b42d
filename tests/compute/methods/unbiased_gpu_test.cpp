// The unbiased method on the device against the CPU: every force kernel over odd and thin sizes,
// whole estimations, of a fixed number of steps, undone steps, starts that fold, all to the bit;
// graphs and observers.
#include "compute/methods/unbiased/plan.h"
#include "compute/methods/unbiased/variants.h"
#include "compute/ops/exponential.h"
#include "compute/ops/jacobian.h"
#include "tests/compute/methods/family_pair.h"
#include "tests/compute/methods/unbiased_device_force.h"
#include "tests/support/gpu_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST_P(UnbiasedForceOnDevice, HasTheBitsOfThePlainLoopsOnOddAndThinSizes) {
    const int variant = unbiased::forceFamily.named(GetParam());
    const KernelVariant& row = unbiased::forceFamily.at(variant);
    for (const Size3 size :
         {Size3{33, 29, 27}, Size3{64, 31, 5}, Size3{30, 14, 40}, Size3{7, 5, 3}, Size3{1, 17, 9},
          Size3{40, 1, 6}, Size3{31, 12, 1}, Size3{2, 2, 2}, Size3{95, 61, 33}}) {
        TestVolume fixed(size, test::waves), moving = shiftedWaves(size);
        TestField motion = wavyField(size);
        for (const bool pulledBack : {true, false}) {
            const unbiased::ForceRule rule{1000, {1, 0.8f, 0.5f}, pulledBack, false, 170};
            const unbiased::Frames frames{fixed.view(), moving.view()};
            TestField expected(size);
            ExecContext ctx = context();
            const unbiased::Check check =
                unbiased::forceReference(frames, motion.view(), rule, expected.view(), ctx);
            ASSERT_EQ(check.folded, 0);
            for (const int threads : {row.standardThreads, 96, 288}) {
                const test::ForceFound found =
                    test::forceOnDevice(variant, threads, frames, motion.view(), rule, *cuda);
                EXPECT_EQ(found.force, expected.values)
                    << size.x << " " << size.y << " " << size.z << ", " << threads;
                EXPECT_EQ(found.energy, check.energy);
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
        return estimate(estimator, backend, std::move(start), input, watch);
    }
    Outcome estimate(MotionEstimator& estimator, Backend backend, TestField start,
                     const MotionInput& input,
                     const std::function<void(const IterationState&)>& watch = {}) {
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
    static void expectSame(const Outcome& cpu, const Outcome& cuda) {
        EXPECT_EQ(cpu.field, cuda.field);
        ASSERT_EQ(cpu.report.levels.size(), cuda.report.levels.size());
        EXPECT_EQ(cpu.report.iterations, cuda.report.iterations);
        EXPECT_EQ(cpu.report.energy, cuda.report.energy);
    }
};

// Large enough for forces that are smoothed on half the grid, of even and odd axes.
TEST_F(UnbiasedOnDevice, EndsWithTheBitsOfTheCpuOnLargeGrids) {
    const ParamSet values(*unbiasedMethod().parameters, "default");
    for (const Size3 size : {Size3{128, 96, 88}, Size3{127, 97, 89}}) {
        ASSERT_GE(size.voxels(), unbiased::minVoxelsHalved);
        expectSame(estimate(values, Backend::Cpu, TestField(size)),
                   estimate(values, Backend::Cuda, TestField(size)));
    }
}

class UnbiasedOnTheFamily : public UnbiasedOnDevice,
                            public testing::WithParamInterface<PhantomLookRow> {};

// Iterations amplify rounding: whole runs agree because every bit does. Cubes and higher voxels.
TEST_P(UnbiasedOnTheFamily, EveryPresetEndsWithTheBitsOfTheCpu) {
    for (const std::uint64_t seed : {1, 2}) {
        test::FamilyPair pair(GetParam().name, seed, resources.context());
        for (const std::string& preset : unbiasedMethod().parameters->presets()) {
            SCOPED_TRACE(preset + ", seed " + std::to_string(seed));
            const ParamSet values(*unbiasedMethod().parameters, preset);
            const auto estimated = [&](Backend backend) {
                return estimate(*unbiasedMethod().make(values, backend), backend,
                                TestField(pair.size()), pair.input());
            };
            const Outcome cpu = estimated(Backend::Cpu);
            expectSame(cpu, estimated(Backend::Cuda));
            EXPECT_GT(*std::max_element(cpu.field.begin(), cpu.field.end()), 0.2f);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Looks, UnbiasedOnTheFamily, testing::ValuesIn(phantomLooks()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(UnbiasedOnDevice, MovesAsTheCpuInAsManySteps) {
    for (const Size3 size : {Size3{34, 29, 27}, Size3{48, 17, 9}})
        for (const char* force : {"printed", "pulled-back"})
            for (const double momentum : {0.0, 0.5}) {
                ParamSet values = fixedSteps(2, 12);
                values.set("max-step", 0.05);
                values.setText("force", force);
                values.set("momentum", momentum);
                expectSame(estimate(values, Backend::Cpu, TestField(size)),
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
    expectSame(cpu, cuda);
}

TEST_F(UnbiasedOnDevice, UnfoldsAStart) {
    const Size3 size{32, 32, 32};
    TestField start(size);
    for (std::size_t i = 0; i < size.voxels(); ++i)
        start.values[i] = i % 16 < 8 ? 6.0f : -6.0f;
    ParamSet values = fixedSteps(1, 5);
    const Outcome cpu = estimate(values, Backend::Cpu, start),
                  cuda = estimate(values, Backend::Cuda, start);
    expectSame(cpu, cuda);
    EXPECT_GT(
        jacobianFigures(FieldView<const float>(cuda.field.data(), size), 0, context()).smallest, 0);
}

/// Noise against other noise, whose motion folds between voxels before it is mended.
TEST_F(UnbiasedOnDevice, MendsFoldsToTheBitsOfTheCpu) {
    const Size3 size{30, 26, 22};
    TestVolume fixed = test::noiseVolume(size, 1, 128, 60),
               moving = test::noiseVolume(size, 2, 128, 60);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    for (const double lambda : {1.0, 10.0}) {
        ParamSet values(*unbiasedMethod().parameters, "default");
        values.set("lambda", lambda);
        values.set("sigma", 1.0);
        const auto estimated = [&](Backend backend) {
            return estimate(*unbiasedMethod().make(values, backend), backend, TestField(size),
                            input);
        };
        const Outcome cpu = estimated(Backend::Cpu), cuda = estimated(Backend::Cuda);
        expectSame(cpu, cuda);
        EXPECT_FALSE(hasFolds({cuda.field.data(), size}, context()));
    }
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
