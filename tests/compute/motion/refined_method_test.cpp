// A method that another one goes on from.
#include "compute/motion/methods.h"
#include "compute/motion/refined_method.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

constexpr Size3 size{36, 32, 30};
constexpr Vec3 shift{9.3, -6.2, 4.4};

/// Knows the shift to a voxel.
class Guess : public MotionEstimator {
public:
    std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
    int reach() const override { return 1; }

protected:
    MotionReport run(const MotionInput&, FieldView<float> displacement,
                     const ExecContext&) override {
        for (int axis = 0; axis < 3; ++axis)
            std::fill_n(displacement.component(axis), size.voxels(),
                        static_cast<float>(std::round(shift[axis])));
        MotionReport report;
        report.levels.push_back({size, 1, 0, {{"guesses", 1, ""}}});
        report.finish();
        return report;
    }
};

MotionMethod guesses() {
    static const ParamTable table = [] {
        ParamTable rows({integerParam("number", 1, 0, 9, "", "Number of guesses.")});
        rows.addPreset("default", {});
        return rows;
    }();
    return {.name = "guess",
            .title = "Guess",
            .parameters = &table,
            .backends = {Backend::Cpu},
            .stages = {"guess"},
            .make = [](const ParamSet&, Backend) { return std::make_unique<Guess>(); }};
}

TEST(RefinedMethod, FindsTheDetailOfLargeMotion) {
    test::TestVolume fixed(size, test::waves);
    test::TestVolume moving(size, [](double x, double y, double z) {
        return test::waves(x - shift.x, y - shift.y, z - shift.z);
    });
    ExecResources resources(2);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    const MotionMethod method =
        withRefinement(guesses(), {motionMethod("clg"), motionMethod("ffd")});
    for (const std::string refiner : {"clg", "ffd"}) {
        test::TestField field(size);
        const auto estimator = method.make(ParamSet(*method.parameters, refiner), Backend::Cpu);
        const MotionReport report = estimator->estimate(input, field.view(), resources.context());
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(field.view().componentView(axis)(15, 18, 13), shift[axis], 0.1) << refiner;
        EXPECT_TRUE(findFigure(report.levels.front().figures, "guesses"));
    }
}

TEST(RefinedMethod, HasThePresetsAndParametersOfTheFirstAndIsItUnlessAskedFor) {
    const MotionMethod method = withRefinement(guesses(), {motionMethod("clg")});
    EXPECT_THAT(method.parameters->presets(), testing::ElementsAre("default", "clg"));
    ParamSet parameters(*method.parameters, "default");
    EXPECT_EQ(parameters.choice("refine"), "none");
    EXPECT_EQ(parameters.integer("number"), 1);
    EXPECT_THAT(method.stages, testing::Contains("guess"));
    EXPECT_THAT(method.stages, testing::Contains("solve"));
    const auto alone = method.make(parameters, Backend::Cpu);
    EXPECT_TRUE(dynamic_cast<Guess*>(alone.get()));
}

} // namespace
} // namespace systole
