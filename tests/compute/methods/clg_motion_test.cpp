// CLG as a whole: known motion, ground truth of the phantom, forms against one another, and how it
// behaves when asked the wrong thing.
#include "compute/core/error.h"
#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/clg.h"
#include "compute/motion/sequence_driver.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/reduce.h"
#include "io/phantom/phantom.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

ParamSet parameters(const std::string& preset,
                    const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    ParamSet set(clgParameterTable(), preset);
    for (const auto& [id, text] : changes)
        set.setText(id, text);
    return set;
}

MotionReport estimate(const ParamSet& set, Backend backend, VolumeView<const float> fixed,
                      VolumeView<const float> moving, TestField& field, const ExecContext& base,
                      IntensityScale scale = {0, 255}, Vec3 spacing = {1, 1, 1}) {
    ExecContext ctx = base;
    ctx.backend = backend;
    MotionInput input;
    input.fixed = fixed;
    input.moving = moving;
    input.scale = scale;
    input.spacing = spacing;
    return makeClg(set, backend)->estimate(input, field.view(), ctx);
}

using test::waves;

TEST(Clg, FindsATranslation) {
    const Size3 size{40, 36, 33};
    const double d[3] = {1.7, -0.9, 0.6};
    TestVolume fixed(size, waves);
    TestVolume moving(
        size, [&](double x, double y, double z) { return waves(x - d[0], y - d[1], z - d[2]); });
    ExecResources resources(2);
    for (const char* solver : {"red-black", "multigrid", "jacobi"}) {
        TestField field(size);
        estimate(parameters("default", {{"solver", solver}, {"levels", "2"}}), Backend::Cpu,
                 fixed.view(), moving.view(), field, resources.context());
        for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(field.view().componentView(k)(20, 18, 16), d[k], 0.03) << solver;
    }
}

/// Smoothness holds a motion back that isn't a translation; its trend it doesn't.
TEST(Clg, SmoothnessLeavesTheTrendFree) {
    const Size3 size{48, 48, 48};
    constexpr double stretch = 0.06, middle = 23.5;
    TestVolume fixed(size, waves);
    TestVolume moving(size, [](double x, double y, double z) {
        return waves(middle + (x - middle) / (1 + stretch), y, z);
    });
    ExecResources resources(2);
    const auto slope = [&](const char* trend) {
        TestField field(size);
        estimate(
            parameters("default", {{"alpha", "60"}, {"adaptive", "off"}, {"trend-share", trend}}),
            Backend::Cpu, fixed.view(), moving.view(), field, resources.context());
        const VolumeView<float> u = field.view().componentView(0);
        return static_cast<double>(u(34, 24, 24) - u(13, 24, 24)) / 21;
    };
    const double held = stretch - slope("0"), left = stretch - slope("0.125");
    EXPECT_GT(held, 0.3 * stretch);
    EXPECT_LT(std::abs(left), 0.5 * held);
}

/// The paper's single level without normalization sees motion below a voxel. Its forward
/// differences belong to points half a voxel away, hence the wide bounds.
TEST(Clg, PaperPresetFindsASmallTranslation) {
    const Size3 size{32, 32, 32};
    TestVolume fixed(size, waves);
    TestVolume moving(size,
                      [](double x, double y, double z) { return waves(x - 0.5, y + 0.3, z); });
    ExecResources resources(2);
    TestField field(size);
    estimate(parameters("paper"), Backend::Cpu, fixed.view(), moving.view(), field,
             resources.context());
    EXPECT_NEAR(field.view().componentView(0)(16, 16, 16), 0.5, 0.1);
    EXPECT_NEAR(field.view().componentView(1)(16, 16, 16), -0.3, 0.1);
    EXPECT_NEAR(field.view().componentView(2)(16, 16, 16), 0, 0.1);
}

struct PhantomPair {
    explicit PhantomPair(Size3 size, double motionScale = 0.5, const ExecContext& ctx = shared())
        : options(phantomPair(size)) {
        options.motionScale = motionScale;
        phantom = std::make_unique<Phantom>(options);
        fixed = Volume(phantom->geometry(), *ctx.pool, "fixed");
        moving = Volume(phantom->geometry(), *ctx.pool, "moving");
        phantom->image(0, fixed.view(), ctx);
        phantom->image(1, moving.view(), ctx);
    }
    static ExecContext shared() {
        static ExecResources resources(2);
        return resources.context();
    }
    double wallError(FieldView<const float> field) const {
        const VectorField truth = phantom->truth(0, 1, shared());
        const std::vector<std::uint8_t> labels = phantom->labels(0, shared());
        const FieldView<const float> t = truth.view();
        double sum = 0;
        int count = 0;
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (labels[i] == 1) {
                sum += std::hypot(field.u[i] - t.u[i], field.v[i] - t.v[i], field.w[i] - t.w[i]);
                ++count;
            }
        return sum / count;
    }
    double wallVolumeChange(FieldView<const float> field) const {
        const std::vector<std::uint8_t> labels = phantom->labels(0, shared());
        const Size3 n = options.size;
        double sum = 0;
        int count = 0;
        for (int z = 1; z < n.z - 1; ++z)
            for (int y = 1; y < n.y - 1; ++y)
                for (int x = 1; x < n.x - 1; ++x)
                    if (labels[field.componentView(0).offset(x, y, z)] == 1) {
                        sum += std::abs(jacobianDeterminant(field, x, y, z) - 1);
                        ++count;
                    }
        return sum / count;
    }

    PhantomOptions options;
    std::unique_ptr<Phantom> phantom;
    Volume fixed, moving;
};

struct FormCase {
    const char* name;
    const char* preset;
    Size3 size;
    std::vector<std::pair<std::string, std::string>> changes;
};
class ClgForms : public testing::TestWithParam<FormCase> {};

TEST_P(ClgForms, AgreeWithTheReference) {
    const FormCase& c = GetParam();
    const PhantomPair pair(c.size);
    TestField fast(c.size), plain(c.size);
    const ParamSet set = parameters(c.preset, c.changes);
    estimate(set, Backend::Cpu, pair.fixed.view(), pair.moving.view(), fast, PhantomPair::shared());
    estimate(set, Backend::CpuReference, pair.fixed.view(), pair.moving.view(), plain,
             PhantomPair::shared());
    double sum = 0, motion = 0;
    for (std::size_t i = 0; i < fast.values.size(); ++i) {
        sum += std::abs(static_cast<double>(fast.values[i]) - static_cast<double>(plain.values[i]));
        motion += std::abs(static_cast<double>(plain.values[i]));
    }
    const auto count = static_cast<double>(fast.values.size());
    EXPECT_LT(sum / count, 1e-3);
    EXPECT_LT(test::largestDifference(fast.values, plain.values), 0.05);
    EXPECT_GT(motion / count, 0.05); // something moved at all
}

INSTANTIATE_TEST_SUITE_P(
    Presets, ClgForms,
    testing::Values(
        FormCase{"Default", "default", {40, 40, 40}, {}},
        FormCase{"DefaultOddSize", "default", {37, 21, 30}, {}},
        FormCase{"DefaultWithoutTrend", "default", {40, 33, 36}, {{"trend-share", "0"}}},
        FormCase{"Smooth", "default", {40, 33, 36}, {{"alpha", "2"}}},
        FormCase{
            "SmoothWithoutTrend", "default", {37, 21, 30}, {{"alpha", "2"}, {"trend-share", "0"}}},
        FormCase{"DefaultTrend", "default", {40, 33, 36}, {{"trend", "8"}}},
        FormCase{"DefaultBeta", "default", {24, 24, 24}, {{"beta", "0.3"}, {"warps", "2"}}},
        FormCase{"Multigrid", "default", {32, 32, 32}, {{"solver", "multigrid"}}},
        FormCase{"Paper", "paper", {32, 32, 32}, {{"sweeps", "20"}}},
        FormCase{"PaperBeta", "paper", {24, 20, 22}, {{"beta", "50"}, {"sweeps", "20"}}}),
    [](const auto& info) { return info.param.name; });

TEST(Clg, CarriesTheSameBitsForAnyNumberOfThreads) {
    const PhantomPair pair({35, 33, 31});
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2, 3}) {
        ExecResources resources(threads);
        TestField field({35, 33, 31});
        estimate(parameters("default"), Backend::Cpu, pair.fixed.view(), pair.moving.view(), field,
                 resources.context());
        results.push_back(field.values);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

TEST(Clg, IsCloseToTheTruthOnThePhantom) {
    const Size3 size{64, 64, 64};
    const PhantomPair pair(size, 1);
    TestField field(size), zero(size);
    estimate(parameters("default"), Backend::Cpu, pair.fixed.view(), pair.moving.view(), field,
             PhantomPair::shared());
    EXPECT_GT(pair.wallError(zero.view()), 3.0); // the wall moves by more than three voxels
    EXPECT_LT(pair.wallError(field.view()), 0.2);
}

TEST(Clg, BetaKeepsTheWallsVolumeTheMoreTheLargerItIs) {
    const Size3 size{40, 40, 40};
    const PhantomPair pair(size);
    // Myocardium keeps its volume; blood, as seen, does not.
    const std::vector<std::uint8_t> labels = pair.phantom->labels(0, PhantomPair::shared());
    std::vector<float> wall(labels.size());
    std::transform(labels.begin(), labels.end(), wall.begin(),
                   [](std::uint8_t label) { return label == 1 ? 1.0f : 0.0f; });
    std::vector<double> change;
    for (const char* beta : {"0", "3", "10"}) {
        TestField field(size);
        MotionInput input;
        input.fixed = pair.fixed.view();
        input.moving = pair.moving.view();
        input.incompressibility = {wall.data(), size};
        makeClg(parameters("default", {{"beta", beta}}), Backend::Cpu)
            ->estimate(input, field.view(), PhantomPair::shared());
        change.push_back(pair.wallVolumeChange(field.view()));
    }
    EXPECT_LT(change[1], change[0]);
    EXPECT_LT(change[2], change[1]);
    EXPECT_LT(change[2], 0.9 * change[0]);
}

TEST(Clg, AWarmStartIsUsed) {
    const Size3 size{32, 32, 32};
    TestVolume fixed(size, waves);
    TestVolume moving(size, [](double x, double y, double z) { return waves(x - 1.5, y, z); });
    ExecResources resources(2);
    const ParamSet weak = parameters("default", {{"levels", "1"}, {"warps", "1"}, {"sweeps", "1"}});
    TestField cold(size), warm(size);
    std::fill_n(warm.view().u, size.voxels(), 1.5f);
    estimate(weak, Backend::Cpu, fixed.view(), moving.view(), cold, resources.context());
    estimate(weak, Backend::Cpu, fixed.view(), moving.view(), warm, resources.context());
    EXPECT_NEAR(warm.view().componentView(0)(16, 16, 16), 1.5, 0.05);
    EXPECT_GT(std::abs(cold.view().componentView(0)(16, 16, 16) - 1.5), 0.2);
}

TEST(Clg, ThickSlicesAreNotDecimated) {
    const Size3 size{40, 40, 12};
    TestVolume image(size, waves);
    ExecResources resources(2);
    TestField field(size);
    const MotionReport report =
        estimate(parameters("default"), Backend::Cpu, image.view(), image.view(), field,
                 resources.context(), {0, 255}, {1.25, 1.25, 10});
    ASSERT_EQ(report.levels.size(), 3u);
    EXPECT_EQ(report.levels[0].size, (Size3{10, 10, 12}));
    EXPECT_EQ(report.levels[2].size, size);
    for (const float v : field.values)
        ASSERT_NEAR(v, 0, 1e-4); // nothing moves
}

TEST(Clg, ConstantAndTinyFramesGiveNoMotion) {
    ExecResources resources(2);
    for (const Size3 size : {Size3{1, 1, 1}, Size3{2, 1, 3}, Size3{20, 20, 1}, Size3{17, 1, 1}}) {
        TestVolume constant(size, [](double, double, double) { return 80.0; });
        TestField field(size);
        estimate(parameters("default"), Backend::Cpu, constant.view(), constant.view(), field,
                 resources.context());
        for (const float v : field.values)
            ASSERT_EQ(v, 0);
    }
}

TEST(Clg, RefusesUnequalFramesAndValuesThatAreNoNumbers) {
    ExecResources resources(2);
    TestVolume a({8, 8, 8}, waves), b({8, 8, 9}, waves);
    TestField field({8, 8, 8});
    EXPECT_THROW(estimate(parameters("default"), Backend::Cpu, a.view(), b.view(), field,
                          resources.context()),
                 ComputeError);
    TestVolume bad({8, 8, 8}, waves);
    for (const float value : {NAN, INFINITY}) {
        bad.view()(7, 7, 7) = value;
        EXPECT_THROW(estimate(parameters("default"), Backend::Cpu, a.view(), bad.view(), field,
                              resources.context()),
                     ComputeError);
    }
    // Backend::Cuda throws without a device, whether the build has no CUDA or the context has no
    // device.
    EXPECT_THROW(estimate(parameters("default"), Backend::Cuda, a.view(), a.view(), field,
                          resources.context()),
                 ComputeError);
}

TEST(Clg, CancelLeavesTheStartingField) {
    const Size3 size{48, 48, 48};
    TestVolume fixed(size, waves);
    TestVolume moving(size, [](double x, double y, double z) { return waves(x - 1, y, z); });
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    TestField field(size);
    std::fill(field.values.begin(), field.values.end(), 0.25f);
    // The token is set from within, at the second report, so that the work has begun for certain.
    int reports = 0;
    ctx.progress = [&](const std::string&, double) {
        if (++reports == 2)
            ctx.cancel.cancel();
    };
    EXPECT_THROW(
        estimate(parameters("default"), Backend::Cpu, fixed.view(), moving.view(), field, ctx),
        Cancelled);
    EXPECT_EQ(reports, 2);
    for (const float v : field.values)
        ASSERT_EQ(v, 0.25f);
}

TEST(ClgBalance, WhiteNoiseIsPrefilteredAndSpeckleIsNot) {
    ExecResources resources(2);
    TestVolume white = test::noiseVolume({48, 48, 48}, 1);
    EXPECT_NEAR(neighborCorrelation(white.view(), {1, 1, 1}, resources.context()), 0, 0.05);
    EXPECT_GT(clg::prefilterSigma(0), 1);
    const PhantomPair pair({48, 48, 48});
    const double speckle = neighborCorrelation(pair.fixed.view(), {1, 1, 1}, resources.context());
    EXPECT_GT(speckle, 0.4);
    EXPECT_EQ(clg::prefilterSigma(speckle), 0);
}

TEST(ClgBalance, PrefilterWidensWithoutStepsAsCorrelationFalls) {
    double before = 0;
    for (int thousandths = 200; thousandths >= -50; --thousandths) {
        const double sigma = clg::prefilterSigma(0.001 * thousandths);
        EXPECT_GE(sigma, before) << thousandths;
        EXPECT_LT(sigma, before + 0.1) << thousandths;
        before = sigma;
    }
    EXPECT_EQ(before, clg::strongestPrefilter);
}

TEST(ClgBalance, RoughnessOfAKnownField) {
    TestField field({30, 30, 30});
    for (int z = 0; z < 30; ++z)
        for (int y = 0; y < 30; ++y)
            for (int x = 0; x < 30; ++x)
                field.view().u[field.view().componentView(0).offset(x, y, z)] =
                    0.1f * static_cast<float>(x);
    ExecResources resources(2);
    EXPECT_NEAR(fieldRoughness(field.view(), {1, 1, 1}, resources.context()),
                0.1 * std::sqrt(29.0 / 30), 1e-4);
}

TEST(ClgBalance, SmoothnessFollowsRoughnessOnlyWhereMotionShows) {
    using clg::warpGain;
    EXPECT_EQ(warpGain(4, 4, 0.3), 4) << "the first warp";
    EXPECT_EQ(warpGain(4, 1.5, 0.3), 1.5) << "the field has become rougher";
    EXPECT_EQ(warpGain(1, 6, 0.3), 1) << "never smoother than the level began";
    EXPECT_EQ(warpGain(4, 1.5, 0.6), 4) << "noise makes fields rough, too";
    EXPECT_NEAR(warpGain(4, 2, 0.55), 3, 1e-12);
    EXPECT_EQ(warpGain(1, 1, 0.9), clg::noisyGain) << "neighbors know more than noise";
    EXPECT_EQ(warpGain(2, 2, 0.9), 2 * clg::noisyGain) << "small motion in noise most of all";
    EXPECT_NEAR(warpGain(1, 1, 0.75), 1 + 0.5 * (clg::noisyGain - 1), 1e-12);
}

/// Tissues that slide past each other mustn't be held together by the smoothness of a level that
/// hasn't seen motion yet: with the weight of the level's start only, the error is 1.56 voxels.
TEST(Clg, SlidingTissueComesApart) {
    PhantomOptions options = phantomPair({64, 64, 64});
    options.sliding = true;
    const Phantom phantom(options);
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    Volume fixed(phantom.geometry(), *ctx.pool, "fixed"),
        moving(phantom.geometry(), *ctx.pool, "moving");
    phantom.image(0, fixed.view(), ctx);
    phantom.image(1, moving.view(), ctx);
    TestField field({64, 64, 64});
    estimate(parameters("default"), Backend::Cpu, fixed.view(), moving.view(), field, ctx);
    const VectorField truth = phantom.truth(0, 1, ctx);
    const std::vector<std::uint8_t> labels = phantom.labels(0, ctx);
    const std::vector<std::uint8_t> visible = phantom.visible(0, 1, ctx);
    double sum = 0;
    int voxels = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == 1 && visible[i]) {
            sum += std::hypot(field.view().u[i] - truth.view().u[i],
                              field.view().v[i] - truth.view().v[i],
                              field.view().w[i] - truth.view().w[i]);
            ++voxels;
        }
    EXPECT_LT(sum / voxels, 1.0);
}

} // namespace
} // namespace systole
