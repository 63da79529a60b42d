// The values that color a surface, from fields whose derivatives are known.
#include "compute/core/exec.h"
#include "render/overlays/surface_colors.h"
#include "tests/support/linear_field.h"
#include "tests/support/sphere_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace systole {
namespace {

class SurfaceColors : public testing::Test {
protected:
    VectorField linear(const Matrix3& m) { return linearField(grid_, m, resources_.pool()); }
    const Geometry grid_{
        {30, 24, 20}, {1.5, 2, 2.5}, {10, -20, 5}, {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}};
    const TriangleMesh sphere_ = sphereMesh(grid_.center(), 12, 8);
    ExecResources resources_{1};
};

TEST_F(SurfaceColors, DisplacementIsAPartOfTheMaximum) {
    const VectorField growth = linear({{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}});
    for (const float part : displacementParts(sphere_, growth, 4.8))
        EXPECT_NEAR(part, 0.1 * 12 / 4.8, 1e-4);
    for (const float part : displacementParts(sphere_, growth, 0.5))
        EXPECT_EQ(part, 1);
}

TEST_F(SurfaceColors, TheJacobianIsTheDeterminant) {
    const Matrix3 gradient{{{0.1, 0.05, 0}, {-0.1, 0.2, 0}, {0, 0.03, -0.05}}};
    const double jacobian = (1.1 * 1.2 + 0.1 * 0.05) * 0.95;
    for (const float part : deformationParts(sphere_, linear(gradient), Deformation::Jacobian, 2))
        EXPECT_NEAR(part, 0.5 - 0.5 * std::log(jacobian) / std::log(2.0), 1e-4);
    for (const Deformation quantity : deformations)
        for (const float part :
             deformationParts(sphere_, linear({{{-1.5, 0, 0}, {0, 0, 0}, {0, 0, 0}}}), quantity, 2))
            EXPECT_LT(part, 0) << "folded";
}

TEST_F(SurfaceColors, WhatLiesOutsideTheGridIsUnknown) {
    const VectorField none = linear({});
    const TriangleMesh outside = sphereMesh(grid_.center() + Vec3{500, 0, 0}, 12, 8);
    for (const float part : displacementParts(outside, none, 1))
        EXPECT_LT(part, 0);
    for (const float part : deformationParts(outside, none, Deformation::LargestStrain, 2))
        EXPECT_LT(part, 0);
}

TEST_F(SurfaceColors, ScalesEndWhereTheirPartsDo) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(curvatureParts({-0.2f, 0, 0.2f, 1, nan}, 0.2),
              (std::vector<float>{0, 0.5f, 1, 1, -1}));
    EXPECT_EQ(distanceParts({0, 1.5f, 3, 9}, 3), (std::vector<float>{0, 0.5f, 1, 1}));
    const SurfaceScale jacobian = deformationScale(Deformation::Jacobian, 2, false);
    EXPECT_EQ(jacobian.colors.ticks.front().label, "2");
    EXPECT_EQ(jacobian.colors.ticks.back().label, "0.5") << "contraction is red";
    EXPECT_EQ(jacobian.colors.highest, "shrinks");
    const SurfaceScale strain = deformationScale(Deformation::LargestStrain, 0.3, true);
    EXPECT_EQ(strain.colors.ticks.back().label, "-0.3");
    EXPECT_EQ(strain.colors.highest, "shortens");
    EXPECT_EQ(strain.maximum, 0.3);
    EXPECT_GT(deformationScale(Deformation::LogJacobian, 0, true).maximum,
              deformationScale(Deformation::LogJacobian, 0, false).maximum);
    EXPECT_EQ(curvatureScale(0.2).colors.ticks.front().label, "-0.2");
    EXPECT_EQ(distanceScale(3, ColorMap::Cividis).colors.ticks.back().label, "3");
}

} // namespace
} // namespace systole
