// A millimeter counts the same along every axis of the grid: CLG on slices.
#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/clg.h"
#include "io/phantom/phantom.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;
using test::waves;

class ClgMillimeters : public testing::TestWithParam<Backend> {
protected:
    MotionReport estimate(VolumeView<const float> fixed, VolumeView<const float> moving,
                          Vec3 spacing, TestField& field, const char* preset = "default") {
        ExecContext ctx = resources.context();
        ctx.backend = GetParam();
        MotionInput input;
        input.fixed = fixed;
        input.moving = moving;
        input.scale = {0, 255};
        input.spacing = spacing;
        return makeClg(ParamSet(clgParameterTable(), preset), GetParam())
            ->estimate(input, field.view(), ctx);
    }

    ExecResources resources{2};
};

/// Slices of 4 mm: motion of 2 mm along z is half a voxel.
TEST_P(ClgMillimeters, FindsATranslationAcrossSlices) {
    const Size3 size{40, 36, 14};
    constexpr double thickness = 4, d[3] = {1.2, -0.8, 2.0};
    const auto at = [](double x, double y, double z) {
        return waves(0.6 * x, 0.6 * y, 0.6 * thickness * z);
    };
    TestVolume fixed(size, at);
    TestVolume moving(size, [&](double x, double y, double z) {
        return at(x - d[0], y - d[1], z - d[2] / thickness);
    });
    TestField field(size);
    estimate(fixed.view(), moving.view(), {1, 1, thickness}, field);
    EXPECT_NEAR(field.view().componentView(0)(20, 18, 7), d[0], 0.17);
    EXPECT_NEAR(field.view().componentView(1)(20, 18, 7), d[1], 0.17);
    EXPECT_NEAR(field.view().componentView(2)(20, 18, 7) * thickness, d[2], 0.2);
}

/// The frames with their axes in another order give the field with its axes in that order.
TEST_P(ClgMillimeters, NoAxisIsSpecial) {
    const Size3 size{10, 33, 30}, turned{30, 33, 10};
    const auto at = [](double x, double y, double z) { return waves(2.4 * z, y, x); };
    const auto moved = [&](double x, double y, double z) { return at(x + 0.7, y - 0.4, z + 0.2); };
    const auto swapped = [](const auto& f) {
        return [&f](double x, double y, double z) { return f(z, y, x); };
    };
    TestVolume fixed(turned, at), moving(turned, moved);
    TestVolume fixedTurned(size, swapped(at)), movingTurned(size, swapped(moved));
    for (const char* preset : {"default", "paper"}) {
        TestField along(turned), across(size);
        estimate(fixed.view(), moving.view(), {1, 1, 3}, along, preset);
        estimate(fixedTurned.view(), movingTurned.view(), {3, 1, 1}, across, preset);
        double largest = 0, motion = 0;
        for (int z = 0; z < turned.z; ++z)
            for (int y = 0; y < turned.y; ++y)
                for (int x = 0; x < turned.x; ++x)
                    for (int k = 0; k < 3; ++k) {
                        const float a = along.view().componentView(k)(x, y, z);
                        const float b = across.view().componentView(2 - k)(z, y, x);
                        largest = std::max(largest, std::abs(static_cast<double>(a - b)));
                        motion = std::max(motion, std::abs(static_cast<double>(a)));
                    }
        EXPECT_GT(motion, 0.1) << preset;
        EXPECT_LT(largest, 2e-3) << preset;
    }
}

TEST_P(ClgMillimeters, OnlyTheRatioOfSpacingsMatters) {
    const Size3 size{24, 22, 9};
    TestVolume fixed(size, waves);
    TestVolume moving(size,
                      [](double x, double y, double z) { return waves(x + 0.6, y, z - 0.3); });
    TestField millimeters(size), doubled(size);
    estimate(fixed.view(), moving.view(), {1.5, 1.25, 8}, millimeters);
    estimate(fixed.view(), moving.view(), {3, 2.5, 16}, doubled);
    EXPECT_EQ(millimeters.values, doubled.values);
}

INSTANTIATE_TEST_SUITE_P(Backends, ClgMillimeters,
                         testing::Values(Backend::Cpu, Backend::CpuReference),
                         [](const auto& info) {
                             return info.param == Backend::Cpu ? "cpu" : "reference";
                         });

/// Slices as in cine MR: knowing how thick they are halves the error across them.
/// The mean error in the wall, mm, over three phantoms, if voxels were as long as `assumed` says;
/// nothing assumed: as long as they are.
double errorOnThickSlices(std::optional<Vec3> assumed) {
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    double sum = 0;
    int count = 0;
    for (const std::uint64_t seed : {1, 2, 3}) {
        PhantomOptions options = phantomPair({64, 64, 8});
        options.look = PhantomLook::Ct;
        options.planesPerSlice = 8;
        options.motionScale = 0.6;
        options.seed = seed;
        const Phantom phantom(options);
        Volume fixed(phantom.geometry(), *ctx.pool, "fixed"),
            moving(phantom.geometry(), *ctx.pool, "moving");
        phantom.image(0, fixed.view(), ctx);
        phantom.image(1, moving.view(), ctx);
        const VectorField truth = phantom.truth(0, 1, ctx);
        const std::vector<std::uint8_t> labels = phantom.labels(0, ctx);
        const Vec3 spacing = phantom.geometry().spacing();
        TestField field(options.size);
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        input.scale = {0, 255};
        input.spacing = assumed.value_or(spacing);
        makeClg(ParamSet(clgParameterTable(), "default"), Backend::Cpu)
            ->estimate(input, field.view(), ctx);
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (labels[i] == 1) {
                sum += std::hypot(spacing.x * (field.view().u[i] - truth.view().u[i]),
                                  spacing.y * (field.view().v[i] - truth.view().v[i]),
                                  spacing.z * (field.view().w[i] - truth.view().w[i]));
                ++count;
            }
    }
    return sum / count;
}

TEST(ClgThickSlices, KnowingTheThicknessHelps) {
    const double known = errorOnThickSlices({}), unknown = errorOnThickSlices(Vec3{1, 1, 1});
    RecordProperty("known_mm", std::to_string(known));
    RecordProperty("unknown_mm", std::to_string(unknown));
    EXPECT_LT(known, 0.95 * unknown);
}

TEST(ClgBalance, RoughnessIsALengthPerLength) {
    TestField field({20, 20, 20});
    for (int z = 0; z < 20; ++z)
        for (int y = 0; y < 20; ++y)
            for (int x = 0; x < 20; ++x)
                field.view().w[field.view().componentView(2).offset(x, y, z)] =
                    0.1f * static_cast<float>(x);
    ExecResources resources(2);
    // A tenth of a slice of four pixels per pixel.
    EXPECT_NEAR(fieldRoughness(field.view(), {1, 1, 0.25f}, resources.context()),
                0.4 * std::sqrt(19.0 / 20), 1e-4);
}

} // namespace
} // namespace systole
