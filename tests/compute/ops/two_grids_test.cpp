// Displacements and images between grids, against evaluation in physical space.
#include "compute/core/error.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/inverse_consistency.h"
#include "compute/ops/invert_field.h"
#include "compute/ops/resample_grids.h"
#include "compute/ops/two_grids.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

Matrix3 turn(double degrees) {
    const double c = std::cos(degrees * M_PI / 180), s = std::sin(degrees * M_PI / 180);
    return {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

/// Grids that differ in everything.
Geometry fixedGrid() { return {{20, 17, 12}, {1.5, 1.2, 2.5}, {-10, 5, 30}, turn(20)}; }
Geometry movingGrid() {
    return {{31, 30, 16}, {1, 1.1, 2}, {24, -9, 63}, {{{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}}};
}

const AffineMap affine{{{{1.05, 0.03, 0}, {-0.02, 0.97, 0.04}, {0.01, 0, 1.02}}}, {2, -1, 0.5}};

Vec3 vec(int x, int y, int z) {
    return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

class TwoGrids : public testing::Test {
protected:
    ExecContext ctx() { return resources_.context(); }

    VectorField zeroField(const Geometry& grid) {
        VectorField field(grid, resources_.pool(), "test field");
        std::fill_n(field.view().u, 3 * grid.voxels(), 0.0f);
        return field;
    }
    VectorField fieldOf(const Geometry& grid, const AffineMap& map) {
        VectorField field = zeroField(grid);
        appendAffine(map, grid, field.view(), ctx());
        return field;
    }
    /// The point to which the field takes a voxel, LPS mm.
    static Vec3 target(const VectorField& field, int x, int y, int z) {
        const std::size_t i = field.view().componentView(0).offset(x, y, z);
        const Vec3 d{static_cast<double>(field.view().u[i]), static_cast<double>(field.view().v[i]),
                     static_cast<double>(field.view().w[i])};
        return field.geometry.indexToPhysical(vec(x, y, z) + d);
    }
    template <typename Body>
    static void overAll(Size3 size, const Body& body) {
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    body(x, y, z);
    }
    /// Gray values of a linear function of space.
    Volume ramp(const Geometry& grid) {
        Volume made(grid, resources_.pool(), "ramp");
        overAll(grid.size(), [&](int x, int y, int z) {
            made.view()(x, y, z) = static_cast<float>(rampAt(grid.indexToPhysical(vec(x, y, z))));
        });
        return made;
    }
    static double rampAt(Vec3 p) { return 100 + 2 * p.x - 3 * p.y + 1.5 * p.z; }

    ExecResources resources_{2};
};

TEST_F(TwoGrids, AnAffineMapTakesEveryVoxelToItsPoint) {
    const VectorField once = fieldOf(fixedGrid(), affine);
    VectorField twice = fieldOf(fixedGrid(), affine);
    appendAffine(affine, twice.geometry, twice.view(), ctx());
    overAll(once.geometry.size(), [&](int x, int y, int z) {
        const Vec3 expected = affine(once.geometry.indexToPhysical(vec(x, y, z)));
        EXPECT_LT(length(target(once, x, y, z) - expected), 2e-5);
        EXPECT_LT(length(target(twice, x, y, z) - affine(expected)), 4e-5);
    });
}

TEST_F(TwoGrids, IndicesOfOneGridBecomeThoseOfAnother) {
    const AffineMap map = indexAffine(fixedGrid(), movingGrid(), affine);
    const Vec3 at{3, 7.5, 2};
    const Vec3 expected = movingGrid().physicalToIndex(affine(fixedGrid().indexToPhysical(at)));
    EXPECT_LT(length(map(at) - expected), 1e-10);
}

TEST_F(TwoGrids, LinearAndCubicSamplingReproduceALinearImageOnAnyGrid) {
    const Volume moving = ramp(movingGrid());
    const VectorField field = fieldOf(fixedGrid(), affine);
    const FrameGrids grids{fixedGrid(), movingGrid()};
    for (const Interpolation interpolation : {Interpolation::Linear, Interpolation::Cubic}) {
        Volume out(fixedGrid(), resources_.pool(), "out"),
            inside(fixedGrid(), resources_.pool(), "");
        resampleMoving(moving.view(), field.view(), grids,
                       {.interpolation = interpolation, .outside = -7}, out.view(), inside.view(),
                       ctx());
        int compared = 0, beyond = 0;
        overAll(out.geometry.size(), [&](int x, int y, int z) {
            const Vec3 point = target(field, x, y, z);
            const Vec3 index = movingGrid().physicalToIndex(point);
            bool within = true, wellWithin = true;
            for (int axis = 0; axis < 3; ++axis) {
                const double last = movingGrid().size()[axis] - 1.0;
                within = within && index[axis] >= -0.5 && index[axis] <= last + 0.5;
                wellWithin = wellWithin && index[axis] >= 1 && index[axis] <= last - 1;
            }
            EXPECT_EQ(inside.view()(x, y, z), within ? 1 : 0);
            if (!within) {
                EXPECT_EQ(out.view()(x, y, z), -7);
                ++beyond;
            } else if (wellWithin) {
                EXPECT_NEAR(static_cast<double>(out.view()(x, y, z)), rampAt(point), 1e-2);
                ++compared;
            }
        });
        EXPECT_GT(compared, 500);
        EXPECT_GT(beyond, 50);
    }
}

TEST_F(TwoGrids, CubicConvolutionIsExactForParabolasAndBetweenItsNeighborsElsewhere) {
    const Geometry grid({12, 4, 4}, {1, 1, 1});
    Volume parabola(grid, resources_.pool(), "parabola");
    overAll(grid.size(),
            [&](int x, int y, int z) { parabola.view()(x, y, z) = static_cast<float>(x * x); });
    VectorField field = zeroField(grid);
    std::fill_n(field.view().u, grid.voxels(), 0.3f);
    Volume out(grid, resources_.pool(), "out");
    resampleMoving(parabola.view(), field.view(), {grid, grid},
                   {.interpolation = Interpolation::Cubic}, out.view(), {}, ctx());
    for (int x = 1; x < 10; ++x)
        EXPECT_NEAR(static_cast<double>(out.view()(x, 2, 2)), (x + 0.3) * (x + 0.3), 1e-4);
}

TEST_F(TwoGrids, LabelsAreThoseOfTheNearestVoxelOrOfTheMajority) {
    const Geometry grid({6, 3, 3}, {1, 1, 1});
    Volume labels(grid, resources_.pool(), "labels");
    // Labels 1, 2, 3 in turn along y at each x below 3; 5 elsewhere.
    overAll(grid.size(), [&](int x, int y, int z) {
        labels.view()(x, y, z) = x < 3 ? static_cast<float>(z == 1 ? 4 : y + 1) : 5.0f;
    });
    VectorField field = zeroField(grid);
    std::fill_n(field.view().u, grid.voxels(), 0.4f);
    Volume nearest(grid, resources_.pool(), ""), majority(grid, resources_.pool(), "");
    resampleMoving(labels.view(), field.view(), {grid, grid},
                   {.interpolation = Interpolation::Nearest}, nearest.view(), {}, ctx());
    resampleMoving(labels.view(), field.view(), {grid, grid},
                   {.interpolation = Interpolation::Majority}, majority.view(), {}, ctx());
    EXPECT_EQ(nearest.view()(2, 0, 0), 1);
    EXPECT_EQ(majority.view()(2, 0, 0), 1); // 0.6 of label 1, 0.4 of label 5
    // 0.54 along z of 4; the rest is shared by labels 1 and 5, the nearest voxel has 1.
    std::fill_n(field.view().w, grid.voxels(), 0.54f);
    std::fill_n(field.view().u, grid.voxels(), 0.0f);
    resampleMoving(labels.view(), field.view(), {grid, grid},
                   {.interpolation = Interpolation::Majority}, majority.view(), {}, ctx());
    EXPECT_EQ(majority.view()(0, 0, 0), 4);
    // A voxel whose corners have labels 1, 2, 3 parts: 0.3 · 2 against 0.7 · 1.
    std::fill_n(field.view().w, grid.voxels(), 0.0f);
    std::fill_n(field.view().v, grid.voxels(), 0.7f);
    resampleMoving(labels.view(), field.view(), {grid, grid},
                   {.interpolation = Interpolation::Majority}, majority.view(), {}, ctx());
    EXPECT_EQ(majority.view()(0, 0, 0), 2);
}

TEST_F(TwoGrids, AFieldOnAnotherGridKeepsItsMillimeters) {
    // Linear in space, so that trilinear interpolation is exact inside.
    const Geometry other({40, 40, 30}, {1.3, 1.3, 1.9}, {-30, -10, 20});
    const MillimeterField stored = toMillimeters(fieldOf(other, affine), resources_.pool());
    const VectorField field = fieldOnGrid(stored, fixedGrid(), ctx());
    int compared = 0;
    overAll(field.geometry.size(), [&](int x, int y, int z) {
        const Vec3 point = field.geometry.indexToPhysical(vec(x, y, z));
        const Vec3 index = other.physicalToIndex(point);
        for (int axis = 0; axis < 3; ++axis)
            if (index[axis] < 0 || index[axis] > other.size()[axis] - 1)
                return;
        ++compared;
        EXPECT_LT(length(target(field, x, y, z) - affine(point)), 1e-4);
    });
    EXPECT_GT(compared, 1000);
}

TEST_F(TwoGrids, ASplineReproducesAffineMapsAndMatchesItsSum) {
    const Geometry image({17, 14, 11}, {1.5, 1.2, 2.5}, {-10, 5, 30}, turn(20));
    const ControlGrid grid{image.size(), {5, 4, 3}};
    const Geometry points = controlGeometry(image, grid);
    EXPECT_LT(length(points.indexToPhysical({1, 1, 1}) - image.origin()), 1e-12);
    EXPECT_LT(length(points.indexToPhysical({2, 2, 2}) - image.indexToPhysical({5, 4, 3})), 1e-12);
    MillimeterField coefficients = toMillimeters(fieldOf(points, affine), resources_.pool());
    const VectorField field = splineOnGrid(coefficients, image, ctx());
    overAll(image.size(), [&](int x, int y, int z) {
        const Vec3 expected = affine(image.indexToPhysical(vec(x, y, z)));
        EXPECT_LT(length(target(field, x, y, z) - expected), 1e-4);
    });
    // One coefficient moves the voxel at it by (2/3)³ of itself.
    const std::size_t at = VolumeView<float>(nullptr, points.size()).offset(2, 2, 2);
    coefficients.vectors.data()[3 * at] += 9;
    const VectorField more = splineOnGrid(coefficients, image, ctx());
    const Vec3 moved = target(more, 5, 4, 3) - target(field, 5, 4, 3);
    EXPECT_NEAR(moved.x, 9 * 8.0 / 27, 1e-4);
    EXPECT_NEAR(moved.y, 0, 1e-4);
    EXPECT_NEAR(length(target(more, 5 + 10, 4, 3) - target(field, 5 + 10, 4, 3)), 0, 1e-5);
}

TEST_F(TwoGrids, ControlPointsAroundTheImagesMiddleAreTheirSplineInSpace) {
    const Geometry image({17, 14, 11}, {1.5, 1.2, 2.5}, {-10, 5, 30}, turn(20));
    const ControlGrid grid = ControlGrid::centered(image.size(), {5, 4, 3}, {1, 2, 1});
    VectorField points(controlGeometry(image, grid), resources_.pool(), "points");
    const std::size_t n = grid.points().voxels();
    for (std::size_t i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis)
            points.view().component(axis)[i] =
                static_cast<float>(std::sin(0.7 * static_cast<double>(i) + axis));
    VectorField inVoxels(image, resources_.pool(), "spline");
    std::vector<float> values(3 * n);
    for (std::size_t i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis)
            values[static_cast<std::size_t>(axis) * n + i] =
                static_cast<float>(grid.tile[axis]) * points.view().component(axis)[i];
    bsplineField({{values.data(), grid.points()}, grid}, inVoxels.view(), ctx());
    const VectorField found = splineOnGrid(toMillimeters(points, resources_.pool()), image, ctx());
    for (int axis = 0; axis < 3; ++axis)
        for (std::size_t i = 0; i < image.voxels(); ++i)
            ASSERT_NEAR(found.view().component(axis)[i], inVoxels.view().component(axis)[i], 1e-4);
}

TEST_F(TwoGrids, TheInverseTakesPointsBack) {
    // A large affine part, which fixed-point iteration of the displacement alone can't invert, and
    // waves on top.
    const AffineMap large{{{{0.2, -1.3, 0}, {1.2, 0.3, 0}, {0, 0, 0.6}}}, {4, -3, 10}};
    VectorField forward = fieldOf(fixedGrid(), large);
    overAll(forward.geometry.size(), [&](int x, int y, int z) {
        const std::size_t i = forward.view().componentView(0).offset(x, y, z);
        forward.view().u[i] += static_cast<float>(0.5 * std::sin(0.5 * y));
        forward.view().w[i] += static_cast<float>(0.4 * std::cos(0.4 * x));
    });
    // A grid inside the image of the forward map.
    const Vec3 middle = large(fixedGrid().center());
    const Geometry target({8, 9, 7}, {0.9, 0.9, 0.9}, middle - Vec3{3.5, 3.5, 3});
    const InverseField inverse = invertField(forward, target, {}, ctx());
    EXPECT_EQ(inverse.report.inside, target.voxels());
    EXPECT_EQ(inverse.report.converged, target.voxels());
    EXPECT_LE(inverse.report.largestError, 1e-3);
    EXPECT_GT(inverse.report.iterations, 0);
    // The error again, from what was returned.
    double largest = 0;
    overAll(target.size(), [&](int x, int y, int z) {
        const std::size_t i = VolumeView<float>(nullptr, target.size()).offset(x, y, z);
        const float* v = inverse.field.vectors.data() + 3 * i;
        const Vec3 q = target.indexToPhysical(vec(x, y, z));
        const Vec3 p = q + Vec3{static_cast<double>(v[0]), static_cast<double>(v[1]),
                                static_cast<double>(v[2])};
        const Vec3 index = forward.geometry.physicalToIndex(p);
        // Trilinear by hand.
        Vec3 displacement;
        const int x0 = static_cast<int>(index.x), y0 = static_cast<int>(index.y),
                  z0 = static_cast<int>(index.z);
        for (int corner = 0; corner < 8; ++corner) {
            const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
            const double weight = (dx ? index.x - x0 : 1 - index.x + x0) *
                                  (dy ? index.y - y0 : 1 - index.y + y0) *
                                  (dz ? index.z - z0 : 1 - index.z + z0);
            const std::size_t j = forward.view().componentView(0).offset(x0 + dx, y0 + dy, z0 + dz);
            displacement = displacement + weight * Vec3{static_cast<double>(forward.view().u[j]),
                                                        static_cast<double>(forward.view().v[j]),
                                                        static_cast<double>(forward.view().w[j])};
        }
        largest =
            std::max(largest, length(forward.geometry.indexToPhysical(index + displacement) - q));
    });
    EXPECT_LE(largest, 2e-3);
}

TEST_F(TwoGrids, OnlyPointsFromInsideTheForwardGridCountInItsInverse) {
    const Geometry grid({16, 8, 8}, {1, 1, 1});
    VectorField shift = zeroField(grid);
    std::fill_n(shift.view().u, grid.voxels(), 4.0f);
    const InverseField inverse = invertField(shift, grid, {}, ctx());
    EXPECT_EQ(inverse.report.inside, 12u * 8 * 8); // the first four came from outside
    EXPECT_EQ(inverse.report.converged, inverse.report.inside);
    for (std::size_t i = 0; i < grid.voxels(); ++i)
        EXPECT_NEAR(static_cast<double>(inverse.field.vectors.data()[3 * i]), -4, 1e-5);
}

TEST_F(TwoGrids, ADisplacementThatSqueezesSpaceFlatHasNoInverse) {
    const Geometry grid({16, 8, 8}, {1, 1, 1});
    VectorField flat = zeroField(grid);
    overAll(grid.size(), [&](int x, int y, int z) {
        flat.view().u[flat.view().componentView(0).offset(x, y, z)] = static_cast<float>(-x);
    });
    EXPECT_THROW(invertField(flat, grid, {}, ctx()), ComputeError);
}

TEST_F(TwoGrids, ThereAndBackMissesByWhatTheWayBackIsWrong) {
    const Geometry fixed = fixedGrid(), moving = movingGrid();
    const VectorField forward = fieldOf(fixed, affine);
    const ConsistencyReport exact =
        inverseConsistency(forward, fieldOf(moving, affine.inverse().value()), {}, ctx());
    EXPECT_GT(exact.inside, 500u);
    EXPECT_LT(exact.largestError, 1e-3);

    AffineMap wrong = affine.inverse().value();
    wrong.offset = wrong.offset + Vec3{0.3, -0.4, 1.2};
    const VectorField back = fieldOf(moving, wrong);
    const ConsistencyReport missed = inverseConsistency(forward, back, {}, ctx());
    EXPECT_EQ(missed.inside, exact.inside);
    EXPECT_NEAR(missed.meanError, 1.3, 1e-3);
    EXPECT_NEAR(missed.largestError, 1.3, 1e-3);

    Volume mask(fixed, resources_.pool(), "test mask");
    std::fill_n(mask.view().data, fixed.voxels(), 0.0f);
    EXPECT_TRUE(std::isnan(inverseConsistency(forward, back, mask.view(), ctx()).meanError));
    mask.view()(10, 8, 6) = 1;
    EXPECT_EQ(inverseConsistency(forward, back, mask.view(), ctx()).inside, 1u);
}

} // namespace
} // namespace systole
