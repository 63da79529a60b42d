// Registration of two images in its parts: overlap, what is kept, and control points that are the
// whole transform. Known maps between images are found in tests/app/features/registration.
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/motion/registration.h"
#include "compute/ops/exponential.h"
#include "compute/ops/resample.h"
#include "compute/ops/sample_at.h"
#include "compute/ops/two_grids.h"
#include "tests/support/compute_support.h"
#include "tests/support/normal_noise.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace systole {
namespace {

class RegistrationParts : public testing::Test {
protected:
    /// Blobs around a point, which is where the image's map takes the origin.
    Volume blobs(const Geometry& grid, Vec3 center) {
        Volume image(grid, resources_.pool(), "blobs");
        for (int z = 0; z < grid.size().z; ++z)
            for (int y = 0; y < grid.size().y; ++y)
                for (int x = 0; x < grid.size().x; ++x) {
                    const Vec3 p =
                        grid.indexToPhysical({static_cast<double>(x), static_cast<double>(y),
                                              static_cast<double>(z)}) -
                        center;
                    const Vec3 q = p - Vec3{6, -4, 3}, r = p - Vec3{-5, 7, -4};
                    image.view()(x, y, z) = static_cast<float>(
                        20 + 100 * std::exp(-dot(p, p) / 200) + 80 * std::exp(-dot(q, q) / 30) +
                        70 * std::exp(-dot(r, r) / 25));
                }
        return image;
    }
    static RegistrationPlan planOf(const char* method, bool affine) {
        RegistrationPlan plan;
        plan.method = &motionMethod(method);
        plan.parameters = ParamSet(*plan.method->parameters, "default");
        if (affine)
            plan.affine = AffineParameters::from(ParamSet(affineParameterTable(), "default"));
        return plan;
    }
    ExecContext ctx() { return resources_.context(); }

    ExecResources resources_{2};
    const Geometry fixedGrid_{{24, 22, 20}, {2, 2, 2}, {-23, -21, -19}};
    const Geometry movingGrid_{
        {30, 26, 18}, {1.7, 1.9, 2.4}, {23, -22, -18}, {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
};

TEST_F(RegistrationParts, AMaskOfAnotherSizeIsRefusedAlsoWhereTheImageHasUnknownVoxels) {
    Volume image = blobs(fixedGrid_, {});
    auto known = std::make_shared<Volume>(fixedGrid_, resources_.pool(), "known");
    std::ranges::fill(known->voxels.span(), 1.0f);
    image.known = known;
    Volume mask(Geometry({4, 4, 4}, {2, 2, 2}), resources_.pool(), "mask");
    std::ranges::fill(mask.voxels.span(), 1.0f);
    RegistrationImages images{&image, &image};
    images.fixedMask = &mask;
    EXPECT_THROW(registerImages(images, {}, planOf("demons", false), ctx()), ComputeError);
}

TEST_F(RegistrationParts, OverlapIsTheShareOfTheFixedGrid) {
    const auto overlap = [](double shift) {
        const Geometry grid({20, 10, 10}, {2, 2, 2});
        return gridOverlap({grid, grid}, {AffineMap{identity3, {shift, 0, 0}}, nullptr});
    };
    EXPECT_EQ(overlap(0), 1);
    EXPECT_NEAR(overlap(20), 0.5, 1e-9);
    EXPECT_EQ(overlap(-20), overlap(20));
    EXPECT_EQ(overlap(40), 0);
}

/// The middle of an image, with noise of its own: nothing has moved. Beyond its border it would go
/// on as it ends, unlike what is there.
TEST_F(RegistrationParts, WhatTheMovingImageDoesntReachMovesNothing) {
    constexpr int whole = 40, part = 24, margin = (whole - part) / 2;
    const Geometry all({whole, whole, whole}, {2, 2, 2}),
        middle({part, part, part}, {2, 2, 2}, {2.0 * margin, 2.0 * margin, 2.0 * margin});
    Volume fixed(all, resources_.pool(), "whole"), moving(middle, resources_.pool(), "middle");
    const auto fill = [](Volume& image, int from, std::uint64_t seed) {
        const std::vector<float> noise = test::normalNoise(image.geometry.voxels(), seed, 15);
        const VolumeView<float> to = image.view();
        for (int z = 0; z < to.size.z; ++z)
            for (int y = 0; y < to.size.y; ++y)
                for (int x = 0; x < to.size.x; ++x) {
                    const std::size_t i = to.offset(x, y, z);
                    to.data[i] =
                        noise[i] + static_cast<float>(test::waves(x + from, y + from, z + from));
                }
    };
    fill(fixed, 0, 21);
    fill(moving, margin, 22);
    for (const char* method : {"demons", "clg"}) {
        SCOPED_TRACE(method);
        const RegistrationResult result =
            registerImages({&fixed, &moving}, {}, planOf(method, false), ctx());
        const FieldView<const float> found = result.displacement.view();
        double sum = 0;
        for (int z = margin; z < margin + part; ++z)
            for (int y = margin; y < margin + part; ++y)
                for (int x = margin; x < margin + part; ++x) {
                    const Vec3 u = vectorOf(found, fixed.view().offset(x, y, z));
                    sum += std::sqrt(dot(u, u));
                }
        EXPECT_LT(sum / std::pow(part, 3), 0.3);
    }
}

TEST_F(RegistrationParts, IterationsOfTheMethodAreKeptOnRequestAndChangeNothing) {
    const Volume fixed = blobs(fixedGrid_, {0, 0, 0}), moving = blobs(movingGrid_, {3, -2, 1});
    RegistrationPlan plan = planOf("ffd", true);
    const RegistrationResult plain = registerImages({&fixed, &moving}, {}, plan, ctx());
    plan.keepIterations = true;
    const RegistrationResult kept = registerImages({&fixed, &moving}, {}, plan, ctx());
    for (const RegistrationIteration& iteration : plain.iterations)
        EXPECT_EQ(iteration.part, "affine");
    EXPECT_GT(kept.iterations.size(), plain.iterations.size());
    EXPECT_EQ(kept.iterations.back().part, "ffd");
    for (std::size_t i = 0; i < plain.displacement.components.size(); ++i)
        ASSERT_EQ(plain.displacement.components.data()[i], kept.displacement.components.data()[i]);
}

TEST_F(RegistrationParts, AnObserverSeesBothPartsAndChangesNothing) {
    const Volume fixed = blobs(fixedGrid_, {0, 0, 0}), moving = blobs(movingGrid_, {3, -2, 1});
    for (const char* method : {"ffd", "demons"}) {
        RegistrationPlan plan = planOf(method, true);
        plan.keepIterations = true;
        const RegistrationResult alone = registerImages({&fixed, &moving}, {}, plan, ctx());
        std::vector<RegistrationIteration> seen;
        AffineMap last;
        plan.observe = [&](const RegistrationState& state) {
            seen.push_back(state.iteration);
            ASSERT_TRUE(state.affine);
            EXPECT_EQ(state.method == nullptr, state.iteration.part == "affine");
            EXPECT_EQ(state.affineFollows, state.iteration.part == "demons");
            last = *state.affine;
        };
        const RegistrationResult result = registerImages({&fixed, &moving}, {}, plan, ctx());
        for (std::size_t i = 0; i < result.displacement.components.size(); ++i)
            ASSERT_EQ(result.displacement.components.data()[i],
                      alone.displacement.components.data()[i]);
        EXPECT_EQ(last.matrix, result.affine->matrix);
        EXPECT_EQ(seen.front().part, "affine");
        EXPECT_EQ(seen.back().part, method);
        EXPECT_EQ(seen.back().energy, result.methodReport->energy);
        // All of the method's, and those of the affine part that don't only compare starts.
        const auto ofMethod = [&](const std::vector<RegistrationIteration>& list) {
            return std::ranges::count(list, std::string(method), &RegistrationIteration::part);
        };
        EXPECT_EQ(ofMethod(seen), ofMethod(result.iterations));
        const Figure* const penalty =
            findFigure(result.methodReport->levels.back().figures, "penalty");
        EXPECT_EQ(seen.back().penalty.has_value(), penalty != nullptr);
        if (penalty) {
            EXPECT_EQ(*seen.back().penalty, penalty->value);
        }
        EXPECT_FALSE(seen.front().penalty);
    }
}

TEST_F(RegistrationParts, ControlPointsAreTheWholeTransform) {
    const Volume fixed = blobs(fixedGrid_, {0, 0, 0}), moving = blobs(movingGrid_, {3, -2, 1});
    const RegistrationResult result =
        registerImages({&fixed, &moving}, {}, planOf("ffd", true), ctx());
    ASSERT_TRUE(result.controlGrid);
    ASSERT_TRUE(result.affine);
    EXPECT_EQ(result.controlGrid->image, fixedGrid_.size());
    const VectorField expanded =
        splineOnGrid(toMillimeters(result.controlPoints, resources_.pool()), fixedGrid_, ctx());
    for (std::size_t i = 0; i < expanded.components.size(); ++i)
        ASSERT_NEAR(static_cast<double>(expanded.components.data()[i]),
                    static_cast<double>(result.displacement.components.data()[i]), 5e-4);
}

/// Samples of a composition may fold where neither field does.
TEST_F(RegistrationParts, WhatComesAfterAStartDoesntFold) {
    const Geometry grid({12, 11, 10}, {1, 1, 1});
    const auto steep = [&](std::uint64_t seed) {
        VectorField field(grid, resources_.pool(), "steep");
        const auto noise = test::noiseVolume({12, 11, 30}, seed).voxels;
        std::ranges::copy(noise, field.components.data());
        const float factor = 1.23f / steepness(field.view(), ctx());
        for (float& value : field.components.span())
            value *= factor;
        return field;
    };
    class Given : public MotionEstimator {
    public:
        explicit Given(const VectorField& motion) : motion_(motion) {}
        MotionReport run(const MotionInput&, FieldView<float> displacement,
                         const ExecContext&) override {
            copy(motion_.view(), displacement);
            return {};
        }
        std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
        int reach() const override { return 1; }

    private:
        const VectorField& motion_;
    };
    const VectorField start = steep(1), motion = steep(11);
    ASSERT_FALSE(hasFolds(start.view(), ctx()) || hasFolds(motion.view(), ctx()));
    VectorField composed(grid, resources_.pool(), "composed");
    composeFields(start.view(), motion.view(), composed.view(), ctx());
    ASSERT_TRUE(hasFolds(composed.view(), ctx()));
    MotionMethod method;
    method.make = [&](const ParamSet&, Backend) { return std::make_unique<Given>(motion); };
    RegistrationPlan plan = planOf("demons", false);
    plan.method = &method;
    const Volume image = blobs(grid, {5, 5, 5});
    const RegistrationResult result =
        registerImages({&image, &image}, {std::nullopt, &start}, plan, ctx());
    EXPECT_FALSE(hasFolds(result.displacement.view(), ctx()));
}

TEST_F(RegistrationParts, WhatCannotBeRegisteredIsRefused) {
    const Volume fixed = blobs(fixedGrid_, {0, 0, 0});
    const Geometry farGrid({24, 22, 20}, {2, 2, 2}, {477, -21, -19});
    const Volume far = blobs(farGrid, {500, 0, 0});
    EXPECT_THROW(registerImages({&fixed, &far}, {}, planOf("demons", false), ctx()), ComputeError);
    Volume flat(fixedGrid_, resources_.pool(), "flat");
    std::fill_n(flat.voxels.data(), flat.voxels.size(), 3.0f);
    EXPECT_THROW(registerImages({&fixed, &flat}, {}, planOf("demons", false), ctx()), ComputeError);
    Volume one(fixedGrid_, resources_.pool(), "mask"), other(fixedGrid_, resources_.pool(), "mask");
    std::fill_n(one.voxels.data(), one.voxels.size(), 0.0f);
    std::fill_n(other.voxels.data(), other.voxels.size(), 0.0f);
    one.voxels.data()[0] = other.voxels.data()[1] = 1;
    EXPECT_THROW(registerImages({&fixed, &fixed, &one, &other}, {}, planOf("demons", false), ctx()),
                 ComputeError);
}

TEST_F(RegistrationParts, LandmarksThatAreTooFarAskForAnAffineRegistrationFirst) {
    const Volume fixed = blobs(fixedGrid_, {-16, 0, 0}), moving = blobs(movingGrid_, {18, 4, 2});
    try {
        registerImages({&fixed, &moving}, {}, planOf("landmarks", false), ctx());
        FAIL() << "no corner can be found again";
    } catch (const ComputeError& error) {
        EXPECT_NE(std::string(error.what()).find("affine registration first"), std::string::npos)
            << error.what();
    }
}

} // namespace
} // namespace systole
