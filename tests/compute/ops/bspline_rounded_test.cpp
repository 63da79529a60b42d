// The model of a texture unit's 8-bit weights: against exact fields, and against the mean error
// that was measured on an H200.
#include "compute/core/error.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/bspline_rounded.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

class RoundedSpline : public testing::Test {
protected:
    /// Mean absolute difference from the exact field of points within ±amplitude.
    double meanError(const ControlGrid& grid, float amplitude) {
        test::TestField points(grid.points()), exact(grid.image), rounded(grid.image);
        for (std::size_t i = 0; i < points.values.size(); ++i) {
            const auto bits = static_cast<std::uint32_t>(randomBits(9, 1, i));
            points.values[i] = amplitude * (2 * uniformFloat(bits) - 1);
        }
        bsplineField({points.view(), grid}, exact.view(), resources.context());
        roundedBsplineField({points.view(), grid}, rounded.view(), resources.context());
        double sum = 0;
        for (std::size_t i = 0; i < exact.values.size(); ++i)
            sum += std::abs(static_cast<double>(exact.values[i] - rounded.values[i]));
        return sum / static_cast<double>(exact.values.size());
    }
    ExecResources resources{2};
};

TEST_F(RoundedSpline, AddsUpToOne) {
    const ControlGrid grid = ControlGrid::centered({23, 17, 11}, {5, 4, 3});
    test::TestField points(grid.points()), field(grid.image);
    std::fill(points.values.begin(), points.values.end(), 7.0f);
    roundedBsplineField({points.view(), grid}, field.view(), resources.context());
    for (const float value : field.values)
        EXPECT_NEAR(value, 7, 1e-5);
}

/// `systole bench bspline` on an H200: texture-filter 8917e-6 voxel for points within ±10, the mean
/// over tiles of 3³ to 7³.
TEST_F(RoundedSpline, ErrsAsMuchAsATextureUnit) {
    double mean = 0;
    for (const int tile : {3, 4, 5, 6, 7})
        mean += meanError({{128, 57, 96}, {tile, tile, tile}}, 10) / 5;
    EXPECT_NEAR(mean, 8917e-6, 0.15 * 8917e-6);
    const ControlGrid centered = ControlGrid::centered({128, 57, 96}, {5, 5, 5});
    EXPECT_NEAR(meanError(centered, 10), mean, 0.15 * mean);
}

TEST_F(RoundedSpline, RefusesWhatTheExactFieldRefuses) {
    const ControlGrid grid{{8, 8, 8}, {5, 5, 5}};
    test::TestField points(grid.points()), field({9, 8, 8});
    EXPECT_THROW(roundedBsplineField({points.view(), grid}, field.view(), resources.context()),
                 ComputeError);
}

} // namespace
} // namespace systole
