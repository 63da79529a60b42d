// Extending a frame: constants stay constant, the first layer is the mean of the neighbors, blocks
// fill the rest, and nothing known changes.
#include "compute/ops/fill_unknown.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace systole {
namespace {

class FillUnknown : public testing::Test {
protected:
    /// The frame after filling; `mask` becomes what was known after the layers.
    std::vector<float> filled(Size3 size, std::vector<float> frame,
                              std::vector<std::uint8_t>& mask) {
        std::vector<std::uint8_t> next(mask.size());
        std::vector<float> scratch(fillScratch(size));
        const std::array views{VolumeView<float>(frame.data(), size)};
        fillUnknown({mask.data(), size}, {next.data(), size}, views, scratch.data(),
                    resources.context());
        return frame;
    }

    ExecResources resources{2};
};

TEST_F(FillUnknown, KeepsWhatIsKnownAndAConstantConstant) {
    for (const Size3 size :
         {Size3{17, 9, 5}, Size3{1, 1, 12}, Size3{40, 1, 1}, Size3{33, 32, 31}}) {
        std::vector<std::uint8_t> mask(size.voxels(), 0);
        std::vector<float> frame(size.voxels(), -3);
        mask[size.voxels() / 3] = 1;
        frame[size.voxels() / 3] = 41.5f;
        for (const float value : filled(size, frame, mask))
            ASSERT_EQ(value, 41.5f);
    }
}

TEST_F(FillUnknown, LayersAreMeansOfNeighborsAndTheRestOfBlocks) {
    const Size3 size{16, 1, 1};
    std::vector<std::uint8_t> mask(16, 0);
    std::vector<float> frame(16, 1000);
    mask[0] = mask[1] = mask[15] = 1;
    frame[0] = 2, frame[1] = 4, frame[15] = 10;
    const std::vector<float> out = filled(size, frame, mask);
    // Layers: 2, 3 from voxel 1; 14, 13 from voxel 15.
    const std::vector<float> layers{2, 4, 4, 4};
    EXPECT_EQ(std::vector<float>(out.begin(), out.begin() + 4), layers);
    EXPECT_EQ(std::vector<float>(out.begin() + 13, out.end()), (std::vector<float>{10, 10, 10}));
    EXPECT_EQ(mask[3], 1);
    EXPECT_EQ(mask[4], 0);
    // Voxel 12 shares a block of two with 13; 4 to 7 lie in the block of eight of 0 to 3, whose
    // halves are 3 and 4; 8 to 11 in that of 12 to 15.
    EXPECT_EQ(out[12], 10);
    for (int x = 4; x < 8; ++x)
        EXPECT_EQ(out[static_cast<std::size_t>(x)], 3.5f);
    for (int x = 8; x < 12; ++x)
        EXPECT_EQ(out[static_cast<std::size_t>(x)], 10);
}

TEST_F(FillUnknown, ALinearRampGoesOnWithinItsRange) {
    const Size3 size{24, 20, 18};
    test::TestVolume ramp(size, [](double x, double y, double z) { return 5 + x + 2 * y + z; });
    std::vector<std::uint8_t> mask(size.voxels());
    std::vector<float> frame(ramp.view().data, ramp.view().data + size.voxels());
    for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = frame[i] > 40;
    const std::vector<std::uint8_t> before = mask;
    const std::vector<float> out = filled(size, frame, mask);
    const float highest = *std::max_element(frame.begin(), frame.end());
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (before[i]) {
            ASSERT_EQ(out[i], frame[i]);
        }
        ASSERT_GT(out[i], 40);
        ASSERT_LE(out[i], highest);
    }
}

TEST_F(FillUnknown, WithoutAnythingKnownAllIsZero) {
    std::vector<std::uint8_t> mask(6 * 5 * 4, 0);
    for (const float value : filled({6, 5, 4}, std::vector<float>(6 * 5 * 4, 9), mask))
        EXPECT_EQ(value, 0);
}

} // namespace
} // namespace systole
