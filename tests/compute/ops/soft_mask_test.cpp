#include "compute/ops/soft_mask.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

TEST(SoftMask, FadesOverHalfAVoxelToEitherSide) {
    test::TestVolume labels({6, 5, 4}, [](double x, double, double) { return x < 3 ? 2 : 1; });
    test::TestVolume mask({6, 5, 4}, [](double, double, double) { return 9; });
    ExecResources resources(2);
    softMask(labels.view(), 2, mask.view(), resources.context());
    const float expected[] = {1, 1, 0.875f, 0.125f, 0, 0};
    for (int z = 0; z < 4; ++z)
        for (int y = 0; y < 5; ++y)
            for (int x = 0; x < 6; ++x)
                EXPECT_FLOAT_EQ(mask.view()(x, y, z), expected[x]) << x;
}

TEST(SoftMask, KeepsTheVolume) {
    test::TestVolume labels({7, 8, 9}, [](double x, double y, double z) {
        return x > 0 && x < 5 && y > 1 && y < 6 && z > 2 && z < 7 && x + y + z > 8 ? 3 : 0;
    });
    test::TestVolume mask({7, 8, 9}, [](double, double, double) { return 0; });
    ExecResources resources(2);
    softMask(labels.view(), 3, mask.view(), resources.context());
    double voxels = 0, sum = 0;
    for (int z = 0; z < 9; ++z)
        for (int y = 0; y < 8; ++y)
            for (int x = 0; x < 7; ++x) {
                voxels += labels.view()(x, y, z) == 3;
                sum += mask.view()(x, y, z);
            }
    EXPECT_GT(voxels, 10);
    EXPECT_NEAR(sum, voxels, 1e-4);
}

} // namespace
} // namespace systole
