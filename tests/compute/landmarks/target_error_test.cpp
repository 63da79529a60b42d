// Target registration errors against plain arithmetic, and DIR-Lab's published table where its
// landmarks are at hand.
#include "compute/core/error.h"
#include "compute/landmarks/target_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

TEST(TargetError, FiguresAreThoseOfTheSample) {
    const std::vector<double> errors{4, 1, 3, 2, 10};
    const ErrorFigures f = errorFigures(errors);
    EXPECT_EQ(f.count, 5u);
    EXPECT_DOUBLE_EQ(f.mean, 4);
    EXPECT_DOUBLE_EQ(f.deviation, std::sqrt(50.0 / 4));
    EXPECT_DOUBLE_EQ(f.quartile, 2);
    EXPECT_DOUBLE_EQ(f.median, 3);
    EXPECT_DOUBLE_EQ(f.upperQuartile, 4);
    EXPECT_DOUBLE_EQ(f.percentile95, 4 + 0.8 * 6);
    EXPECT_DOUBLE_EQ(f.largest, 10);
    EXPECT_EQ(f.largestAt, 4u);
    const ErrorFigures one = errorFigures(std::vector<double>{2.5});
    EXPECT_EQ(one.deviation, 0);
    EXPECT_EQ(one.percentile95, 2.5);
    EXPECT_TRUE(std::isnan(errorFigures({}).mean));
    EXPECT_EQ(errorFigures({}).count, 0u);
}

TEST(TargetError, SnappingPutsMovedPointsOnVoxels) {
    const Geometry grid({10, 10, 10}, {1, 1, 2.5}, {5, 5, 5}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}});
    const PointPairs pairs{{{6, 6, 5}, {7, 7, 0}}, {{6, 6, 0}, {8, 7, 0}}};
    const std::vector<std::optional<Vec3>> moved{Vec3{6.4, 5.6, 1.2}, std::nullopt};
    const PointErrors plain = targetErrors(pairs, moved);
    EXPECT_DOUBLE_EQ(*plain[0], std::sqrt(0.16 + 0.16 + 1.44));
    EXPECT_FALSE(plain[1]);
    EXPECT_NEAR(*targetErrors(pairs, moved, &grid)[0], 0, 1e-12);
    EXPECT_EQ(known(plain).size(), 1u);
    EXPECT_DOUBLE_EQ(*initialErrors(pairs)[0], 5);
    EXPECT_THROW(targetErrors(pairs, {}), ComputeError);
    EXPECT_THROW(initialErrors({{{1, 2, 3}}, {}}), ComputeError);
}

TEST(TargetError, FieldsAreReadBetweenTheirVoxelsAndNotBeyond) {
    // An affine displacement is reproduced by linear interpolation, on any axes.
    const Geometry grid({6, 5, 4}, {1.5, 2, 2.5}, {-3, 4, 50},
                        {{{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}});
    BufferPool pool;
    MillimeterField field{grid, pool.acquire<float>(3 * grid.voxels(), "field")};
    const auto displacement = [](Vec3 p) {
        return Vec3{1 + 0.1 * p.y, -2 + 0.05 * p.x - 0.02 * p.z, 0.3 * p.z};
    };
    float* next = field.vectors.data();
    for (int z = 0; z < 4; ++z)
        for (int y = 0; y < 5; ++y)
            for (int x = 0; x < 6; ++x) {
                const Vec3 d = displacement(grid.indexToPhysical({1.0 * x, 1.0 * y, 1.0 * z}));
                for (int axis = 0; axis < 3; ++axis)
                    *next++ = static_cast<float>(d[axis]);
            }
    for (const Vec3 index : {Vec3{0, 0, 0}, Vec3{2.25, 3.5, 1.75}, Vec3{5, 4, 3}}) {
        const Vec3 p = grid.indexToPhysical(index);
        const std::optional<Vec3> moved = movedBy(field, p);
        ASSERT_TRUE(moved);
        EXPECT_LT(length(*moved - (p + displacement(p))), 1e-5);
    }
    // The outer half of a border voxel has its center's displacement.
    const std::optional<Vec3> border = movedBy(field, grid.indexToPhysical({-0.5, 0, 0}));
    ASSERT_TRUE(border);
    EXPECT_LT(length(*border - grid.indexToPhysical({-0.5, 0, 0}) -
                     displacement(grid.indexToPhysical({0, 0, 0}))),
              1e-5);
    EXPECT_FALSE(movedBy(field, grid.indexToPhysical({-0.51, 0, 0})));
    EXPECT_FALSE(movedBy(field, grid.indexToPhysical({0, 0, 3.6})));
    EXPECT_FALSE(movedBy(field, {NAN, 0, 0}));
}

} // namespace
} // namespace systole
