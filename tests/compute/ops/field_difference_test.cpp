// |a − b| of two fields against a plain loop in double.
#include "compute/core/error.h"
#include "compute/ops/field_difference.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace {

Geometry tiltedGrid(Size3 size) {
    const double c = std::cos(0.4), s = std::sin(0.4);
    return {size, {2.0, 1.5, 2.5}, {12, -40, 70}, Matrix3{{{-c, 0, -s}, {-s, 0, c}, {0, 1, 0}}}};
}

class FieldDifferences : public testing::TestWithParam<Size3> {
protected:
    VectorField noise(const Geometry& geometry, std::uint64_t seed, double scale) {
        VectorField field(geometry, resources_.pool(), "field");
        for (std::size_t i = 0; i < field.components.size(); ++i)
            field.components.data()[i] =
                static_cast<float>(scale * normalPair(randomBits(seed, 3, i)).first);
        return field;
    }
    ExecResources resources_{3};
};
INSTANTIATE_TEST_SUITE_P(Sizes, FieldDifferences,
                         testing::Values(Size3{33, 18, 7}, Size3{1, 9, 20}, Size3{67, 1, 5},
                                         Size3{40, 31, 1}, Size3{1, 1, 1}));

TEST_P(FieldDifferences, EqualsThePlainLoop) {
    const Geometry geometry = tiltedGrid(GetParam());
    const Size3 size = geometry.size();
    const VectorField a = noise(geometry, 1, 2), b = noise(geometry, 2, 1);
    Volume map(geometry, resources_.pool(), "difference");
    const FieldDifference found = fieldDifference(a, b, map.view(), resources_.context());

    double sum = 0, sumVoxels = 0, maximum = -1, maximumVoxels = 0;
    Vec3 at;
    std::vector<double> all;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                Vec3 d;
                for (int axis = 0; axis < 3; ++axis)
                    d[axis] = static_cast<double>(a.view().componentView(axis)(x, y, z)) -
                              static_cast<double>(b.view().componentView(axis)(x, y, z));
                const double distance = length(geometry.voxelVectorToPhysical(d));
                ASSERT_NEAR(map.view()(x, y, z), distance, 1e-5 * (1 + distance));
                sum += distance;
                sumVoxels += length(d);
                maximumVoxels = std::max(maximumVoxels, length(d));
                all.push_back(distance);
                if (distance > maximum) {
                    maximum = distance;
                    at = geometry.indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                }
            }
    const auto voxels = static_cast<double>(size.voxels());
    EXPECT_NEAR(found.mean, sum / voxels, 1e-5 * found.mean);
    EXPECT_NEAR(found.meanVoxels, sumVoxels / voxels, 1e-5 * found.meanVoxels);
    EXPECT_NEAR(found.maximum, maximum, 1e-5 * maximum);
    EXPECT_NEAR(found.maximumVoxels, maximumVoxels, 1e-5 * maximumVoxels);
    EXPECT_NEAR(length(found.maximumAt - at), 0, 1e-9);
    std::sort(all.begin(), all.end());
    const auto rank = static_cast<std::size_t>(0.99 * (voxels - 1));
    EXPECT_NEAR(found.quantile99, all[rank], 1e-5 * all[rank]);
    EXPECT_FALSE(countAsEqual(found));
}

TEST_P(FieldDifferences, IsTheSameForAnyNumberOfThreads) {
    const Geometry geometry = tiltedGrid(GetParam());
    const VectorField a = noise(geometry, 1, 2), b = noise(geometry, 2, 1);
    ExecResources one(1);
    Volume map(geometry, one.pool(), "difference"), again(geometry, one.pool(), "difference");
    const FieldDifference first = fieldDifference(a, b, map.view(), one.context());
    const FieldDifference second = fieldDifference(a, b, again.view(), resources_.context());
    EXPECT_EQ(first.mean, second.mean);
    EXPECT_EQ(first.maximum, second.maximum);
    EXPECT_EQ(first.maximumIndex, second.maximumIndex);
}

TEST_P(FieldDifferences, OneVoxelThatDiffersIsFoundAndNoneIsZero) {
    const Geometry geometry = tiltedGrid(GetParam());
    const Size3 size = geometry.size();
    const VectorField a = noise(geometry, 5, 1);
    VectorField b = noise(geometry, 5, 1);
    Volume map(geometry, resources_.pool(), "difference");
    const FieldDifference none = fieldDifference(a, b, map.view(), resources_.context());
    EXPECT_EQ(none.maximum, 0);
    EXPECT_EQ(none.mean, 0);
    EXPECT_EQ(none.quantile99, 0);
    EXPECT_TRUE(countAsEqual(none));
    const std::array<int, 3> index{size.x / 2, size.y / 2, size.z / 2};
    b.view().componentView(1)(index[0], index[1], index[2]) += 0.04f;
    const FieldDifference one = fieldDifference(a, b, map.view(), resources_.context());
    EXPECT_EQ(one.maximumIndex, index);
    EXPECT_NEAR(one.maximumVoxels, 0.04, 1e-6);
    EXPECT_NEAR(one.maximum, 0.04 * 1.5, 2e-6);
    // Small enough anywhere; on average only where there are many voxels.
    EXPECT_EQ(countAsEqual(one), size.voxels() > 40);
}

TEST(FieldComparison, FieldsOfTwoGridsAreRefused) {
    ExecResources resources(1);
    const VectorField a(tiltedGrid({4, 4, 4}), resources.pool(), "field");
    const VectorField b(Geometry({4, 4, 4}, {1, 1, 1}), resources.pool(), "field");
    Volume map(a.geometry, resources.pool(), "difference");
    EXPECT_THROW(fieldDifference(a, b, map.view(), resources.context()), ComputeError);
}

} // namespace
} // namespace systole
