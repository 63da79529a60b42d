// Maps carried along by a motion, against motions in closed form.
#include "compute/ops/carried_map.h"

#include <gtest/gtest.h>

#include <vector>

namespace systole {
namespace {

class CarriedMap : public ::testing::Test {
protected:
    template <typename At>
    void fill(VolumeView<float> out, const At& at) {
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    out(x, y, z) = static_cast<float>(at(x, y, z));
    }
    std::vector<float> carried(const VoxelBox& box, int threads = 2) {
        ExecResources resources(threads);
        std::vector<float> out(size.voxels(), -1);
        carryMap({motion.data(), size}, {map.data(), size}, box, {out.data(), size},
                 resources.context());
        return out;
    }
    const Size3 size{24, 20, 16};
    std::vector<float> motion = std::vector<float>(3 * size.voxels());
    std::vector<float> map = std::vector<float>(size.voxels());
};

/// x grows by a fifth about the middle, y shrinks, z shifts: each place is where it came from.
TEST_F(CarriedMap, HasTheValueThatTheTissueHadWhereItWas) {
    const FieldView<float> field(motion.data(), size);
    fill(field.componentView(0), [](int x, int, int) { return 0.2 * (x - 12); });
    fill(field.componentView(1), [](int, int y, int) { return -0.3 * (y - 10); });
    fill(field.componentView(2), [](int, int, int) { return 1.5; });
    fill({map.data(), size}, [](int x, int y, int z) { return 3 * x - 2 * y + z; });
    const std::vector<float> out = carried(VoxelBox::whole(size));
    for (int z = 3; z < 13; ++z)
        for (int y = 5; y < 15; ++y)
            for (int x = 3; x < 21; ++x) {
                const double fromX = 12 + (x - 12) / 1.2, fromY = 10 + (y - 10) / 0.7;
                EXPECT_NEAR(VolumeView<const float>(out.data(), size)(x, y, z),
                            3 * fromX - 2 * fromY + z - 1.5, 0.05);
            }
}

TEST_F(CarriedMap, IsWholeInItsBoxAndZeroOutside) {
    fill({map.data(), size}, [](int, int, int) { return 7; });
    const VoxelBox box{3, 4, 5, {6, 7, 8}};
    const std::vector<float> out = carried(box);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                EXPECT_EQ(VolumeView<const float>(out.data(), size)(x, y, z),
                          box.contains({x, y, z, {1, 1, 1}}) ? 7 : 0);
    EXPECT_EQ(out, carried(box, 1));
}

} // namespace
} // namespace systole
