// Demons on the device: which width of the step's smoothing noise decides for.
#include "tests/compute/methods/noisy_waves.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

class DemonsOnDevice : public test::OnDevice {};

TEST_F(DemonsOnDevice, SmoothTheirStepsMoreWhereTheFramesAreNoisy) {
    for (const test::NoisyWaves::Case& each : test::NoisyWaves::cases) {
        SCOPED_TRACE(testing::Message() << each.first << ", " << each.second);
        test::NoisyWaves pair(each);
        const auto found = [&](const char* width) {
            return pair.byDemons(width, Backend::Cuda, context());
        };
        const auto byDefault = found(nullptr);
        EXPECT_EQ(byDefault.width, each.noisy ? 5 : 1);
        EXPECT_EQ(byDefault.field, found(each.noisy ? "5" : "1").field);
    }
}

/// The host's steps, on the whole grid and on half of it: axes of even and odd length, steps that
/// are squared and some that are too short for that, thick slices.
TEST_F(DemonsOnDevice, FindTheMotionOfTheCpu) {
    for (const Size3 size : {Size3{32, 28, 24}, Size3{33, 47, 29}})
        for (const double slice : {1.0, 3.0})
            for (const char* const maxStep : {"2", "0.4"})
                for (const bool noisy : {false, true}) {
                    SCOPED_TRACE(testing::Message() << size.x << ", slices of " << slice << ", "
                                                    << maxStep << (noisy ? ", noisy" : ""));
                    const float deviation = noisy ? 20.0f : 2.0f;
                    test::NoisyWaves pair({deviation, deviation, noisy}, size);
                    pair.spacing = {1, 1, slice};
                    const auto host = pair.byDemons(nullptr, Backend::Cpu, context(), maxStep),
                               device = pair.byDemons(nullptr, Backend::Cuda, context(), maxStep);
                    EXPECT_EQ(device.width, host.width);
                    EXPECT_LT(test::largestDifference(device.field, host.field), 1e-3);
                }
}

} // namespace
} // namespace systole
