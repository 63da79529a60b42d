// Contrast that changes between frames: the gain field that is estimated together with the motion,
// and the map of gray values by the joint histogram.
#include "compute/methods/clg/clg.h"
#include "compute/methods/clg/gain_field.h"
#include "compute/methods/clg/gray_map.h"
#include "tests/support/compute_support.h"
#include "tests/support/speckle_pair.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using test::SpecklePair;
using test::TestField;
using test::TestVolume;

constexpr Size3 size{48, 44, 40};

double everywhere(double, double, double) { return 1; }

template <typename Change>
TestVolume changed(TestVolume& from, const Change& change) {
    return {size, [&](double x, double y, double z) {
                const float value =
                    from.view()(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
                return change(static_cast<double>(value), x, y);
            }};
}

double meanDifference(const TestVolume& a, const TestVolume& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.voxels.size(); ++i)
        sum += std::abs(static_cast<double>(a.voxels[i] - b.voxels[i]));
    return sum / static_cast<double>(a.voxels.size());
}

/// A bias field, and blood that brightens by 30 % in a plume.
double biased(double value, double x, double y) {
    return value * std::exp(0.3 * std::sin(0.1 * x) * std::cos(0.08 * y));
}
double inflow(double value, double x, double y) {
    return value * (1 + 0.3 * std::exp(-(std::pow(x - 24, 2) + std::pow(y - 22, 2)) / 100));
}
/// Another contrast: bright and dark tissue get the same gray value.
double bent(double value, double, double) { return 200 - 1.2 * std::abs(value - 90); }

class ClgContrast : public testing::Test {
protected:
    void fitGainOf(TestVolume& fixed, TestVolume& warped, TestVolume& inside) {
        const PyramidLevel level{size, {1, 1, 1}};
        const std::size_t cells = brightnessCells({level}, clg::gainCell);
        std::vector<clg::GainSums> sums(cells);
        std::vector<clg::BrightnessCoefficients> coefficients(cells);
        fitGain({fixed.view(), warped.view(), inside.view(), {1, 1, 1}}, 1,
                {sums.data(), coefficients.data()}, resources.context());
    }
    /// The map of the pair; the frames become what is compared.
    clg::GrayMap mapped(TestVolume& fixed, TestVolume& warped) {
        clg::GrayMap map{};
        TestVolume inside(size, everywhere), compared(size, everywhere);
        mapGrayValues(fixed.view(), inside.view(), warped.view(), compared.view(), map,
                      resources.context());
        fixed = compared;
        return map;
    }
    std::vector<float> motion(TestVolume& fixed, TestVolume& moving, const char* brightness,
                              int threads = 2) {
        ExecResources own(threads);
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        input.scale = {0, 230};
        TestField field(size);
        ParamSet set(clgParameterTable(), "default");
        set.setText("brightness", brightness);
        report = makeClg(set, Backend::Cpu)->estimate(input, field.view(), own.context());
        return field.values;
    }
    double error(TestVolume& fixed, TestVolume& moving, const char* brightness) {
        const std::vector<float> field = motion(fixed, moving, brightness);
        double sum = 0;
        for (std::size_t i = 0; i < field.size(); ++i)
            sum += std::abs(static_cast<double>(field[i] - pair.truth.values[i]));
        return sum / static_cast<double>(field.size());
    }

    ExecResources resources{2};
    SpecklePair pair{size, 1};
    MotionReport report;
};

TEST_F(ClgContrast, AGainFieldIsFoundBesideAMotion) {
    SpecklePair still(size, 0), shifted(size, 0.2);
    TestVolume inside(size, everywhere), bright = changed(shifted.moving, biased);
    const double before = meanDifference(bright, shifted.moving);
    fitGainOf(still.fixed, bright, inside);
    // The remaining difference isn't gain; the motion's own difference isn't taken for gain.
    EXPECT_LT(meanDifference(bright, shifted.moving), 0.25 * before);
}

TEST_F(ClgContrast, NoGainIsBelievedWhereMotionExplainsTheDifference) {
    TestVolume inside(size, everywhere);
    SpecklePair shifted(size, 0.3);
    TestVolume warped = shifted.moving;
    fitGainOf(shifted.fixed, warped, inside);
    EXPECT_LT(meanDifference(warped, shifted.moving),
              0.06 * meanDifference(shifted.fixed, shifted.moving));
}

TEST_F(ClgContrast, NothingInsideLeavesTheFrame) {
    TestVolume nowhere(size, [](double, double, double) { return 0.0; });
    TestVolume warped = changed(pair.moving, biased);
    const std::vector<float> before = warped.voxels;
    fitGainOf(pair.fixed, warped, nowhere);
    EXPECT_EQ(warped.voxels, before);
}

TEST_F(ClgContrast, MotionUnderABiasFieldAndInflowIsNearlyThatUnderNone) {
    const double plain = error(pair.fixed, pair.moving, "auto");
    EXPECT_LT(error(pair.fixed, pair.moving, "joint"), 1.05 * plain);
    TestVolume bias = changed(pair.moving, biased), plume = changed(pair.moving, inflow);
    EXPECT_LT(error(pair.fixed, bias, "joint"), 1.25 * plain);
    EXPECT_LT(error(pair.fixed, plume, "joint"), 1.1 * plain);
    EXPECT_TRUE(report.comparesGrayValues);
}

TEST_F(ClgContrast, TheMapRestoresAContrastThatIsAFunctionOfTheGrayValue) {
    TestVolume fixed = changed(pair.moving, [](double v, double, double) {
        return 250 * std::pow(std::max(v, 0.0) / 250, 0.6);
    });
    const TestVolume wanted = fixed;
    TestVolume warped = pair.moving;
    mapped(fixed, warped);
    EXPECT_LT(meanDifference(fixed, warped), 0.05 * meanDifference(wanted, pair.moving));
}

TEST_F(ClgContrast, TheMapIsOfTheFrameThatTellsMore) {
    TestVolume warped = changed(pair.fixed, bent), fixed = pair.fixed;
    EXPECT_EQ(mapped(fixed, warped).ofFrame, clg::fixedFrame);
    EXPECT_LT(meanDifference(fixed, warped), 2);
    TestVolume bentFixed = changed(pair.fixed, bent), same = pair.fixed;
    EXPECT_EQ(mapped(bentFixed, same).ofFrame, clg::warpedFrame);
    EXPECT_LT(meanDifference(bentFixed, same), 2);
}

TEST_F(ClgContrast, FramesOfOneContrastKeepItBeforeTheMotionIsFound) {
    TestVolume fixed = pair.fixed, warped = pair.moving;
    mapped(fixed, warped);
    const auto deviation = [](const TestVolume& v) {
        double sum = 0, squares = 0;
        for (const float value : v.voxels) {
            sum += static_cast<double>(value);
            squares += static_cast<double>(value) * static_cast<double>(value);
        }
        const double n = static_cast<double>(v.voxels.size());
        return std::sqrt(squares / n - sum / n * sum / n);
    };
    EXPECT_NEAR(deviation(warped) / deviation(pair.moving), 1, 0.05);
    EXPECT_NEAR(deviation(fixed) / deviation(pair.fixed), 1, 0.05);
}

TEST_F(ClgContrast, MotionBetweenContrastsIsFound) {
    const double plain = error(pair.fixed, pair.moving, "auto");
    TestVolume other = changed(pair.moving, bent);
    EXPECT_LT(error(pair.fixed, other, "histogram"), 3 * plain);
    EXPECT_FALSE(report.comparesGrayValues);
    EXPECT_GT(error(pair.fixed, other, "auto"), 6 * plain);
}

TEST_F(ClgContrast, GivesTheSameBitsForAnyNumberOfThreads) {
    TestVolume bias = changed(pair.moving, biased);
    for (const char* brightness : {"joint", "histogram"})
        EXPECT_EQ(motion(pair.fixed, bias, brightness, 1), motion(pair.fixed, bias, brightness, 5));
}

TEST_F(ClgContrast, NothingIsComputedUnlessAskedFor) {
    ParamSet set(clgParameterTable(), "default");
    const ClgParameters usual = ClgParameters::from(set);
    EXPECT_TRUE(usual.matchesBrightness());
    EXPECT_FALSE(usual.fitsGain() || usual.mapsGrayValues());
    set.setText("brightness", "histogram");
    set.setText("features", "self-similarity");
    EXPECT_FALSE(ClgParameters::from(set).mapsGrayValues());
}

} // namespace
} // namespace systole
