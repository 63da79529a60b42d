// Pictures of two images: the implementations for the CPU against each other, boxes against the
// whole, and parts of a B-spline's field against the field.
#include "compute/core/error.h"
#include "compute/ops/bspline_box.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/image_comparison_math.h"
#include "compute/ops/jacobian.h"
#include "tests/compute/ops/image_comparison_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using test::ComparisonCase;

class ImageComparison : public testing::TestWithParam<ComparisonView> {
protected:
    std::vector<float> drawn(const Comparison& comparison, const VoxelBox& box, int threads = 3) {
        ExecResources resources(threads);
        std::vector<float> out(box.voxels(), NAN);
        drawComparison(GetParam(), comparison, box, out.data(), resources.context());
        return out;
    }
    std::vector<float> drawnVoxelByVoxel(const Comparison& c, Size3 size) {
        std::vector<float> out(size.voxels());
        const VolumeView<float> picture(out.data(), size);
        comparison::withView(GetParam(), [&]<ComparisonView view>() {
            for (int z = 0; z < size.z; ++z)
                for (int y = 0; y < size.y; ++y)
                    for (int x = 0; x < size.x; ++x)
                        picture(x, y, z) = comparison::valueAt<view>(c, x, y, z);
        });
        return out;
    }
};

TEST_P(ImageComparison, RowsEqualThePlainLoop) {
    const VoxelBox whole = VoxelBox::whole({37, 26, 19});
    const ComparisonCase c(whole);
    const std::vector<float> rows = drawn(c.comparison(), whole),
                             plain = drawnVoxelByVoxel(c.comparison(), whole.size);
    for (std::size_t i = 0; i < rows.size(); ++i)
        ASSERT_NEAR(rows[i], plain[i], 2e-5) << i;
    EXPECT_EQ(rows, drawn(c.comparison(), whole, 1)) << "one thread";
}

TEST_P(ImageComparison, ABoxIsAPartOfTheWhole) {
    const Size3 size{37, 26, 19};
    const VoxelBox whole = VoxelBox::whole(size);
    const std::vector<float> all = drawn(ComparisonCase(whole).comparison(), whole);
    const VolumeView<const float> expected(all.data(), size);
    for (const VoxelBox& box : {VoxelBox{0, 0, 9, {37, 26, 2}}, VoxelBox{36, 0, 0, {1, 26, 19}},
                                VoxelBox{5, 11, 0, {20, 1, 7}}}) {
        const ComparisonCase c(box.grown(size));
        const std::vector<float> part = drawn(c.comparison(), box);
        const VolumeView<const float> seen(part.data(), box.size);
        for (int z = 0; z < box.size.z; ++z)
            for (int y = 0; y < box.size.y; ++y)
                for (int x = 0; x < box.size.x; ++x)
                    ASSERT_NEAR(seen(x, y, z), expected(box.x + x, box.y + y, box.z + z), 2e-5);
    }
}

TEST_P(ImageComparison, RefusesAFieldOfOtherVoxels) {
    const ComparisonCase c(VoxelBox{0, 0, 9, {37, 26, 2}});
    const auto draw = [&] { drawn(c.comparison(), {0, 0, 3, {37, 26, 1}}); };
    if (GetParam() == ComparisonView::Fixed)
        EXPECT_NO_THROW(draw());
    else
        EXPECT_THROW(draw(), ComputeError);
}

INSTANTIATE_TEST_SUITE_P(Views, ImageComparison, testing::ValuesIn(test::comparisonViews));

TEST(ImageComparisonJacobian, IsTheDeterminantInTheMiddleOfTheGrayRange) {
    const VoxelBox whole = VoxelBox::whole({37, 26, 19});
    const ComparisonCase c(whole);
    ExecResources resources(2);
    std::vector<float> picture(whole.voxels()), determinants(whole.voxels());
    drawComparison(ComparisonView::Jacobian, c.comparison(), whole, picture.data(),
                   resources.context());
    jacobianMap(c.comparison().field, {determinants.data(), whole.size}, resources.context());
    for (std::size_t i = 0; i < picture.size(); ++i)
        ASSERT_NEAR(picture[i], std::clamp(-0.5f + determinants[i], -0.5f, 1.5f), 1e-5);
    // An octave each way from the middle; folded voxels are at the lower end.
    drawComparison(ComparisonView::LogJacobian, c.comparison(), whole, picture.data(),
                   resources.context());
    for (std::size_t i = 0; i < picture.size(); ++i)
        ASSERT_NEAR(picture[i], 0.5f + std::log2(std::clamp(determinants[i], 0.5f, 2.0f)), 1e-4);
}

TEST(BsplineBox, IsAPartOfTheField) {
    const Size3 image{41, 33, 17};
    for (const ControlGrid& grid :
         {ControlGrid{image, {5, 5, 5}}, ControlGrid{image, {3, 7, 4}},
          ControlGrid{image, {64, 64, 64}}, ControlGrid::centered(image, {5, 6, 4}, {2, 1, 1})}) {
        std::vector<float> values(3 * grid.points().voxels()), all(3 * grid.image.voxels());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i * 71 % 127) / 40;
        const ControlPointsView<const float> points{
            FieldView<const float>(values.data(), grid.points()), grid};
        const FieldView<float> field(all.data(), grid.image);
        ExecResources resources(2);
        bsplineField(points, field, resources.context());
        for (const VoxelBox& box :
             {VoxelBox{0, 0, 16, {41, 33, 1}}, VoxelBox{40, 0, 0, {1, 33, 17}},
              VoxelBox{7, 13, 2, {19, 2, 11}}, VoxelBox::whole(grid.image)}) {
            std::vector<float> part(3 * box.voxels());
            const FieldView<float> seen(part.data(), box.size);
            bsplineFieldInBox(points, box, seen, resources.context());
            for (int axis = 0; axis < 3; ++axis)
                for (int z = 0; z < box.size.z; ++z)
                    for (int y = 0; y < box.size.y; ++y)
                        for (int x = 0; x < box.size.x; ++x)
                            ASSERT_NEAR(seen.componentView(axis)(x, y, z),
                                        field.componentView(axis)(box.x + x, box.y + y, box.z + z),
                                        2e-5);
        }
        EXPECT_THROW(bsplineFieldInBox(points, {0, 0, 17, {41, 33, 1}},
                                       FieldView<float>(all.data(), {41, 33, 1}),
                                       resources.context()),
                     ComputeError);
    }
}

} // namespace
} // namespace systole
