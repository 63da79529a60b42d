// Fits of landmarks of which some are wrong, against the motion that they were made from.
#include "compute/core/error.h"
#include "compute/landmarks/robust_fit.h"
#include "tests/compute/landmarks/thin_plate_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr Vec3 extent{120, 100, 80};

double uniform(std::uint64_t seed, std::size_t i, std::uint64_t which) {
    return static_cast<double>(
        uniformFloat(static_cast<std::uint32_t>(randomBits(seed, i, which))));
}
double normal(std::uint64_t seed, std::size_t i, std::uint64_t which) {
    return std::sqrt(-2 * std::log(uniform(seed, i, 2 * which) + 1e-12)) *
           std::cos(2 * std::numbers::pi * uniform(seed, i, 2 * which + 1));
}

/// Smooth breathing of up to 15 mm.
Vec3 truth(Vec3 p) {
    return {p.x + 2 * std::sin(p.y / 20), p.y + 3 * std::sin(p.z / 25),
            p.z + 15 * (1 - std::cos(p.z / 30)) / 2 + 2 * std::cos(p.x / 25)};
}

/// `noise`: standard deviation per axis. Every fifth landmark is wrong by 6 to 30 mm if asked for.
test::Landmarks breathing(std::size_t count, double noise, bool outliers, std::uint64_t seed) {
    test::Landmarks marks;
    for (std::size_t i = 0; i < count; ++i) {
        Vec3 p{extent.x * uniform(seed, i, 20), extent.y * uniform(seed, i, 21),
               extent.z * uniform(seed, i, 22)};
        Vec3 to = truth(p);
        for (int axis = 0; axis < 3; ++axis)
            to[axis] += noise * normal(seed, i, static_cast<std::uint64_t>(axis));
        if (outliers && i % 5 == 0) {
            Vec3 wrong;
            do
                for (int axis = 0; axis < 3; ++axis)
                    wrong[axis] = normal(seed + 1000, i, static_cast<std::uint64_t>(axis));
            while (!(length(wrong) > 0.1));
            to = to + ((6 + 24 * uniform(seed, i, 30)) / length(wrong)) * wrong;
        }
        marks.from.push_back(p);
        marks.to.push_back(to);
    }
    return marks;
}

/// Root mean square error inside the box.
double error(const ThinPlateSpline& spline) {
    double sum = 0;
    constexpr std::size_t samples = 400;
    for (std::size_t i = 0; i < samples; ++i) {
        const Vec3 p{extent.x * (0.05 + 0.9 * uniform(99, i, 0)),
                     extent.y * (0.05 + 0.9 * uniform(99, i, 1)),
                     extent.z * (0.05 + 0.9 * uniform(99, i, 2))};
        const Vec3 off = spline.at(p) - truth(p);
        sum += dot(off, off);
    }
    return std::sqrt(sum / samples);
}

class RobustSpline : public testing::Test {
protected:
    RobustFit fit(const test::Landmarks& marks, const RobustFitSettings& settings = {}) {
        return fitRobustly(marks.from, marks.to, {}, settings, resources.context());
    }
    ExecResources resources{2};
};

TEST_F(RobustSpline, CrossValidatedKappaIsNearlyTheBest) {
    for (const double noise : {0.05, 0.5, 2.0}) {
        const test::Landmarks marks = breathing(500, noise, false, 11);
        const RobustFit found = fit(marks, {.reject = false});
        double best = error(found.spline);
        for (double kappa = found.kappa / 256; kappa < 257 * found.kappa; kappa *= 4)
            best = std::min(best, error(fitThinPlate(marks.from, marks.to, kappa)));
        EXPECT_LT(error(found.spline), 1.25 * best) << noise;
    }
}

/// Landmarks miss their predictions by the noise along three axes, and a little more.
TEST_F(RobustSpline, CrossValidatedErrorIsTheNoise) {
    const test::Landmarks marks = breathing(700, 0.5, false, 3);
    for (const bool reject : {false, true}) {
        const RobustFit found = fit(marks, {.reject = reject});
        EXPECT_GT(found.validationError, 0.9 * 0.5 * std::sqrt(3.0));
        EXPECT_LT(found.validationError, 1.3 * 0.5 * std::sqrt(3.0));
    }
}

/// The formula for blocks, against fits without them.
TEST_F(RobustSpline, CrossValidationEqualsLeavingLandmarksOut) {
    const test::Landmarks marks = breathing(60, 0.5, false, 8);
    const double kappa = 3;
    double squared = 0;
    for (std::size_t fold = 0; fold < 10; ++fold) {
        std::vector<Vec3> from, to;
        for (std::size_t i = 0; i < 60; ++i)
            if (i % 10 != fold) {
                from.push_back(marks.from[i]);
                to.push_back(marks.to[i]);
            }
        const ThinPlateSpline spline = fitThinPlate(from, to, kappa);
        for (std::size_t i = fold; i < 60; i += 10) {
            const Vec3 off = marks.to[i] - spline.at(marks.from[i]);
            squared += dot(off, off);
        }
    }
    EXPECT_NEAR(validationError(marks.from, marks.to, kappa, {}, resources.context()),
                std::sqrt(squared / 60), 1e-8);
}

TEST_F(RobustSpline, RejectsWhatWasPlanted) {
    for (const double noise : {0.0, 0.3})
        for (const std::size_t count : {200UL, 600UL}) {
            const test::Landmarks clean = breathing(count, noise, false, 5),
                                  spoilt = breathing(count, noise, true, 5);
            const RobustFit found = fit(spoilt);
            std::size_t caught = 0, wronged = 0;
            for (std::size_t i = 0; i < count; ++i)
                (i % 5 == 0 ? caught : wronged) += !(found.weights[i] > 0);
            EXPECT_GE(caught, count / 5 * 98 / 100) << noise << " " << count;
            EXPECT_LE(wronged, count / 100) << noise << " " << count;
            EXPECT_EQ(found.rejected, static_cast<int>(caught + wronged));
            EXPECT_LT(error(found.spline), 1.3 * error(fit(clean).spline) + 0.05);
            EXPECT_GT(error(fit(spoilt, {.reject = false}).spline), 2 * error(found.spline));
        }
}

TEST_F(RobustSpline, MoreLandmarksAreBetter) {
    const double few = error(fit(breathing(300, 0.5, true, 6)).spline),
                 many = error(fit(breathing(1500, 0.5, true, 6)).spline);
    EXPECT_LT(many, 0.75 * few);
}

/// Two halves that slide along a plane: landmarks at the plane contradict each other, and stay.
TEST_F(RobustSpline, KeepsWhatSlides) {
    test::Landmarks marks = breathing(1000, 0.2, false, 9);
    for (std::size_t i = 0; i < marks.from.size(); ++i)
        if (marks.from[i].x > 60)
            marks.to[i].z += 12;
    EXPECT_LT(fit(marks).rejected, 1000 * 4 / 100);
}

TEST_F(RobustSpline, AffineMotionAndNoRelaxationAreExact) {
    test::Landmarks marks = breathing(50, 0, false, 2);
    for (std::size_t i = 0; i < marks.from.size(); ++i) {
        const Vec3 p = marks.from[i];
        marks.to[i] = {1.2 * p.x + 3, p.y - 0.4 * p.z, 0.8 * p.z + 0.1 * p.x - 7};
    }
    const RobustFit affine = fit(marks);
    EXPECT_EQ(affine.rejected, 0);
    EXPECT_LT(length(affine.spline.at({10, 20, 30}) - Vec3{15, 8, 18}), 1e-6);
    const test::Landmarks bent = breathing(80, 0.3, false, 4);
    const RobustFit through = fit(bent, {.kappa = 0, .reject = false});
    for (std::size_t i = 0; i < bent.from.size(); ++i)
        EXPECT_LT(length(through.spline.at(bent.from[i]) - bent.to[i]), 1e-8);
}

TEST_F(RobustSpline, LandmarksInAPlaneMoveWhatIsBesideAlike) {
    test::Landmarks flat = breathing(100, 0, false, 12);
    for (std::size_t i = 0; i < flat.from.size(); ++i) {
        flat.from[i].z = 40;
        flat.to[i] = flat.from[i] + Vec3{2 + 0.01 * flat.from[i].x, -1, 3};
    }
    const RobustFit found = fit(flat);
    EXPECT_EQ(found.rejected, 0);
    for (const double z : {40.0, 60.0}) {
        const Vec3 moved = found.spline.at({50, 50, z}) - Vec3{50, 50, z};
        EXPECT_LT(length(moved - Vec3{2.5, -1, 3}), 1e-6) << z;
    }
}

TEST_F(RobustSpline, DuplicatedLandmarksAreTakenAndBadOnesRefused) {
    test::Landmarks twice = breathing(100, 0.2, false, 13);
    for (std::size_t i = 0; i < 50; ++i) {
        twice.from.push_back(twice.from[i]);
        twice.to.push_back(twice.to[i] + Vec3{0.1, 0, 0});
    }
    EXPECT_LT(error(fit(twice).spline), 4);
    EXPECT_THROW(fit(twice, {.kappa = 0, .reject = false}), ComputeError);
    test::Landmarks few = breathing(3, 0, false, 1);
    EXPECT_THROW(fit(few), ComputeError);
    few = breathing(20, 0, false, 1);
    few.to[7].y = NAN;
    EXPECT_THROW(fit(few), ComputeError);
    few = breathing(20, 0, false, 1);
    few.to.pop_back();
    EXPECT_THROW(fit(few), ComputeError);
    EXPECT_NO_THROW(fit(breathing(4, 0, false, 1)));
}

TEST_F(RobustSpline, IsTheSameForAnyNumberOfThreads) {
    const test::Landmarks marks = breathing(500, 0.3, true, 21);
    ExecResources one(1), three(3);
    const RobustFit a = fitRobustly(marks.from, marks.to, {}, {}, one.context()),
                    b = fitRobustly(marks.from, marks.to, {}, {}, three.context());
    EXPECT_EQ(a.weights, b.weights);
    EXPECT_EQ(a.spline.weights, b.spline.weights);
    EXPECT_EQ(a.spline.affine, b.spline.affine);
    EXPECT_EQ(a.kappa, b.kappa);
}

} // namespace
} // namespace systole
