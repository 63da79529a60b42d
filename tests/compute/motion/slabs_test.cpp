// Estimation in slabs: cut and blended so that nothing is lost, close to the whole volume's result,
// and refused with numbers where it can't help.
#include "compute/core/error.h"
#include "compute/methods/clg/clg.h"
#include "compute/motion/slabs.h"
#include "compute/ops/exponential.h"
#include "io/phantom/phantom.h"
#include "tests/support/compute_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t tracerBytes = 100; ///< a voxel

/// Finds in each voxel what the two frames and the starting value hold there.
class Tracer : public MotionEstimator {
public:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext&) override {
        sizes.push_back(displacement.size);
        if (static_cast<int>(sizes.size()) == cancelAt)
            throw Cancelled();
        for (std::size_t i = 0; i < displacement.size.voxels(); ++i) {
            displacement.u[i] = input.fixed.data[i];
            displacement.v[i] = input.moving.data[i];
            displacement.w[i] +=
                1 + (input.incompressibility.empty() ? 0.0f : input.incompressibility.data[i]);
        }
        MotionReport report;
        report.energy = 2;
        report.iterations = static_cast<int>(sizes.size());
        report.levels.resize(3);
        return report;
    }
    std::size_t memoryEstimate(Size3 size, Vec3) const override {
        return tracerBytes * size.voxels();
    }
    int reach() const override { return 48; }

    std::vector<Size3> sizes;
    int cancelAt = 0;
};

TEST(Slabs, CoverEveryPlaneOnceInWeightAndStayWithinTheBudget) {
    ExecResources resources(2);
    for (const int depth : {97, 127, 200, 301})
        for (const int affordable : {96, 101, 150}) {
            const Size3 size{5, 3, depth};
            TestVolume fixed(size, [](double x, double y, double z) { return x + 10 * y + z; });
            TestVolume moving = test::noiseVolume(size, 2), weight = test::noiseVolume(size, 3);
            TestField field(size);
            std::fill_n(field.view().w, size.voxels(), 4.0f);
            const std::size_t budget = tracerBytes * Size3{5, 3, affordable}.voxels();
            auto inner = std::make_unique<Tracer>();
            const Tracer& tracer = *inner;
            SlabEstimator slabs(std::move(inner), budget);
            MotionInput input;
            input.fixed = fixed.view();
            input.moving = moving.view();
            input.incompressibility = weight.view();
            const MotionReport report = slabs.estimate(input, field.view(), resources.context());
            EXPECT_EQ(report.slabs, static_cast<int>(tracer.sizes.size()));
            EXPECT_EQ(report.slabs > 1, affordable < depth) << depth << " " << affordable;
            for (const Size3& slab : tracer.sizes)
                EXPECT_LE(tracerBytes * slab.voxels(), budget);
            for (std::size_t i = 0; i < size.voxels(); ++i) {
                ASSERT_NEAR(field.view().u[i], fixed.voxels[i], 1e-4) << depth << " " << affordable;
                ASSERT_NEAR(field.view().v[i], moving.voxels[i], 1e-5);
                ASSERT_NEAR(field.view().w[i], 5 + weight.voxels[i], 1e-5);
            }
        }
}

TEST(Slabs, SumUpWhatTheSlabsReport) {
    ExecResources resources(1);
    const Size3 size{4, 4, 192};
    TestVolume frame = test::noiseVolume(size, 1);
    TestField field(size);
    SlabEstimator slabs(std::make_unique<Tracer>(), tracerBytes * Size3{4, 4, 96}.voxels());
    MotionInput input;
    input.fixed = input.moving = frame.view();
    const MotionReport report = slabs.estimate(input, field.view(), resources.context());
    EXPECT_EQ(report.slabs, 3);
    EXPECT_EQ(report.energy, 6);
    EXPECT_EQ(report.iterations, 3);
    EXPECT_EQ(report.levels.size(), 3u);
}

TEST(Slabs, CancelLeavesTheStartingField) {
    ExecResources resources(1);
    const Size3 size{4, 4, 192};
    TestVolume frame = test::noiseVolume(size, 1);
    TestField field(size);
    std::fill(field.values.begin(), field.values.end(), 0.25f);
    auto inner = std::make_unique<Tracer>();
    inner->cancelAt = 2;
    SlabEstimator slabs(std::move(inner), tracerBytes * Size3{4, 4, 96}.voxels());
    MotionInput input;
    input.fixed = input.moving = frame.view();
    EXPECT_THROW(slabs.estimate(input, field.view(), resources.context()), Cancelled);
    for (const float value : field.values)
        ASSERT_EQ(value, 0.25f);
}

TEST(Slabs, RefuseWithTheNumbers) {
    const auto bytesFor = [](Size3 size) { return 1000 * size.voxels(); };
    try {
        planSlabs({128, 128, 256}, std::size_t{500} << 20, 48, bytesFor);
        FAIL() << "a slab of 1.46 GiB can't be allocated from 500";
    } catch (const OutOfMemory& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr("128 x 128 x 256"), HasSubstr("3.91 GiB"),
                          HasSubstr("96 planes"), HasSubstr("1.46 GiB"), HasSubstr("500.0 MiB")));
    }
    EXPECT_EQ(planSlabs({128, 128, 256}, std::size_t{4} << 30, 48, bytesFor).count, 1);
    EXPECT_GT(planSlabs({128, 128, 256}, std::size_t{2} << 30, 48, bytesFor).count, 1);
}

/// Moves the middle of each slab along z, farther towards its predecessor than they overlap;
/// `folded`: by a field that folds at a voxel.
class Colliding : public Tracer {
public:
    MotionReport run(const MotionInput&, FieldView<float> displacement,
                     const ExecContext&) override {
        const Size3 size = displacement.size;
        std::fill_n(displacement.u, 3 * size.voxels(), 0.0f);
        for (int z = 0; z < size.z; ++z)
            for (int y = 3; y < 8; ++y)
                for (int x = 3; x < 8; ++x)
                    displacement.componentView(2)(x, y, z) = -26.0f * static_cast<float>(slab);
        ++slab;
        if (folded)
            displacement.u[size.voxels() / 2] = 3;
        return {};
    }
    int slab = 0;
    bool folded = false;
};

TEST(Slabs, WhatIsBlendedOfFieldsThatDontFoldDoesntFold) {
    ExecResources resources(2);
    const Size3 size{11, 11, 160};
    TestVolume frame = test::noiseVolume(size, 1);
    MotionInput input;
    input.fixed = input.moving = frame.view();
    for (const bool folded : {false, true}) {
        auto inner = std::make_unique<Colliding>();
        inner->folded = folded;
        SlabEstimator slabs(std::move(inner), tracerBytes * Size3{11, 11, 104}.voxels());
        TestField field(size);
        EXPECT_EQ(slabs.estimate(input, field.view(), resources.context()).slabs, 2);
        // A method whose slabs fold promises nothing: its field stays as it is blended.
        EXPECT_EQ(hasFolds(field.view(), resources.context()), folded);
        EXPECT_EQ(field.view().componentView(2)(5, 5, 0), 0);
        EXPECT_EQ(field.view().componentView(2)(5, 5, 159), -26) << "mended where it folds alone";
    }
}

/// Motion across the seams, of several voxels.
TEST(Slabs, ClgInSlabsIsCloseToClgOfTheWhole) {
    const Size3 size{48, 48, 144};
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    PhantomOptions options = phantomPair(size);
    options.motionScale = 0.5;
    const Phantom phantom(options);
    Volume fixed(phantom.geometry(), *ctx.pool, "fixed"),
        moving(phantom.geometry(), *ctx.pool, "moving");
    phantom.image(0, fixed.view(), ctx);
    phantom.image(1, moving.view(), ctx);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    const ParamSet parameters(clgParameterTable(), "default");
    TestField whole(size), inSlabs(size);
    makeClg(parameters, Backend::Cpu)->estimate(input, whole.view(), ctx);

    const auto clg = [&] { return makeClg(parameters, Backend::Cpu); };
    const Size3 affordable{size.x, size.y, 104};
    SlabEstimator slabs(clg(), clg()->memoryEstimate(affordable, input.spacing));
    const SlabPlan plan = slabs.plan(size, input.spacing);
    ASSERT_EQ(plan.count, 2);
    const MotionReport report = slabs.estimate(input, inSlabs.view(), ctx);
    EXPECT_EQ(report.slabs, plan.count);

    const VectorField truth = phantom.truth(0, 1, ctx);
    const std::vector<std::uint8_t> labels = phantom.labels(0, ctx);
    const auto wallError = [&](FieldView<const float> field) {
        const FieldView<const float> t = truth.view();
        double total = 0;
        int count = 0;
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (labels[i] == 1) {
                total += std::hypot(field.u[i] - t.u[i], field.v[i] - t.v[i], field.w[i] - t.w[i]);
                ++count;
            }
        return total / count;
    };
    double motion = 0, sum = 0;
    double largest = 0, largestInSeams = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                double difference = 0, length = 0;
                for (int k = 0; k < 3; ++k) {
                    const float a = whole.view().componentView(k)(x, y, z);
                    const float b = inSlabs.view().componentView(k)(x, y, z);
                    difference += std::pow(static_cast<double>(a - b), 2);
                    length += static_cast<double>(a * a);
                }
                motion += std::sqrt(length);
                difference = std::sqrt(difference);
                sum += difference;
                const bool inSeam = z >= plan.begin(1) && z < plan.end(0, size.z);
                double& most = inSeam ? largestInSeams : largest;
                most = std::max(most, difference);
            }
    const auto voxels = static_cast<double>(size.voxels());
    EXPECT_GT(motion / voxels, 1);
    // The trend's width is a share of the longest edge, here along z: in slabs it is smaller.
    EXPECT_LT(sum / voxels, 6e-3);
    EXPECT_LT(largest, 0.05);
    EXPECT_LT(largestInSeams, 0.05);
    EXPECT_NEAR(wallError(inSlabs.view()), wallError(whole.view()), 2e-3);
}

} // namespace
} // namespace systole
