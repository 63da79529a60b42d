// The memory that CLG takes from the pool is no more than what it estimates.
#include "compute/methods/clg/clg.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

struct Case {
    Backend backend;
    const char* solver;
    bool withBeta;
    Size3 size;
    Vec3 spacing{1, 1, 1};
    const char* brightness = "auto";
    const char* alpha = "0.3";
};

class ClgMemory : public testing::TestWithParam<Case> {};

TEST_P(ClgMemory, EstimateCoversThePeak) {
    const Case& c = GetParam();
    ParamSet set(clgParameterTable(), "default");
    set.setText("solver", c.solver);
    set.setText("beta", c.withBeta ? "0.1" : "0");
    set.setText("brightness", c.brightness);
    set.setText("alpha", c.alpha);
    set.setText("warps", "1");
    set.setText("sweeps", "4");
    set.setText("prefilter", "1");
    const auto wave = [](double x, double y, double z) {
        return 127 + 60 * std::sin(0.4 * x + 0.2 * y) + 50 * std::sin(0.3 * z - 0.2 * x);
    };
    test::TestVolume fixed(c.size, wave),
        moving(c.size, [&](double x, double y, double z) { return wave(x - 0.5, y + 0.3, z); });
    test::TestVolume weight(c.size, [](double, double, double) { return 0.5; });
    test::TestField field(c.size);
    MotionInput input;
    input.spacing = c.spacing;
    input.fixed = fixed.view();
    input.moving = moving.view();
    input.incompressibility = weight.view();
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    ctx.backend = c.backend;
    const std::unique_ptr<MotionEstimator> clg = makeClg(set, c.backend);
    clg->estimate(input, field.view(), ctx);
    const auto peak = static_cast<double>(resources.pool().usage().peakBytes);
    const auto estimated = static_cast<double>(clg->memoryEstimate(c.size, input.spacing));
    EXPECT_GE(estimated, peak);
    EXPECT_LE(estimated, 1.05 * peak) << "and little more";
}

constexpr Size3 even{32, 24, 40}, odd{17, 33, 21}, slices{64, 48, 10};
constexpr Vec3 thick{1.5, 1.5, 10};
INSTANTIATE_TEST_SUITE_P(
    Solvers, ClgMemory,
    testing::Values(Case{Backend::Cpu, "red-black", false, even},
                    Case{Backend::Cpu, "red-black", false, odd},
                    Case{Backend::Cpu, "red-black", true, even},
                    Case{Backend::Cpu, "red-black", false, slices, thick},
                    Case{Backend::Cpu, "multigrid", true, slices, thick},
                    Case{Backend::Cpu, "red-black", false, slices, thick, "joint"},
                    Case{Backend::Cpu, "red-black", false, even, {1, 1, 1}, "joint"},
                    Case{Backend::Cpu, "red-black", false, even, {1, 1, 1}, "auto", "1"},
                    Case{Backend::Cpu, "red-black", true, odd, {1, 1, 1}, "auto", "1"},
                    Case{Backend::Cpu, "jacobi", false, even},
                    Case{Backend::Cpu, "multigrid", false, odd},
                    Case{Backend::Cpu, "multigrid", true, even},
                    Case{Backend::CpuReference, "red-black", false, odd},
                    Case{Backend::CpuReference, "jacobi", true, odd},
                    Case{Backend::CpuReference, "multigrid", true, odd}));

} // namespace
} // namespace systole
