// CLG on the device as a whole: against the CPU form and known motion, from host and device memory.
#include "tests/compute/methods/clg_gpu_support.h"

#include <gmock/gmock.h>

#include <array>

namespace systole {
namespace {

struct Case {
    const char* name;
    const char* preset;
    Size3 size;
    Changes changes = {};
    double amount = 1;
    Vec3 spacing{1, 1, 1};
    bool weighted = false;
    bool started = false;
    bool brightens = false; ///< the moving frame has another gain, which varies
    bool sector = false;    ///< both frames are 0 outside a still pyramid
};

class ClgForms : public ClgOnDevice, public testing::WithParamInterface<Case> {};

TEST_P(ClgForms, AgreeWithTheCpu) {
    const Case& c = GetParam();
    Pair pair(c.size, c.amount);
    const ParamSet set = parameters(c.preset, c.changes);
    MotionInput input = inputOf(pair, c.spacing);
    TestVolume weight(c.size, [](double x, double y, double) { return x > y ? 1.0 : 0.25; });
    if (c.weighted)
        input.incompressibility = weight.view();
    if (c.brightens)
        for (int z = 0; z < c.size.z; ++z)
            for (int y = 0; y < c.size.y; ++y)
                for (int x = 0; x < c.size.x; ++x)
                    pair.moving.view()(x, y, z) *= 1.2f + 0.01f * static_cast<float>(x - y);
    if (c.sector)
        for (const VolumeView<float> frame : {pair.fixed.view(), pair.moving.view()})
            test::cutToSector(frame);
    TestField start(c.size);
    if (c.started)
        for (std::size_t i = 0; i < start.values.size(); ++i)
            start.values[i] = 0.8f * pair.truth.values[i];
    TestField cpu = start;
    const MotionReport expected = onCpu(set, input, cpu);
    const auto estimator = makeClg(set, Backend::Cuda);
    for (const MemorySpace space : {MemorySpace::Host, MemorySpace::Device}) {
        TestField field = start;
        const MotionReport report = estimate(*estimator, input, field, space);
        EXPECT_LT(meanDifference(field.values, cpu.values), 1e-3) << name(space);
        EXPECT_LT(test::largestDifference(field.values, cpu.values), 0.05) << name(space);
        EXPECT_NEAR(meanDistance(field, pair.truth), meanDistance(cpu, pair.truth), 0.01);
        ASSERT_EQ(report.levels.size(), expected.levels.size());
        for (std::size_t i = 0; i < report.levels.size(); ++i) {
            const MotionReport::Level &got = report.levels[i], &want = expected.levels[i];
            EXPECT_EQ(got.size, want.size);
            EXPECT_NEAR(got.iterations, want.iterations, 0.2 * want.iterations + 5);
            const auto figure = [](const MotionReport::Level& level, const char* name) {
                const Figure* found = findFigure(level.figures, name);
                return found ? found->value : -1;
            };
            EXPECT_EQ(figure(got, "warps"), figure(want, "warps"));
            EXPECT_GT(figure(got, "warps"), 0);
            EXPECT_NEAR(figure(got, "noise"), figure(want, "noise"),
                        0.01 * figure(want, "noise") + 1e-6);
            EXPECT_NEAR(got.energy, want.energy, 0.01 * std::abs(want.energy));
            EXPECT_NEAR(figure(got, "brightness matched"), figure(want, "brightness matched"), 0.1);
            if (c.brightens) {
                EXPECT_GT(figure(got, "brightness matched"), 0);
            }
        }
        EXPECT_EQ(report.iterations, report.levels.back().iterations);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Presets, ClgForms,
    testing::Values(
        Case{"Default", "default", {40, 36, 32}, {}}, Case{"OddSize", "default", {37, 21, 30}, {}},
        Case{"EvenBelowOdd", "default", {43, 39, 35}, {}},
        Case{"Beta", "default", {28, 24, 26}, {{"beta", "0.3"}, {"warps", "2"}}},
        Case{.name = "WeightedBeta",
             .preset = "default",
             .size = {28, 24, 26},
             .changes = {{"beta", "0.3"}, {"warps", "2"}},
             .weighted = true},
        Case{"Smooth", "default", {40, 36, 32}, {{"alpha", "2"}}},
        Case{"SmoothWithoutTrend", "default", {37, 21, 30}, {{"alpha", "2"}, {"trend-share", "0"}}},
        Case{"SmoothOnWholeGrid", "default", {32, 30, 28}, {{"alpha", "2"}, {"half-grid", "off"}}},
        Case{.name = "SmoothSlices",
             .preset = "default",
             .size = {40, 40, 12},
             .changes = {{"alpha", "2"}},
             .spacing = {1.25, 1.25, 3}},
        Case{.name = "SmoothThickSlices",
             .preset = "default",
             .size = {40, 40, 12},
             .changes = {{"alpha", "1"}},
             .spacing = {1.25, 1.25, 8}},
        Case{"Prefilter", "default", {32, 30, 28}, {{"prefilter", "0.8"}}},
        Case{"FixedBalance", "default", {32, 30, 28}, {{"adaptive", "off"}, {"prefilter", "1"}}},
        Case{.name = "ThickSlices",
             .preset = "default",
             .size = {40, 40, 12},
             .spacing = {1.25, 1.25, 3}},
        Case{.name = "Brightens", .preset = "default", .size = {40, 36, 33}, .brightens = true},
        Case{.name = "Sector", .preset = "default", .size = {45, 40, 36}, .sector = true},
        Case{.name = "SectorStarted",
             .preset = "default",
             .size = {40, 41, 38},
             .started = true,
             .sector = true},
        Case{.name = "SlicesBrighten",
             .preset = "default",
             .size = {40, 40, 12},
             .spacing = {1.25, 1.25, 3},
             .brightens = true},
        Case{.name = "Joint",
             .preset = "default",
             .size = {40, 36, 33},
             .changes = {{"brightness", "joint"}},
             .brightens = true},
        Case{.name = "JointSlices",
             .preset = "default",
             .size = {40, 40, 12},
             .changes = {{"brightness", "joint"}},
             .spacing = {1.25, 1.25, 3},
             .brightens = true},
        Case{.name = "Histogram",
             .preset = "default",
             .size = {40, 36, 33},
             .changes = {{"brightness", "histogram"}},
             .brightens = true},
        Case{.name = "Started",
             .preset = "default",
             .size = {32, 32, 32},
             .changes = {{"levels", "1"}, {"warps", "2"}},
             .started = true},
        Case{.name = "Paper", .preset = "paper", .size = {32, 30, 28}, .amount = 0.3},
        Case{.name = "PaperBeta",
             .preset = "paper",
             .size = {24, 20, 22},
             .changes = {{"beta", "50"}, {"sweeps", "20"}},
             .amount = 0.3}),
    [](const auto& info) { return info.param.name; });

/// One stage in one variant, the others as they are.
class ClgVariantsAlike : public ClgOnDevice,
                         public testing::WithParamInterface<std::pair<std::string, std::string>> {};

TEST_P(ClgVariantsAlike, GiveTheSameField) {
    const auto& [stage, variant] = GetParam();
    Pair pair({34, 29, 27});
    // A texture unit interpolates linearly.
    const Changes solver = stage == "sweep" ? Changes{{"solver", "jacobi"}, {"warps", "2"}}
                           : variant == "texture-filter" ? Changes{{"sampling", "linear"}}
                                                         : Changes{};
    Changes changed = solver;
    changed.emplace_back("variant-" + stage, variant);
    TestField usual(pair.size), other(pair.size);
    estimate(*makeClg(parameters("default", solver), Backend::Cuda), inputOf(pair), usual);
    estimate(*makeClg(parameters("default", changed), Backend::Cuda), inputOf(pair), other);
    const double largest = test::largestDifference(usual.values, other.values);
    if (variant != "texture-filter") {
        EXPECT_LT(largest, 5e-3);
        EXPECT_LT(meanDifference(usual.values, other.values), 1e-4);
    } else {
        RecordProperty("largest_difference_voxel", std::to_string(largest));
        std::cout << "texture-filter differs by " << largest << " voxel at most, "
                  << meanDifference(usual.values, other.values) << " in the mean\n";
        EXPECT_GT(largest, 0);
        EXPECT_LT(largest, 0.1);
        EXPECT_LT(meanDifference(usual.values, other.values), 5e-3);
    }
}

std::vector<std::pair<std::string, std::string>> allVariants() {
    std::vector<std::pair<std::string, std::string>> all;
    for (const KernelFamily* family : clgFamilies)
        for (const std::string& variant : family->names())
            if (variant != family->standard)
                all.emplace_back(family->stage, variant);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Stages, ClgVariantsAlike, testing::ValuesIn(allVariants()),
                         [](const auto& info) {
                             std::string name = info.param.first + "_" + info.param.second;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
} // namespace systole
