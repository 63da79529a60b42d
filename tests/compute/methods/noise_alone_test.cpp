// Motion that noise alone causes: a frame of the family's hearts against itself, each with noise of
// its own.
#include "compute/methods/demons/demons.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/methods/unbiased/unbiased.h"
#include "tests/compute/methods/family_pair.h"
#include "tests/support/normal_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

using test::FamilyPair;

using Parameter = std::pair<std::string, std::string>;

/// The motion, voxels, that noise of 4 % of the gray range makes of the pair's first frame.
test::TestField motionOfNoise(const MotionMethod& method, FamilyPair& pair,
                              const Parameter& changed, const ExecContext& ctx) {
    constexpr float deviation = 10;
    const std::size_t n = pair.size().voxels();
    pair.moving.voxels = pair.fixed.voxels;
    const std::vector<float> first = test::normalNoise(n, 11, deviation),
                             second = test::normalNoise(n, 12, deviation);
    for (std::size_t i = 0; i < n; ++i) {
        pair.fixed.voxels[i] += first[i];
        pair.moving.voxels[i] += second[i];
    }
    ParamSet values(*method.parameters, "default");
    values.setText(changed.first, changed.second);
    test::TestField found(pair.size());
    method.make(values, Backend::Cpu)->estimate(pair.input(), found.view(), ctx);
    return found;
}

/// Its mean length, in the wall alone or in the whole frame.
double lengthOfNoise(const MotionMethod& method, const std::string& look, const Parameter& changed,
                     bool inTheWall) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    FamilyPair pair(look, 1, ctx);
    const test::TestField found = motionOfNoise(method, pair, changed, ctx);
    constexpr std::uint8_t wall = 1;
    const std::vector<std::uint8_t> labels = pair.phantom.labels(0, ctx);
    const std::size_t n = labels.size();
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (inTheWall && labels[i] != wall)
            continue;
        sum += std::hypot(static_cast<double>(found.values[i]),
                          static_cast<double>(found.values[n + i]),
                          static_cast<double>(found.values[2 * n + i]));
        ++count;
    }
    return sum / count;
}

/// Interpolation lessens noise. Unless that is compensated, the motion of most voxels leads to
/// positions between voxels.
TEST(NoiseAlone, HardlyMovesMethodsThatMakeGoodWhatInterpolationTakes) {
    for (const MotionMethod& method : {ffdMethod(), unbiasedMethod()})
        for (const char* look : {"echo", "ct"}) {
            SCOPED_TRACE(method.name + std::string(" ") + look);
            const double moved = lengthOfNoise(method, look, {"compensate-noise", "on"}, false);
            EXPECT_LT(moved, 0.08);
            EXPECT_GT(lengthOfNoise(method, look, {"compensate-noise", "off"}, false), 2 * moved);
        }
}

/// The motion that voxels derive from noise is averaged over as many as the step's smoothing spans,
/// which is wide in frames as noisy as these.
TEST(NoiseAlone, MovesTheWallLessByDemonsTheWiderTheirStepsAreSmoothed) {
    for (const char* look : {"echo", "hard", "small", "ct"}) {
        SCOPED_TRACE(look);
        const MotionMethod method = demonsMethod();
        const double moved = lengthOfNoise(method, look, {"levels", "4"}, true);
        EXPECT_LT(moved, 0.07);
        EXPECT_GT(lengthOfNoise(method, look, {"fluid-in-noise", "1"}, true), 1.3 * moved);
    }
}

} // namespace
} // namespace systole
