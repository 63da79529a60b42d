// Motion through landmarks on a device against the CPU, whole runs of every preset on the family:
// within the bounds of equality, and the same bits where ffd goes on from it.
#include "compute/motion/methods.h"
#include "compute/motion/refined_method.h"
#include "compute/ops/field_difference.h"
#include "tests/compute/methods/family_pair.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace systole {
namespace {

using test::TestField;

class LandmarksOnTheFamily : public test::OnDevice,
                             public testing::WithParamInterface<PhantomLookRow> {
protected:
    TestField field(const std::string& preset, test::FamilyPair& pair, Backend backend) {
        const MotionMethod& method = motionMethod("landmarks");
        TestField found(pair.size());
        ExecContext ctx = context();
        ctx.backend = backend;
        const MotionReport report = method.make(ParamSet(*method.parameters, preset), backend)
                                        ->estimate(pair.input(), found.view(), ctx);
        EXPECT_EQ(findFigure(report.levels.front().figures, startsOnCpu) != nullptr,
                  preset == "ffd" && backend == Backend::Cuda);
        return found;
    }
};

TEST_P(LandmarksOnTheFamily, EveryPresetGivesTheMotionOfTheCpu) {
    for (const std::uint64_t seed : {1, 2}) {
        test::FamilyPair pair(GetParam().name, seed, resources.context());
        for (const std::string& preset : motionMethod("landmarks").parameters->presets()) {
            SCOPED_TRACE(preset + " " + std::to_string(seed));
            const TestField cpu = field(preset, pair, Backend::Cpu),
                            cuda = field(preset, pair, Backend::Cuda);
            EXPECT_GT(*std::max_element(cpu.values.begin(), cpu.values.end()), 0.2f);
            double sum = 0, largest = 0;
            for (std::size_t i = 0; i < cpu.values.size(); ++i) {
                const double difference = std::abs(double{cpu.values[i]} - double{cuda.values[i]});
                sum += difference;
                largest = std::max(largest, difference);
            }
            EXPECT_LT(sum / static_cast<double>(cpu.values.size()), equalMeanVoxels);
            EXPECT_LT(largest, equalMaximumVoxels);
        }
    }
}

/// It multiplies differences of its start: one of 1e-5 ended as tenths of a voxel.
TEST_P(LandmarksOnTheFamily, RefinedByFfdTheyHaveTheBitsOfTheCpu) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        test::FamilyPair pair(GetParam().name, seed, resources.context());
        EXPECT_EQ(field("ffd", pair, Backend::Cpu).values, field("ffd", pair, Backend::Cuda).values)
            << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Looks, LandmarksOnTheFamily, testing::ValuesIn(phantomLooks()),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace systole
