// The control grids of the free-form deformation's levels: where they lie, and that a coarser one's
// spline is one of the finer grid.
#include "compute/core/points.h"
#include "compute/core/voxel.h"
#include "compute/methods/ffd/control_points.h"
#include "compute/methods/ffd/levels.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/decimation.h"
#include "tests/compute/ops/bspline_field_support.h"

namespace systole {
namespace {

using test::TestField;

/// Position of a level's voxel in voxels of the finest level.
Vec3 inFinest(const FfdLevel& level, Size3 finest, Vec3 voxel) {
    Vec3 at;
    for (int axis = 0; axis < 3; ++axis) {
        const int factor = level.factor[static_cast<std::size_t>(axis)];
        at[axis] = factor * voxel[axis] + decimationShift(finest[axis], factor);
    }
    return at;
}

TEST(FfdLevels, ControlGridsHaveTheMiddleOfTheImage) {
    for (const Size3 size : {Size3{64, 61, 10}, Size3{216, 256, 10}, Size3{33, 42, 57}})
        for (const Vec3 spacing : {Vec3{1, 1, 1}, Vec3{1.5, 1.5, 10}, Vec3{1, 2.4, 3.1}}) {
            const Geometry image(size, spacing);
            for (const FfdLevel& level : ffdLevels(image, image, 3, 5).levels) {
                const Size3 n = level.grid.points();
                const Vec3 sum =
                    inFinest(level, size, level.grid.position(0, 0, 0)) +
                    inFinest(level, size, level.grid.position(n.x - 1, n.y - 1, n.z - 1));
                EXPECT_LT(length(sum - Vec3{size.x - 1.0, size.y - 1.0, size.z - 1.0}), 1e-9);
            }
        }
}

TEST(FfdLevels, LargeImagesHaveMore) {
    const auto count = [](Size3 size, Vec3 spacing, int levels) {
        const Geometry image(size, spacing);
        return ffdLevels(image, image, levels, 5).levels.size();
    };
    EXPECT_EQ(count({128, 128, 128}, {1, 1, 1}, 3), 3u);
    EXPECT_EQ(count({255, 255, 255}, {1, 1, 1}, 3), 3u);
    EXPECT_EQ(count({256, 256, 256}, {1, 1, 1}, 3), 4u);
    EXPECT_EQ(count({256, 216, 10}, {1.5, 1.5, 10}, 3), 4u);
    EXPECT_EQ(count({512, 512, 300}, {1, 1, 1}, 3), 5u);
    EXPECT_EQ(count({512, 512, 300}, {1, 1, 1}, 2), 2u);
}

TEST(FfdControlPoints, RefinementKeepsTheDisplacement) {
    for (const Size3 size : {Size3{64, 61, 10}, Size3{81, 42, 57}})
        for (const Vec3 spacing : {Vec3{1, 1, 1}, Vec3{1, 1, 4}, Vec3{1, 2.4, 3.1}}) {
            const Geometry image(size, spacing);
            const std::vector<FfdLevel> levels = ffdLevels(image, image, 3, 5).levels;
            for (std::size_t index = levels.size(); index-- > 1;) {
                const FfdLevel &from = levels[index], &to = levels[index - 1];
                const ControlGrid &coarse = from.grid, &fine = to.grid;
                TestField points(coarse.points()), finer(fine.points()), there(fine.image);
                for (std::size_t i = 0; i < points.values.size(); ++i)
                    points.values[i] = normalPair(randomBits(21, 3, i)).first;
                ExecResources resources(2);
                refine({points.view(), coarse}, from.refinement, from.image.factor,
                       {finer.view(), fine}, resources.context());
                bsplineField({finer.view(), fine}, there.view(), resources.context());
                // The coarse spline by its definition, at the fine voxels.
                const Vec3 first = inFinest(from, size, coarse.position(0, 0, 0));
                const Size3 n = coarse.points();
                for (int p = 0; p < 400; ++p) {
                    const Voxel at{p * 37 % fine.image.x, p * 11 % fine.image.y,
                                   p * 7 % fine.image.z};
                    const Vec3 place = inFinest(to, size, voxelPoint(at.x, at.y, at.z));
                    double weight[3][64];
                    for (int axis = 0; axis < 3; ++axis)
                        for (int i = 0; i < n[axis]; ++i)
                            weight[axis][i] = test::cubicSpline(
                                (place[axis] - first[axis]) /
                                    (coarse.tile[axis] *
                                     from.factor[static_cast<std::size_t>(axis)]) -
                                i);
                    for (int axis = 0; axis < 3; ++axis) {
                        double sum = 0;
                        for (int k = 0; k < n.z; ++k)
                            for (int j = 0; j < n.y; ++j)
                                for (int i = 0; i < n.x; ++i)
                                    sum += weight[0][i] * weight[1][j] * weight[2][k] *
                                           static_cast<double>(
                                               points.view().componentView(axis)(i, j, k));
                        const int factor = from.image.factor[static_cast<std::size_t>(axis)];
                        ASSERT_NEAR(there.view().componentView(axis)(at.x, at.y, at.z),
                                    factor * sum, 1e-5);
                    }
                }
            }
        }
}

} // namespace
} // namespace systole
