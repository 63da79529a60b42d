// The mean squared difference before and after a motion, and when it counts as unchanged.
#include "compute/methods/clg/clg.h"
#include "compute/motion/residual_warning.h"
#include "compute/motion/sequence_driver.h"
#include "compute/ops/residual.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

TEST(Residual, IsTheMeanOverTheVoxelsThatStayInside) {
    ExecResources resources(2);
    const Size3 size{20, 6, 5};
    TestVolume fixed(size, [](double x, double, double) { return x; });
    // Differences are huge outside the region of which the mean is taken.
    TestVolume moving(size, [](double x, double, double) { return x >= 17 ? 900 : x + 4; });
    TestVolume warped(size, [](double x, double, double) { return x >= 17 ? -900 : x - 3; });
    TestField field(size);
    std::fill_n(field.view().u, size.voxels(), 3.0f);
    const ResidualChange found = residualChange(fixed.view(), moving.view(), warped.view(),
                                                field.view(), {}, resources.context());
    // Voxel 16 arrives at 19, on the border, where the weight is one half.
    EXPECT_NEAR(found.before, 16, 1e-5);
    EXPECT_NEAR(found.after, 9, 1e-5);
    std::fill_n(field.view().u, size.voxels(), 100.0f);
    const ResidualChange none = residualChange(fixed.view(), moving.view(), warped.view(),
                                               field.view(), {}, resources.context());
    EXPECT_EQ(none.before, 0);
    EXPECT_EQ(none.after, 0);
}

TEST(Residual, CountsOnlyVoxelsThatAreKnownInBothFrames) {
    ExecResources resources(2);
    const Size3 size{20, 6, 5};
    const auto knownBelow = [&](double end) {
        return TestVolume(size, [end](double x, double, double) { return x < end ? 1 : 0; });
    };
    // Unknown voxels have values far from the others, a mixed one lies between them.
    TestVolume fixed(size, [](double x, double, double) { return x < 12 ? x : -500; });
    TestVolume moving(size, [](double x, double, double) { return x < 15 ? x + 4 : 900; });
    TestVolume warped(size, [](double x, double, double) { return x < 11 ? x - 3 : 700; });
    TestVolume warpedKnown(size, [](double x, double, double) {
        return x < 11 ? 1 : x < 12 ? 0.5 : 0;
    });
    TestVolume fixedKnown = knownBelow(12), movingKnown = knownBelow(15);
    TestField field(size);
    const ResidualChange found = residualChange(
        fixed.view(), moving.view(), warped.view(), field.view(),
        {fixedKnown.view(), movingKnown.view(), warpedKnown.view()}, resources.context());
    EXPECT_NEAR(found.before, 16, 1e-5);
    EXPECT_NEAR(found.after, 9, 1e-5);
    EXPECT_NEAR(found.correlation, 1, 1e-5);
}

TEST(Residual, IsTheSameForAnyNumberOfThreads) {
    const Size3 size{33, 17, 19};
    TestVolume a = test::noiseVolume(size, 1), b = test::noiseVolume(size, 2),
               c = test::noiseVolume(size, 3);
    TestField field(size);
    field.values = test::noiseVolume({33, 17, 3 * 19}, 4).voxels;
    ExecResources one(1), four(4);
    const ResidualChange x =
        residualChange(a.view(), b.view(), c.view(), field.view(), {}, one.context());
    const ResidualChange y =
        residualChange(a.view(), b.view(), c.view(), field.view(), {}, four.context());
    EXPECT_EQ(x.before, y.before);
    EXPECT_EQ(x.after, y.after);
    EXPECT_NEAR(x.before, 2, 0.1);
}

TEST(Residual, StaysWhereLittleWasRemovedOfADifferenceThatCounts) {
    EXPECT_TRUE(residualStays({100, 99}, 255));
    EXPECT_TRUE(residualStays({100, 150}, 255));
    EXPECT_FALSE(residualStays({100, 97}, 255));
    EXPECT_FALSE(residualStays({0, 0}, 255));
    EXPECT_FALSE(residualStays({20, 20}, 255)); // 1.8 % of the range
    EXPECT_TRUE(residualStays({20, 20}, 200));
}

TEST(Residual, HasTheCorrelationOfTheFrames) {
    ExecResources resources(2);
    const Size3 size{30, 28, 26};
    TestVolume a = test::noiseVolume(size, 1), b = test::noiseVolume(size, 2);
    TestField field(size);
    for (const double offset : {0.0, -1000.0})
        for (const double part : {1.0, 0.6, 0.0, -0.6, -1.0}) {
            TestVolume mixed = b, moved = a;
            for (std::size_t i = 0; i < mixed.voxels.size(); ++i) {
                mixed.voxels[i] = static_cast<float>(
                    3 * (part * static_cast<double>(a.voxels[i]) +
                         std::sqrt(1 - part * part) * static_cast<double>(b.voxels[i])) +
                    offset);
                moved.voxels[i] += static_cast<float>(offset);
            }
            const ResidualChange found = residualChange(moved.view(), mixed.view(), mixed.view(),
                                                        field.view(), {}, resources.context());
            EXPECT_NEAR(found.correlation, part, 0.02);
            EXPECT_EQ(contrastIsInverted(found), part < 0);
        }
    TestVolume constant(size, [](double, double, double) { return 7; });
    EXPECT_EQ(
        residualChange(a.view(), constant.view(), a.view(), field.view(), {}, resources.context())
            .correlation,
        0);
}

/// The result of CLG for the body and itself, displaced and turned into other gray values.
FrameResult resultOf(double shift, double factor, double offset, BufferPool& pool,
                     const ExecContext& ctx) {
    const Size3 size{40, 36, 32};
    const auto frame = [&](const test::Formula& formula) {
        TestVolume values(size, formula);
        auto volume = std::make_shared<Volume>(Geometry(size, {1, 1, 1}), pool, "frame");
        std::copy(values.voxels.begin(), values.voxels.end(), volume->voxels.data());
        return volume;
    };
    SequenceDriver driver(
        makeClg(ParamSet(clgParameterTable(), "default"), Backend::Cpu),
        {.reference = ReferenceMode::Previous, .scale = {0, 255}, .incompressibility = {}});
    return driver.estimate(frame(test::body), 3, frame([&](double x, double y, double z) {
                               return factor * test::body(x - shift, y, z) + offset;
                           }),
                           4, ctx);
}

TEST(Residual, WarnsOfInvertedContrastAndNotOfMotion) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const IntensityScale scale{0, 255};
    FrameResult inverted = resultOf(0.5, -1, 255, resources.pool(), ctx);
    EXPECT_THAT(residualWarning(inverted, scale),
                testing::HasSubstr("frames 3 and 4 have opposite"));
    // Frames without anything in common, whose difference no motion reduces.
    inverted.residual.correlation = 0;
    inverted.residual.after = 0.99 * inverted.residual.before;
    EXPECT_THAT(
        residualWarning(inverted, scale),
        testing::AllOf(testing::HasSubstr("from frame 3 to 4"), testing::HasSubstr("contrast")))
        << inverted.residual.before << " " << inverted.residual.after;
    // A parameter that allows no motion is the likelier cause.
    ParamSet stiff(clgParameterTable(), "default");
    EXPECT_THAT(residualWarning(inverted, scale, &stiff), testing::HasSubstr("contrast"));
    stiff.set("alpha", 11420.0);
    EXPECT_THAT(residualWarning(inverted, scale, &stiff),
                testing::AllOf(testing::HasSubstr("smoothness (alpha) is 11420, by default 0.3"),
                               testing::Not(testing::HasSubstr("contrast"))));
    // It may leave a little.
    inverted.residual.after = 0.95 * inverted.residual.before;
    EXPECT_THAT(residualWarning(inverted, scale, &stiff),
                testing::HasSubstr("there is hardly any, probably because smoothness"));
    EXPECT_EQ(hindranceOf(inverted, scale, stiff), "smoothness 11420");
    stiff.set("alpha", 3.0);
    EXPECT_EQ(residualWarning(inverted, scale, &stiff), "");
    EXPECT_EQ(hindranceOf(inverted, scale, stiff), "");
    for (const double shift : {0.0, 0.05, 0.7, 2.0}) {
        const FrameResult normal = resultOf(shift, 1, 0, resources.pool(), ctx);
        EXPECT_EQ(residualWarning(normal, scale), "") << shift;
        EXPECT_LE(normal.residual.after, 0.2 * normal.residual.before) << shift;
    }
}

} // namespace
} // namespace systole
