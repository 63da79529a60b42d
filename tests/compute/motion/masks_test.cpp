// Masks, which every method takes.
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/ops/frame_masks_math.h"
#include "tests/compute/motion/masked_pair.h"
#include "tests/compute/motion/processor_methods.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

using test::MaskedPair;
using test::TestField;
using test::TestVolume;

TEST(FrameMasks, WeighByBothMasksAndBetweenVoxels) {
    const Size3 size{4, 3, 3};
    TestVolume here(size, [](double x, double, double) { return x < 2 ? 0.5 : 1; });
    TestVolume there(size, [](double x, double, double) { return x < 2 ? 1 : 0; });
    const auto weight = [&](const FrameMasks& masks, int x, float u) {
        const Position at{static_cast<float>(x) + u, 1, 1};
        return masks.weight(here.view().offset(x, 1, 1), at, size);
    };
    const FrameMasks both{here.view(), there.view()}, fixed{here.view(), {}},
        moving{{}, there.view()};
    EXPECT_EQ(weight(both, 0, 0), 0.5f);
    EXPECT_EQ(weight(both, 3, -1.5f), 0.5f);
    EXPECT_EQ(weight(both, 0, 2), 0);
    EXPECT_EQ(weight(both, 0, -7), 0.5f);
    EXPECT_EQ(weight(fixed, 0, 2), 0.5f);
    EXPECT_EQ(weight(moving, 1, 0.25f), 0.75f);
    EXPECT_TRUE(FrameMasks{}.empty());
    EXPECT_EQ(masked(3, 7.1f, 1), 7.1f);
    EXPECT_EQ(masked(3, 7.1f, 0), 3);
}

using test::Implementation;
using test::onTheProcessor;

class Masks : public testing::TestWithParam<Implementation> {
protected:
    TestField estimate(const MotionInput& input, const std::string& preset = "default") {
        const MotionMethod& method = *GetParam().method;
        TestField field(input.fixed.size);
        ExecContext ctx = resources.context();
        ctx.backend = GetParam().backend;
        method.make(ParamSet(*method.parameters, preset), GetParam().backend)
            ->estimate(input, field.view(), ctx);
        return field;
    }

    /// Landmarks are found one by one, and what moves otherwise hardly spoils them: for them an
    /// error of a tenth of a voxel is as good as any. The others must gain.
    static double unspoilt() { return GetParam().method->name == "landmarks" ? 0.1 : 0; }

    MaskedPair pair;
    ExecResources resources{2};
};

TEST_P(Masks, HideWhatMovesOtherwise) {
    TestField free = estimate(pair.input()), hidden = estimate(pair.maskedInput());
    const double spoilt = MaskedPair::error(free.view()), error = MaskedPair::error(hidden.view());
    EXPECT_LT(error, 0.25);
    EXPECT_LT(error, std::max(unspoilt(), 0.75 * spoilt));
}

// The plain loops share what presets select, and would take minutes.
class FastMasks : public Masks {};

TEST_P(FastMasks, WorkInEveryPreset) {
    for (const std::string& preset : GetParam().method->parameters->presets()) {
        TestField free = estimate(pair.input(), preset),
                  hidden = estimate(pair.maskedInput(), preset);
        EXPECT_LT(MaskedPair::error(hidden.view()),
                  std::max(unspoilt(), MaskedPair::error(free.view())))
            << preset;
    }
}

TEST_P(Masks, OfEveryVoxelChangeNothing) {
    TestVolume all(MaskedPair::size, [](double, double, double) { return 1; });
    MotionInput input = pair.input();
    const TestField free = estimate(input);
    input.fixedMask = input.movingMask = all.view();
    const TestField whole = estimate(input);
    double sum = 0;
    for (std::size_t i = 0; i < free.values.size(); ++i)
        sum += static_cast<double>(std::abs(free.values[i] - whole.values[i]));
    const double mean = sum / static_cast<double>(free.values.size());
    // A search for the least energy goes another way where weights at the border differ.
    const std::string& name = GetParam().method->name;
    EXPECT_LT(mean, name == "clg" || name == "demons" ? 1e-3 : 0.1);
}

TEST_P(Masks, ThatAreEmptyOrOfAnotherSizeAreRefused) {
    TestVolume none(MaskedPair::size, [](double, double, double) { return 0; });
    TestVolume other({9, 8, 7}, [](double, double, double) { return 1; });
    for (TestVolume* mask : {&none, &other})
        for (const bool fixed : {true, false}) {
            MotionInput input = pair.input();
            (fixed ? input.fixedMask : input.movingMask) = mask->view();
            EXPECT_THROW(estimate(input), ComputeError);
        }
}

INSTANTIATE_TEST_SUITE_P(All, Masks, testing::ValuesIn(onTheProcessor()),
                         [](const auto& tested) { return tested.param.label(); });
INSTANTIATE_TEST_SUITE_P(All, FastMasks, testing::ValuesIn(onTheProcessor({Backend::Cpu})),
                         [](const auto& tested) { return tested.param.label(); });

} // namespace
} // namespace systole
