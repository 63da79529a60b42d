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

/// The backend for which an estimator was made, and the one on which it was called.
struct Place {
    Backend made, called;
    bool operator==(const Place&) const = default;
};

class Noting : public Guess {
public:
    Noting(Backend made, std::vector<Place>& places) : made_(made), places_(places) {}
    std::size_t memoryEstimate(Size3, Vec3) const override {
        return made_ == Backend::Cuda ? std::size_t{1} << 30 : std::size_t{1} << 40;
    }
    bool allowsTwoGrids() const override { return true; }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        places_.push_back({made_, ctx.backend});
        return Guess::run(input, displacement, ctx);
    }

private:
    Backend made_;
    std::vector<Place>& places_;
};

MotionMethod noting(const std::string& name, bool magnifiesStart, std::vector<Place>& places) {
    MotionMethod method = guesses();
    method.name = name;
    method.magnifiesStart = magnifiesStart;
    method.make = [&places](const ParamSet&, Backend backend) {
        return std::make_unique<Noting>(backend, places);
    };
    return method;
}

TEST(RefinedMethod, WhatMagnifiesItsStartStartsFromTheMotionOfTheProcessor) {
    std::vector<Place> places;
    const MotionMethod method =
        withRefinement(noting("first", false, places),
                       {noting("steady", false, places), noting("magnifying", true, places)});
    test::TestVolume frame(size, test::waves);
    ExecResources resources(2);
    MotionInput input;
    input.fixed = input.moving = frame.view();
    const auto placesOf = [&](const std::string& refiner, Backend backend) {
        places.clear();
        test::TestField field(size);
        ExecContext ctx = resources.context();
        ctx.backend = backend; // nobody here uses the device
        const auto estimator = method.make(ParamSet(*method.parameters, refiner), backend);
        if (backend == Backend::Cuda) {
            EXPECT_LT(estimator->memoryEstimate(size, {1, 1, 1}), std::size_t{1} << 31)
                << "the processor's memory is none of the device's";
        }
        const MotionReport report = estimator->estimate(input, field.view(), ctx);
        EXPECT_EQ(findFigure(report.levels.front().figures, startsOnCpu) != nullptr,
                  refiner == "magnifying" && backend == Backend::Cuda)
            << "what doesn't run where it was asked to is reported, and nothing else";
        return places;
    };
    constexpr Place cpu{Backend::Cpu, Backend::Cpu}, cuda{Backend::Cuda, Backend::Cuda};
    EXPECT_THAT(placesOf("magnifying", Backend::Cuda), testing::ElementsAre(cpu, cuda));
    EXPECT_THAT(placesOf("steady", Backend::Cuda), testing::ElementsAre(cuda, cuda));
    EXPECT_THAT(placesOf("magnifying", Backend::Cpu), testing::ElementsAre(cpu, cpu));
    const std::string& help = method.parameters->row("refine").help;
    EXPECT_THAT(help, testing::HasSubstr("With magnifying this motion is found on the CPU"));
    EXPECT_THAT(help, testing::Not(testing::HasSubstr("steady")));
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
