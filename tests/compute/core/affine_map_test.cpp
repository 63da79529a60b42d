#include "compute/core/affine_map.h"
#include "compute/core/control_grid.h"

#include <gtest/gtest.h>

#include <limits>

namespace systole {
namespace {

const AffineMap sheared{{{{1.1, 0.2, -0.1}, {-0.3, 0.9, 0.05}, {0.02, -0.15, 1.3}}}, {4, -7, 11}};

TEST(AffineMap, TheInverseUndoesIt) {
    const auto inverse = sheared.inverse();
    ASSERT_TRUE(inverse);
    const Vec3 point{3, 5, -8};
    EXPECT_NEAR(length((*inverse)(sheared(point)) - point), 0, 1e-12);
    EXPECT_NEAR(length(sheared((*inverse)(point)) - point), 0, 1e-12);
    EXPECT_NEAR(determinant(sheared.matrix) * determinant(inverse->matrix), 1, 1e-12);
}

TEST(AffineMap, CompositionAppliesTheSecondFirst) {
    const AffineMap turn{{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}, {1, 2, 3}};
    const Vec3 point{-2, 0.5, 9};
    EXPECT_NEAR(length(compose(turn, sheared)(point) - turn(sheared(point))), 0, 1e-12);
}

TEST(AffineMap, AMapWithoutAnInverseSaysSo) {
    EXPECT_FALSE((AffineMap{{{{1, 2, 3}, {2, 4, 6}, {0, 0, 1}}}, {}}.inverse()));
    AffineMap broken;
    broken.matrix[1][1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(broken.inverse());
}

TEST(ControlGrid, EveryVoxelHasItsFourPointsPerAxis) {
    for (int tile = 1; tile <= 7; ++tile)
        for (int n = 1; n <= 40; ++n) {
            const ControlGrid grid{{n, n, n}, {tile, tile, tile}};
            const int lastTile = (n - 1) / tile;
            EXPECT_EQ(grid.points().x, lastTile + 4);
            EXPECT_EQ(grid.position(0, 1, lastTile + 1).x, -tile);
            EXPECT_EQ(grid.position(0, 1, lastTile + 1).y, 0);
            EXPECT_LE(grid.position(0, 1, lastTile + 1).z, n - 1);
        }
}

TEST(ControlGrid, AroundTheImagesMiddleItIsTheSameFromBothSides) {
    for (int tile = 1; tile <= 7; ++tile)
        for (int n = 1; n <= 40; ++n)
            for (const int multiple : {1, 2}) {
                const ControlGrid grid = ControlGrid::centered({n, n, n}, {tile, tile, tile},
                                                               {multiple, multiple, multiple});
                const ControlAxis axis = grid.axis(0);
                EXPECT_EQ(axis.tiles() % multiple, 0);
                EXPECT_GE(axis.tiles() * tile, n);
                EXPECT_LT((axis.tiles() - multiple) * tile, n);
                const int last = grid.points().x - 1;
                EXPECT_DOUBLE_EQ(grid.position(last, 0, 0).x, n - 1 - grid.position(0, 0, 0).x);
                for (int voxel = 0; voxel < n; ++voxel) {
                    const int of = axis.tileOf(voxel);
                    EXPECT_GE(voxel, axis.begin(of));
                    EXPECT_LT(voxel, axis.begin(of + 1));
                    EXPECT_DOUBLE_EQ(grid.position(of + 1, 0, 0).x +
                                         tile * axis.partOfTile(axis.placeInTile(voxel)),
                                     voxel);
                }
            }
}

} // namespace
} // namespace systole
