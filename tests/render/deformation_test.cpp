// Jacobian and strain of fields whose derivatives are known.
#include "compute/core/affine_map.h"
#include "render/deformation.h"
#include "tests/support/linear_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Rotation about the first axis, then about the third.
Matrix3 rotation(double first, double third) {
    const double a = std::cos(first), b = std::sin(first), c = std::cos(third), d = std::sin(third);
    return product({{{c, -d, 0}, {d, c, 0}, {0, 0, 1}}}, {{{1, 0, 0}, {0, a, -b}, {0, b, a}}});
}
Matrix3 withoutIdentity(Matrix3 m) {
    for (std::size_t i = 0; i < 3; ++i)
        m[i][i] -= 1;
    return m;
}

class DeformationTest : public testing::Test {
protected:
    float valueInTheMiddle(const VectorField& field, Deformation quantity) {
        const std::vector<float> map = deformationMap(field, quantity, resources_.context());
        const Size3 size = grid_.size();
        return map[field.view().componentView(0).offset(size.x / 2, size.y / 2, size.z / 2)];
    }
    /// Anisotropic, its axes turned.
    const Geometry grid_{{14, 12, 10}, {1.5, 2, 2.5}, {10, -20, 5}, rotation(0.4, 1.1)};
    ExecResources resources_{2};
};

/// F = R Q diag(stretches) Qᵀ has det F = their product and the strains (stretch² − 1) / 2, however
/// the tissue turns and the grid lies.
TEST_F(DeformationTest, StretchesOfAnyDirectionAreFoundExactly) {
    const Matrix3 q = rotation(0.7, -0.5), r = rotation(-1.2, 0.9);
    const Matrix3 stretches{{{1.3, 0, 0}, {0, 0.8, 0}, {0, 0, 1.05}}};
    const Matrix3 f = product(r, product(q, product(stretches, transposed(q))));
    const VectorField field = linearField(grid_, withoutIdentity(f), resources_.pool());
    const double jacobian = 1.3 * 0.8 * 1.05;
    EXPECT_NEAR(valueInTheMiddle(field, Deformation::Jacobian), std::log(jacobian), 1e-5);
    EXPECT_NEAR(valueInTheMiddle(field, Deformation::LogJacobian), std::log(jacobian), 1e-5);
    EXPECT_NEAR(valueInTheMiddle(field, Deformation::LargestStrain), (1.3 * 1.3 - 1) / 2, 1e-5);
    EXPECT_NEAR(valueInTheMiddle(field, Deformation::SmallestStrain), (0.8 * 0.8 - 1) / 2, 1e-5);
    // One-sided differences at the border find a linear field, too.
    for (const Deformation quantity : deformations) {
        const std::vector<float> map = deformationMap(field, quantity, resources_.context());
        const auto [low, high] = std::ranges::minmax(map);
        EXPECT_NEAR(low, high, 2e-5) << name(quantity);
    }
}

TEST_F(DeformationTest, ATurnIsNoStrain) {
    const VectorField field =
        linearField(grid_, withoutIdentity(rotation(0.6, 0.3)), resources_.pool());
    for (const Deformation quantity : deformations)
        EXPECT_NEAR(valueInTheMiddle(field, quantity), 0, 1e-5) << name(quantity);
}

TEST_F(DeformationTest, BetweenVoxelsTheGradientIsThatOfTheVoxelsAround) {
    const Matrix3 gradient{{{0.1, 0.05, 0}, {-0.1, 0.2, 0}, {0, 0.03, -0.05}}};
    const VectorField field = linearField(grid_, gradient, resources_.pool());
    const Matrix3 there = indexGradientAt(field.view(), Vec3{4.3, 5.8, 2.1});
    const Matrix3 voxel = indexGradientAt(field.view(), 4, 5, 2);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            EXPECT_NEAR(there[i][j], voxel[i][j], 1e-5);
    EXPECT_NEAR(determinant(there), (1.1 * 1.2 + 0.1 * 0.05) * 0.95, 1e-5);
}

TEST_F(DeformationTest, FoldedTissueIsTheSmallestVolumeThatIsShown) {
    const VectorField folded =
        linearField(grid_, {{{-1.5, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, resources_.pool());
    EXPECT_NEAR(valueInTheMiddle(folded, Deformation::Jacobian), std::log(1e-3), 1e-6);
}

TEST_F(DeformationTest, ThreadsChangeNoBit) {
    const VectorField field =
        linearField(grid_, {{{0.1, 0.05, 0}, {-0.1, 0.2, 0}, {0, 0.03, -0.05}}}, resources_.pool());
    ExecResources one{1};
    for (const Deformation quantity : deformations)
        EXPECT_EQ(deformationMap(field, quantity, one.context()),
                  deformationMap(field, quantity, resources_.context()));
}

} // namespace
} // namespace systole
