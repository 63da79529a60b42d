// Lengths of displacements where a weight says so.
#include "app/features/motion/length_statistics.h"
#include "compute/core/exec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace {

TEST(LengthStatistics, AreOfTheVoxelsWithWeightAndNoneWithoutAny) {
    ExecResources resources(1);
    const Size3 size{4, 3, 2};
    MillimeterField field{Geometry(size, {1, 1, 1}),
                          resources.pool().acquire<float>(3 * size.voxels(), "field")};
    std::ranges::fill(field.vectors.span(), 0.0f);
    field.vectors.data()[3] = 3;
    field.vectors.data()[4] = 4;
    std::vector<float> weight(size.voxels());
    const VolumeView<const float> view(weight.data(), size);
    EXPECT_FALSE(lengthStatistics(field, view)) << "as of a label too thin for its soft weight";
    weight[0] = 0.5f;
    weight[1] = 1;
    const auto found = lengthStatistics(field, view);
    ASSERT_TRUE(found);
    EXPECT_DOUBLE_EQ(found->mean, 2.5);
    EXPECT_DOUBLE_EQ(found->maximum, 5);
    EXPECT_TRUE(lengthStatistics(field, {}));
}

} // namespace
} // namespace systole
