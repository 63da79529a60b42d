// The lungs found in an image against those of the phantom.
#include "compute/core/error.h"
#include "compute/surface/lungs.h"
#include "io/phantom/lungs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

class FoundLungs : public ::testing::Test {
protected:
    FoundLungs() {
        options_.grid = Geometry({96, 96, 60}, {2.6, 2.6, 4});
        options_.frames = 2;
        options_.keepsMass = true;
    }
    Volume image(int frame) {
        Volume volume(options_.grid, *ctx.pool, "chest");
        LungPhantom(options_).image(frame, volume.view(), ctx);
        return volume;
    }
    /// Dice of the mask and the phantom's lungs.
    double overlap(const Volume& mask, int frame) {
        const std::vector<std::uint8_t> lungs = LungPhantom(options_).lungs(frame, ctx);
        double both = 0, sum = 0;
        for (std::size_t i = 0; i < lungs.size(); ++i) {
            const bool found = mask.view().data[i] > 0.5f;
            both += found && lungs[i];
            sum += found + lungs[i];
        }
        return 2 * both / sum;
    }

    LungOptions options_;
    ExecResources resources{2};
    ExecContext ctx = resources.context();
};

TEST_F(FoundLungs, AreThePhantomsWithTheirVessels) {
    options_.noiseHounsfield = 80;
    for (const int frame : {0, 1})
        EXPECT_GT(overlap(findLungs(image(frame), ctx), frame), 0.98) << frame;
}

TEST_F(FoundLungs, NeitherOffsetNorPaddingNorAirInTheBellyMatters) {
    Volume chest = image(0);
    const VolumeView<float> voxels = chest.view();
    const Size3 size = voxels.size;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                float& value = voxels(x, y, z);
                value += 1024;
                const double side = std::hypot(x - size.x / 2.0, y - size.y / 2.0);
                if (side > 0.49 * size.x)
                    value = -2000; // beyond the field of view
                if (std::hypot(x - size.x / 2.0, y - size.y / 2.0, z - 6.0) < 4)
                    value = 30; // a bubble of air
            }
    const Volume mask = findLungs(chest, ctx);
    EXPECT_GT(overlap(mask, 0), 0.98);
    EXPECT_EQ(mask.view()(size.x / 2, size.y / 2, 6), 0);
}

TEST_F(FoundLungs, AreTheSameForAnyNumberOfThreads) {
    ExecResources one{1};
    const Volume chest = image(1), a = findLungs(chest, ctx), b = findLungs(chest, one.context());
    EXPECT_TRUE(std::ranges::equal(a.view().span(), b.view().span()));
}

TEST_F(FoundLungs, ImagesWithoutLungsAreRefused) {
    Volume block(options_.grid, *ctx.pool, "block");
    std::ranges::fill(block.view().span(), 40.0f);
    EXPECT_THROW(findLungs(block, ctx), ComputeError);
    block.view()(48, 48, 30) = -900; // one dark voxel
    block.view()(0, 0, 0) = -1000;
    EXPECT_THROW(findLungs(block, ctx), ComputeError);
}

} // namespace
} // namespace systole
