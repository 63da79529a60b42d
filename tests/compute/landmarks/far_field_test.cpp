// The far-field evaluation against the spline in double precision, and its bound against samples.
#include "compute/core/error.h"
#include "compute/landmarks/far_field.h"
#include "compute/landmarks/far_field_bound.h"
#include "compute/landmarks/interpolation_box.h"
#include "tests/compute/landmarks/thin_plate_support.h"

#include <gtest/gtest.h>

#include <limits>

namespace systole {
namespace {

double random(std::uint64_t seed, std::size_t i, std::uint64_t which) {
    return static_cast<double>(
        uniformFloat(static_cast<std::uint32_t>(randomBits(seed, i, which))));
}

/// A spline of random weights, which no fit would have: all bounds must hold for any.
ThinPlateSpline randomSpline(int count, Vec3 extent, std::uint64_t seed, bool clusters) {
    ThinPlateSpline spline;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const std::size_t cluster = i % 5;
        Vec3 p;
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::uint64_t>(axis);
            // Beyond the grid, too.
            p[axis] = extent[axis] * (1.4 * random(seed, clusters ? cluster : i, a) - 0.2);
            if (clusters)
                p[axis] += 2 * random(seed, i, 10 + a);
        }
        spline.landmarks.push_back(p);
        spline.weights.push_back(
            {random(seed, i, 3) - 0.3, random(seed, i, 4) - 0.5, 0.1 * (random(seed, i, 5) - 0.5)});
    }
    spline.affine = {{{3, 1.1, 0.2, -0.1}, {-2, 0.1, 0.9, 0}, {1, 0, 0.05, 1.02}}};
    return spline;
}

/// The longest error in smallest voxel spacings, less what single precision may leave.
double worstError(const ThinPlateSpline& spline, Vec3 spacing, FieldView<const float> found) {
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    const double unit = std::ldexp(static_cast<double>(spline.landmarks.size()) + 64, -24);
    double worst = 0;
    for (int z = 0; z < found.size.z; ++z)
        for (int y = 0; y < found.size.y; ++y)
            for (int x = 0; x < found.size.x; ++x) {
                const Vec3 p{x * spacing.x, y * spacing.y, z * spacing.z};
                const Vec3 expected = spline.at(p) - p;
                double magnitude = 0;
                for (std::size_t j = 0; j < spline.landmarks.size(); ++j)
                    magnitude += length(spline.weights[j]) * length(spline.landmarks[j] - p);
                Vec3 error;
                for (int c = 0; c < 3; ++c)
                    error[c] = static_cast<double>(found.componentView(c)(x, y, z)) * spacing[c] -
                               expected[c];
                worst =
                    std::max(worst, (length(error) - unit * (magnitude + length(p))) / smallest);
            }
    return worst;
}

TEST(FarField, BoundHoldsForWorstPlacesOfALandmark) {
    for (const int degree : {3, 5, 8})
        for (const double error : {1e-2, 1e-4, 1e-6}) {
            const double least = minSeparation(degree, error);
            const int count = 16 + degree;
            const VoxelBox voxels{0, 0, 0, {count, count, count}};
            InterpolationBox box(voxels, {1, 1, 1}, degree);
            const double half = box.largestHalf();
            double worst = 0;
            for (std::size_t i = 0; i < 60; ++i) {
                // The point moves from the center outwards until it is just far.
                Vec3 direction{random(2, i, 0) - 0.5, random(2, i, 1) - 0.5, random(2, i, 2) - 0.5};
                if (i < 3)
                    direction = {i == 0 ? 1.0 : 0, i == 1 ? 1.0 : 0, i == 2 ? 1.0 : 0};
                double out = half;
                while (box.separation(box.center() + out * direction) < least)
                    out *= 1.02;
                const Vec3 p = box.center() + out * direction;
                box.begin(nullptr);
                std::array<std::vector<float>, 3> at;
                box.positions(at);
                for (std::size_t k = 0; k < at[0].size(); ++k) {
                    const Vec3 point{static_cast<double>(at[0][k]), static_cast<double>(at[1][k]),
                                     static_cast<double>(at[2][k])};
                    // Less the distance from the center, for the sake of single precision.
                    box.values(0)[k] = static_cast<float>(length(box.center() + point - p) -
                                                          length(box.center() - p));
                }
                for (const int other : {1, 2})
                    std::fill_n(box.values(other), box.points(), 0.0f);
                std::array<std::vector<float>, 3> sampled;
                box.sampleVoxels(sampled);
                const std::vector<float>& found = sampled[0];
                for (int z = 0; z < count; ++z)
                    for (int y = 0; y < count; ++y)
                        for (int x = 0; x < count; ++x) {
                            const Vec3 voxel{static_cast<double>(x), static_cast<double>(y),
                                             static_cast<double>(z)};
                            const double value = static_cast<double>(
                                found[static_cast<std::size_t>(x + count * (y + count * z))]);
                            worst = std::max(worst, std::abs(value + length(box.center() - p) -
                                                             length(voxel - p)));
                        }
            }
            EXPECT_LT(worst, error * half + 2e-5) << degree << " " << error;
            if (error >= 1e-4) {
                EXPECT_GT(worst, error * half / 300) << "far from tight: " << degree;
            }
        }
}

TEST(FarField, KeepsItsToleranceForAnyLandmarks) {
    ExecResources resources(2);
    const struct {
        Size3 size;
        Vec3 spacing;
    } grids[] = {{{33, 29, 24}, {1, 1, 1}}, {{38, 30, 7}, {1.3, 1.3, 5}}, {{50, 41, 1}, {1, 2, 1}}};
    std::uint64_t seed = 0;
    for (const auto& grid : grids)
        for (const bool clusters : {false, true})
            for (const double tolerance : {0.0, 0.01, 0.3}) {
                const Vec3 extent{grid.size.x * grid.spacing.x, grid.size.y * grid.spacing.y,
                                  grid.size.z * grid.spacing.z};
                const ThinPlateSpline spline = randomSpline(80, extent, ++seed, clusters);
                test::TestField field(grid.size);
                displacementOnGrid(spline, grid.spacing, tolerance, field.view(),
                                   resources.context());
                EXPECT_LE(worstError(spline, grid.spacing, field.view()), tolerance)
                    << grid.size.x << " " << clusters << " " << tolerance;
            }
}

TEST(FarField, SavesMostOfTheTerms) {
    const test::Landmarks marks = test::bentLandmarks(400, {64, 64, 64}, 5);
    const ThinPlateSpline spline = fitThinPlate(marks.from, marks.to, 5);
    ExecResources resources(2);
    test::TestField field(Size3{64, 64, 64});
    const FarFieldWork work =
        displacementOnGrid(spline, {1, 1, 1}, 0.02, field.view(), resources.context());
    EXPECT_LT(work.terms, 0.25 * 400 * 64 * 64 * 64) << work.degree;
}

TEST(FarField, AnAffineMapAndOneVoxelAreFine) {
    ThinPlateSpline spline;
    spline.affine = {{{3, 1, 0, 0}, {-2, 0, 1, 0}, {1, 0, 0, 1}}};
    ExecResources resources(2);
    for (const Size3 size : {Size3{1, 1, 1}, Size3{30, 2, 1}})
        for (const double tolerance : {0.0, 0.01}) {
            test::TestField field(size);
            displacementOnGrid(spline, {2, 1, 0.5}, tolerance, field.view(), resources.context());
            for (std::size_t i = 0; i < size.voxels(); ++i) {
                EXPECT_FLOAT_EQ(field.view().u[i], 1.5f);
                EXPECT_FLOAT_EQ(field.view().v[i], -2);
                EXPECT_FLOAT_EQ(field.view().w[i], 2);
            }
        }
    test::TestField field(Size3{4, 4, 4});
    for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_THROW(displacementOnGrid(spline, {1, 1, 1}, bad, field.view(), resources.context()),
                     ComputeError);
}

TEST(FarField, IsTheSameForAnyNumberOfThreads) {
    const ThinPlateSpline spline = randomSpline(200, {60, 50, 40}, 77, false);
    test::TestField one(Size3{60, 50, 40}), four(Size3{60, 50, 40});
    ExecResources single(1), several(4);
    displacementOnGrid(spline, {1, 1, 1}, 0.01, one.view(), single.context());
    displacementOnGrid(spline, {1, 1, 1}, 0.01, four.view(), several.context());
    EXPECT_EQ(one.values, four.values);
}

} // namespace
} // namespace systole
