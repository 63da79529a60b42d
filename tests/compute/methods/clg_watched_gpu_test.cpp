// An estimation on the device whose iterations are observed.
#include "compute/methods/clg/clg.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/speckle_pair.h"

namespace systole {
namespace {

using test::TestField;

class ClgWatched : public test::OnDevice {
protected:
    struct Seen {
        int level, iteration;
        double energy;
        std::vector<float> field;
    };
    static std::vector<Seen> watched(MotionEstimator& clg, const MotionInput& input,
                                     TestField& field, ExecContext ctx) {
        std::vector<Seen> seen;
        ctx.iteration = [&](const IterationState& state) {
            const float* const first = state.field.u;
            seen.push_back({state.level,
                            state.iteration,
                            state.energy,
                            {first, first + 3 * state.field.size.voxels()}});
        };
        clg.estimate(input, field.view(), ctx);
        return seen;
    }
};

TEST_F(ClgWatched, SeesWhatTheCpuShowsAndChangesNothing) {
    test::SpecklePair pair({37, 30, 29});
    MotionInput input;
    input.fixed = pair.fixed.view();
    input.moving = pair.moving.view();
    input.scale = {0, 230};
    const ParamSet set(clgParameterTable(), "default");
    const auto onCpu = makeClg(set, Backend::Cpu), onDevice = makeClg(set, Backend::Cuda);
    TestField cpu(pair.size), plain(pair.size), first(pair.size), last(pair.size);
    const std::vector<Seen> expected = watched(*onCpu, input, cpu, resources.context());
    const std::vector<Seen> before = watched(*onDevice, input, first, context());
    onDevice->estimate(input, plain.view(), context());
    onDevice->estimate(input, plain.view(), context());
    std::fill(plain.values.begin(), plain.values.end(), 0.0f);
    onDevice->estimate(input, plain.view(), context()); // a replay
    const std::vector<Seen> after = watched(*onDevice, input, last, context());
    EXPECT_EQ(first.values, plain.values);
    EXPECT_EQ(last.values, plain.values);
    ASSERT_EQ(before.size(), expected.size());
    ASSERT_EQ(after.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(before[i].level, expected[i].level);
        EXPECT_EQ(before[i].iteration, expected[i].iteration);
        EXPECT_NEAR(before[i].energy, expected[i].energy, 0.02 * std::abs(expected[i].energy));
        EXPECT_LT(test::largestDifference(before[i].field, expected[i].field), 0.05) << i;
        EXPECT_EQ(before[i].field, after[i].field);
    }
    EXPECT_EQ(before.back().field, plain.values);
}

} // namespace
} // namespace systole
