// Trilinear values at arbitrary positions against a loop in double precision.
#include "compute/core/error.h"
#include "compute/lab/kernels/interpolate.h"
#include "tests/compute/lab/kernels/interpolate_support.h"

#include <limits>

namespace systole::lab {
namespace {

class Interpolate : public testing::TestWithParam<Backend> {
protected:
    std::vector<float> values(test::TestVolume& volume, test::TestField& positions) {
        std::vector<float> out(positions.size.voxels(), -1);
        ExecContext ctx = resources.context();
        ctx.backend = GetParam();
        interpolate(volume.view(), positions.view(), {out.data(), positions.size}, ctx);
        return out;
    }
    ExecResources resources{2};
};

TEST_P(Interpolate, EqualsALoopInDoublePrecision) {
    test::TestVolume volume = test::noiseVolume({19, 11, 7}, 5);
    test::TestField positions = test::randomPositions({23, 9, 8}, volume.size, 3);
    const std::vector<float> found = values(volume, positions);
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(static_cast<double>(found[i]),
                    test::trilinear(volume, test::positionAt(positions, i)).value, 3e-6)
            << i;
}

/// Interpolation of a product of three lines in x, y and z loses nothing.
TEST_P(Interpolate, ProductsOfLinesAreExact) {
    const auto product = [](double x, double y, double z) {
        return (1 + 0.5 * x) * (2 - 0.25 * y) * (3 + z);
    };
    test::TestVolume volume({9, 6, 5}, product);
    test::TestField positions(Size3{3, 1, 1});
    const float at[3][3] = {{0.25f, 1.5f, 3.75f}, {7.5f, 4.75f, 0.5f}, {3, 2, 1}};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            positions.values[3 * axis + i] = at[i][axis];
    const std::vector<float> found = values(volume, positions);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_FLOAT_EQ(found[i], static_cast<float>(product(static_cast<double>(at[i][0]),
                                                             static_cast<double>(at[i][1]),
                                                             static_cast<double>(at[i][2]))));
}

TEST_P(Interpolate, PositionsOutsideGiveTheBorderAndNoNumberGivesTheFirst) {
    test::TestVolume volume({4, 3, 2},
                            [](double x, double y, double z) { return x + 10 * y + 100 * z; });
    test::TestField positions(Size3{4, 1, 1});
    const float infinite = std::numeric_limits<float>::infinity();
    const float nothing = std::numeric_limits<float>::quiet_NaN();
    const float at[4][3] = {
        {-5, 1, 1}, {infinite, 1e30f, 7}, {nothing, nothing, nothing}, {3, 2, 1}};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            positions.values[4 * axis + i] = at[i][axis];
    EXPECT_EQ(values(volume, positions), (std::vector<float>{110, 123, 0, 123}));
}

TEST_P(Interpolate, VolumesOneVoxelThick) {
    test::TestVolume volume({5, 1, 1}, [](double x, double, double) { return 2 * x; });
    test::TestField positions(Size3{1, 1, 2});
    positions.values = {1.25f, 3.5f, 0.7f, -2, 9, 0};
    EXPECT_EQ(values(volume, positions), (std::vector<float>{2.5f, 7}));
}

INSTANTIATE_TEST_SUITE_P(Forms, Interpolate, testing::Values(Backend::CpuReference, Backend::Cpu),
                         [](const auto& form) {
                             return std::string(form.param == Backend::Cpu ? "Vectors" : "Plain");
                         });

TEST(InterpolateRefuses, OtherSizesAndNothing) {
    ExecResources resources(1);
    test::TestVolume volume({3, 3, 3}, [](double, double, double) { return 0; });
    test::TestField positions(Size3{2, 2, 2});
    std::vector<float> out(27);
    const ExecContext ctx = resources.context();
    EXPECT_THROW(interpolate(volume.view(), positions.view(), {out.data(), {3, 3, 3}}, ctx),
                 ComputeError);
    EXPECT_THROW(interpolate({}, positions.view(), {out.data(), {2, 2, 2}}, ctx), ComputeError);
}

} // namespace
} // namespace systole::lab
