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

} // namespace
} // namespace systole
