// Pairs that no motion explains: the field must not fold whatever the frames are.
#include "compute/methods/clg/clg.h"
#include "compute/ops/exponential.h"
#include "compute/ops/jacobian.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using test::TestVolume;

struct HardPair {
    const char* name;
    TestVolume fixed, moving;
};

std::vector<HardPair> hardPairs() {
    const Size3 size{40, 36, 32};
    const auto noise = [&](std::uint64_t seed) {
        TestVolume volume = test::noiseVolume(size, seed);
        for (float& value : volume.voxels)
            value = 127 + 30 * value;
        return volume;
    };
    const auto inverted = [](double x, double y, double z) {
        return 255 - test::body(x - 0.5, y, z);
    };
    const auto far = [](double x, double y, double z) { return test::body(x - 19, y + 7, z + 5); };
    return {{"contrast inverted", {size, test::body}, {size, inverted}},
            {"displaced by its diameter", {size, test::body}, {size, far}},
            {"displaced by half a wave",
             {size, test::waves},
             {size, [](double x, double y, double z) { return test::waves(x - 9, y + 7, z + 5); }}},
            {"noise and other noise", noise(1), noise(2)}};
}

/// Composing steps without a limit, half of the voxels of the first pair fold with weak smoothness.
TEST(ClgFolds, HardPairsDoNotFoldHoweverWeakTheSmoothness) {
    ExecResources resources(2);
    for (HardPair& pair : hardPairs())
        for (const char* alpha : {"0.3", "0.03", "0.003"})
            for (const Backend backend : {Backend::Cpu, Backend::CpuReference}) {
                SCOPED_TRACE(std::string(pair.name) + ", alpha " + alpha + ", " + name(backend));
                ExecContext ctx = resources.context();
                ctx.backend = backend;
                ParamSet set(clgParameterTable(), "default");
                set.setText("alpha", alpha);
                set.setText("rho", "1");
                MotionInput input;
                input.fixed = pair.fixed.view();
                input.moving = pair.moving.view();
                test::TestField field(pair.fixed.size);
                makeClg(set, backend)->estimate(input, field.view(), ctx);
                const JacobianFigures figures = jacobianFigures(field.view(), 0, ctx);
                EXPECT_EQ(figures.folded, 0u) << figures.smallest;
                EXPECT_FALSE(hasFolds(field.view(), ctx));
                EXPECT_GT(steepness(field.view(), ctx), 0);
            }
}

} // namespace
} // namespace systole
