// Brightness that changes between frames: what the match must restore, and what it must leave.
#include "compute/methods/clg/brightness.h"
#include "compute/methods/clg/clg.h"
#include "tests/support/compute_support.h"
#include "tests/support/speckle_pair.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using test::SpecklePair;
using test::TestField;
using test::TestVolume;

constexpr std::array<float, 3> cubes{1, 1, 1};

/// A smooth field of gains, half a wave across the volume.
double gainAt(Size3 size, double x, double y) {
    return 1.15 * std::exp(0.25 * std::sin(3.14159 * x / size.x) * std::cos(3.14159 * y / size.y));
}

class ClgBrightness : public testing::Test {
protected:
    double match(TestVolume& fixed, TestVolume& warped, TestVolume& inside,
                 std::array<float, 3> scale = cubes, double before = 0) {
        const Size3 size = fixed.view().size;
        PyramidLevel level{size,
                           {1 / static_cast<double>(scale[0]), 1 / static_cast<double>(scale[1]),
                            1 / static_cast<double>(scale[2])}};
        const std::size_t cells = brightnessCells({level});
        std::vector<clg::BrightnessSums> sums(cells);
        std::vector<clg::BrightnessCoefficients> coefficients(cells);
        return matchBrightness({fixed.view(), warped.view(), inside.view(), scale},
                               clg::coarseShares, before, {sums.data(), coefficients.data()},
                               resources.context());
    }
    static double meanDifference(TestVolume& a, TestVolume& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.voxels.size(); ++i)
            sum += std::abs(static_cast<double>(a.voxels[i] - b.voxels[i]));
        return sum / static_cast<double>(a.voxels.size());
    }
    /// Mean error of the motion of a speckle pair whose moving frame is `change`d first.
    template <typename Change>
    double motionError(const Change& change, Backend backend, const char* adaptive = "on") {
        const Size3 size{48, 44, 40};
        SpecklePair pair(size, 1);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    float& value = pair.moving.view()(x, y, z);
                    value = static_cast<float>(change(static_cast<double>(value), x, y));
                }
        MotionInput input;
        input.fixed = pair.fixed.view();
        input.moving = pair.moving.view();
        input.scale = {0, 230};
        TestField field(size);
        ParamSet set(clgParameterTable(), "default");
        set.setText("adaptive", adaptive);
        makeClg(set, backend)->estimate(input, field.view(), resources.context());
        double sum = 0;
        for (std::size_t i = 0; i < field.values.size(); ++i)
            sum += std::abs(static_cast<double>(field.values[i] - pair.truth.values[i]));
        return sum / static_cast<double>(field.values.size());
    }

    ExecResources resources{2};
};

TEST_F(ClgBrightness, RestoresAGainThatVariesSmoothly) {
    const Size3 size{48, 40, 32};
    SpecklePair pair(size, 0);
    TestVolume inside(size, [](double, double, double) { return 1.0; });
    TestVolume warped(size, [&](double x, double y, double z) {
        const auto value =
            pair.fixed.view()(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
        return gainAt(size, x, y) * static_cast<double>(value) + 8;
    });
    const double before = meanDifference(pair.fixed, warped);
    EXPECT_GT(match(pair.fixed, warped, inside), 0.99);
    EXPECT_LT(meanDifference(pair.fixed, warped), 0.15 * before);
}

TEST_F(ClgBrightness, LeavesEveryBitWhereMotionExplainsTheDifference) {
    const Size3 size{48, 40, 32};
    SpecklePair pair(size, 1);
    TestVolume inside(size, [](double, double, double) { return 1.0; });
    const std::vector<float> moving = pair.moving.voxels;
    EXPECT_EQ(match(pair.fixed, pair.moving, inside), 0);
    EXPECT_EQ(pair.moving.voxels, moving);
}

TEST_F(ClgBrightness, WhatHasShownBeforeRemains) {
    const Size3 size{32, 30, 28};
    SpecklePair pair(size, 1);
    TestVolume inside(size, [](double, double, double) { return 1.0; });
    EXPECT_EQ(match(pair.fixed, pair.moving, inside, cubes, 0.5), 0.5);
}

TEST_F(ClgBrightness, VoxelsOutsideDontCount) {
    const Size3 size{40, 24, 24};
    SpecklePair pair(size, 0);
    TestVolume inside(size, [](double x, double, double) { return x < 20 ? 1.0 : 0.0; });
    TestVolume warped = pair.fixed;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 20; x < size.x; ++x)
                warped.view()(x, y, z) += 100;
    EXPECT_EQ(match(pair.fixed, warped, inside), 0);
    TestVolume nowhere(size, [](double, double, double) { return 0.0; });
    EXPECT_EQ(match(pair.fixed, warped, nowhere), 0);
}

TEST_F(ClgBrightness, CellsAreLengthsNotVoxels) {
    const clg::BrightnessCells slices({60, 60, 9}, {1, 1, 0.125f});
    EXPECT_EQ(slices.count, (Size3{10, 10, 9}));
    const clg::BrightnessCells odd({13, 6, 1}, cubes);
    EXPECT_EQ(odd.count, (Size3{3, 1, 1}));
}

TEST_F(ClgBrightness, MotionUnderAChangingGainIsNearlyThatUnderNone) {
    const Size3 size{48, 44, 40};
    const auto gain = [&](double value, int x, int y) { return gainAt(size, x, y) * value; };
    const auto none = [](double value, int, int) { return value; };
    for (const Backend backend : {Backend::Cpu, Backend::CpuReference}) {
        const double plain = motionError(none, backend), changed = motionError(gain, backend);
        EXPECT_LT(changed, 1.3 * plain + 0.01) << name(backend);
        EXPECT_LT(changed, 0.6 * motionError(gain, backend, "off")) << name(backend);
    }
}

} // namespace
} // namespace systole
