// Warps straight from control points on the device, in both variants and with all that is optional.
#include "tests/compute/lab/kernels/bspline_warp_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

namespace systole::lab {
namespace {

using test::DeviceArray;
using test::WarpCase;
using test::warpGrid;

class BsplineWarpsOnDevice : public test::OnDevice {
protected:
    std::vector<float> warped(int variant, WarpCase& c, bool withStart, bool withGradient) {
        const Size3 size = warpGrid.image;
        DeviceArray<float> points(*cuda, c.points.values), start(*cuda, c.start.values),
            moving(*cuda, c.moving.voxels), results(*cuda, 5 * size.voxels());
        BsplineWarp in = c.input(withStart);
        in.points.values = {points.data(), warpGrid.points()};
        in.moving.data = moving.data();
        if (withStart)
            in.start = {start.data(), size};
        const std::size_t n = size.voxels();
        BsplineWarped out{
            {results.data(), size}, {results.data() + n, size}, {results.data() + 2 * n, size}};
        if (!withGradient)
            out.gradient = {};
        bsplineWarpOnDevice(variant, in, out, context());
        return results.download();
    }
};

TEST_F(BsplineWarpsOnDevice, EveryVariantEqualsDoublePrecisionOnAProductOfLines) {
    for (int variant = 0; variant < bsplineWarpFamily.count(); ++variant)
        for (const bool withStart : {false, true}) {
            WarpCase c(warpGrid);
            test::expectWarp(c, withStart, warped(variant, c, withStart, true));
        }
}

TEST_F(BsplineWarpsOnDevice, WithoutGradientHaveTheSameValues) {
    const std::size_t n = warpGrid.image.voxels();
    for (int variant = 0; variant < bsplineWarpFamily.count(); ++variant)
        for (const bool withStart : {false, true}) {
            WarpCase c(warpGrid);
            const std::vector<float> all = warped(variant, c, withStart, true),
                                     some = warped(variant, c, withStart, false);
            for (std::size_t i = 0; i < 2 * n; ++i)
                ASSERT_NEAR(some[i], all[i], 2e-5) << i;
            EXPECT_TRUE(std::isnan(some.back()));
        }
}

} // namespace
} // namespace systole::lab
