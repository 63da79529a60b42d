// Pictures of two images on the device against the CPU's.
#include "tests/compute/ops/image_comparison_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

namespace systole {
namespace {

using test::ComparisonCase;
using test::DeviceArray;

class ImageComparisonOnDevice : public test::OnDevice {};

TEST_F(ImageComparisonOnDevice, EqualsTheCpuInEveryViewAndBox) {
    const Size3 size{37, 26, 19};
    for (const ComparisonView view : test::comparisonViews)
        for (const VoxelBox& box : {VoxelBox::whole(size), VoxelBox{0, 0, 9, {37, 26, 2}},
                                    VoxelBox{36, 0, 0, {1, 26, 19}}}) {
            const ComparisonCase c(box.grown(size));
            std::vector<float> expected(box.voxels());
            drawComparison(view, c.comparison(), box, expected.data(), resources.context());
            DeviceArray<float> fixed(*cuda, c.fixed), moving(*cuda, c.moving),
                field(*cuda, c.field), out(*cuda, box.voxels());
            Comparison onDevice = c.comparison();
            onDevice.fixed.data = fixed.data();
            onDevice.moving.data = moving.data();
            onDevice.field = FieldView<const float>(field.data(), c.fieldBox.size);
            drawComparisonOnDevice(view, onDevice, box, out.data(), context());
            const std::vector<float> drawn = out.download();
            for (std::size_t i = 0; i < drawn.size(); ++i)
                ASSERT_NEAR(drawn[i], expected[i], 1e-4) << static_cast<int>(view) << ' ' << i;
        }
}

} // namespace
} // namespace systole
