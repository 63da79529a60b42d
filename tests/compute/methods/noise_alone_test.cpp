// What noise alone moves: a frame of the family's hearts against itself, each with noise of its
// own.
#include "compute/methods/ffd/ffd.h"
#include "compute/methods/unbiased/unbiased.h"
#include "tests/compute/methods/family_pair.h"
#include "tests/support/normal_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace systole {
namespace {

using test::FamilyPair;

/// The mean length of the motion, voxels, with noise of 4 % of the gray range.
double motionOfNoise(const MotionMethod& method, const std::string& look, bool compensated) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    FamilyPair pair(look, 1, ctx);
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
    values.setText("compensate-noise", compensated ? "on" : "off");
    test::TestField found(pair.size());
    method.make(values, Backend::Cpu)->estimate(pair.input(), found.view(), ctx);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += std::hypot(static_cast<double>(found.values[i]),
                          static_cast<double>(found.values[n + i]),
                          static_cast<double>(found.values[2 * n + i]));
    return sum / static_cast<double>(n);
}

/// Without making good what interpolation takes, the motion of most voxels goes to places between
/// them.
TEST(NoiseAlone, HardlyMovesMethodsThatMakeGoodWhatInterpolationTakes) {
    for (const MotionMethod& method : {ffdMethod(), unbiasedMethod()})
        for (const char* look : {"echo", "ct"}) {
            SCOPED_TRACE(method.name + std::string(" ") + look);
            const double moved = motionOfNoise(method, look, true);
            EXPECT_LT(moved, 0.08);
            EXPECT_GT(motionOfNoise(method, look, false), 2 * moved);
        }
}

} // namespace
} // namespace systole
