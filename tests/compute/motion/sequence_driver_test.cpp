// Pairs of a sequence in their order, and the scale of its gray values.
#include "compute/methods/clg/clg.h"
#include "compute/motion/composed_motion.h"
#include "compute/motion/gray_range.h"
#include "compute/motion/refined_method.h"
#include "compute/motion/sequence_driver.h"
#include "compute/ops/reduce.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace systole {
namespace {

using test::TestVolume;
using test::waves;

std::unique_ptr<MotionEstimator> clg(int levels) {
    ParamSet set(clgParameterTable());
    set.set("levels", levels);
    return makeClg(set, Backend::Cpu);
}

/// A sequence whose object moves by a constant step.
std::shared_ptr<Volume> shifted(double x0, const ExecContext& ctx) {
    const Geometry g({36, 32, 30}, {1, 1, 1});
    auto volume = std::make_shared<Volume>(g, *ctx.pool, "frame");
    for (int z = 0; z < 30; ++z)
        for (int y = 0; y < 32; ++y)
            for (int x = 0; x < 36; ++x)
                volume->view()(x, y, z) = static_cast<float>(waves(x - x0, y, z));
    return volume;
}

TEST(SequenceDriver, LagrangianMotionIsTheSumOfTheSteps) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    SequenceDriver driver(clg(2), {ReferenceMode::Previous, {0, 255}});
    VectorField total(Geometry({36, 32, 30}, {1, 1, 1}), *ctx.pool, "total");
    std::fill_n(total.components.data(), total.components.size(), 0.0f);
    for (int t = 1; t < 4; ++t) {
        const FrameResult result =
            driver.estimate(shifted(0.8 * (t - 1), ctx), t - 1, shifted(0.8 * t, ctx), t, ctx);
        EXPECT_EQ(result.fixedFrame, t - 1);
        EXPECT_NEAR(result.field->view().componentView(0)(18, 16, 15), 0.8, 0.03);
        EXPECT_GT(result.profile.seconds("solve"), 0);
        // The warped frame is the fixed one again.
        EXPECT_NEAR(result.warped->view()(18, 16, 15), result.fixed->view()(18, 16, 15), 2);
        total = composedMotion(total, *result.field, ctx);
    }
    EXPECT_NEAR(total.view().componentView(0)(16, 16, 15), 2.4, 0.08);
    EXPECT_NEAR(total.view().componentView(1)(16, 16, 15), 0, 0.05);
}

/// Estimator on a device, whose start was computed elsewhere.
class HalfElsewhere : public MotionEstimator {
public:
    std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
    int reach() const override { return 1; }

protected:
    MotionReport run(const MotionInput&, FieldView<float>, const ExecContext&) override {
        MotionReport report;
        report.levels.push_back({{}, 1, 0, {{"corners", 7, ""}, {startsOnCpu, 1, ""}}});
        report.finish();
        return report;
    }
};

TEST(SequenceDriver, AFrameSaysThatItsStartWasComputedElsewhere) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const auto figuresBy = [&](std::unique_ptr<MotionEstimator> estimator) {
        SequenceDriver driver(std::move(estimator), {ReferenceMode::Previous, {0, 255}});
        return driver.estimate(shifted(0, ctx), 0, shifted(0.8, ctx), 1, ctx).figures;
    };
    const std::vector<Figure> figures = figuresBy(std::make_unique<HalfElsewhere>());
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_EQ(figures.front().name, startsOnCpu);
    EXPECT_TRUE(figuresBy(clg(2)).empty());
}

class OneVolume : public FrameSource {
public:
    explicit OneVolume(TestVolume volume) : volume_(std::move(volume)) {}
    void read(int, VolumeView<float> voxels) override {
        std::copy(volume_.voxels.begin(), volume_.voxels.end(), voxels.data);
    }

private:
    TestVolume volume_;
};

IntensityScale scaleOf(const test::Formula& formula) {
    const Size3 size{20, 20, 20};
    Sequence sequence;
    sequence.geometry = Geometry(size, {1, 1, 1});
    sequence.frames = 2;
    sequence.source = std::make_shared<OneVolume>(TestVolume(size, formula));
    ExecResources resources(1);
    return intensityScale(sequence, resources.context());
}

TEST(IntensityScale, SpansThePercentilesOrWhatThereIs) {
    const IntensityScale ramp =
        scaleOf([](double x, double y, double z) { return x + 20 * y + 400 * z; });
    EXPECT_NEAR(ramp.low, 80, 2);
    EXPECT_NEAR(ramp.high, 7919, 2);
    // One voxel in a thousand stands out of nothing.
    const IntensityScale sparse = scaleOf(
        [](double x, double y, double z) { return x == 10 && y == 10 && z < 8 ? 32.0 : 0.0; });
    EXPECT_FLOAT_EQ(sparse.low, 0);
    EXPECT_FLOAT_EQ(sparse.high, 32);
    const IntensityScale constant = scaleOf([](double, double, double) { return 7.0; });
    EXPECT_FLOAT_EQ(constant.low, 7);
    EXPECT_GT(constant.high, 7);
}

TEST(SequenceDriver, FirstReferenceFollowsFarMotionByWarmStarts) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    SequenceDriver driver(clg(1), {ReferenceMode::First, {0, 255}});
    FrameResult last;
    const auto reference = shifted(0, ctx);
    for (int t = 1; t < 6; ++t)
        last = driver.estimate(reference, 0, shifted(1.2 * t, ctx), t, ctx);
    EXPECT_NEAR(last.field->view().componentView(0)(14, 16, 15), 6, 0.15);
}

} // namespace
} // namespace systole
