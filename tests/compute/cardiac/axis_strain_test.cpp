// Strain along the heart's axes as a map, against motions in closed form and plain sums.
#include "compute/cardiac/strain.h"
#include "compute/core/affine_map.h"
#include "compute/core/error.h"
#include "compute/ops/jacobian.h"
#include "tests/compute/cardiac/axis_strain_support.h"
#include "tests/compute/cardiac/cardiac_support.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole::cardiac {
namespace {

using testing::StrainCase;

class AxisStrainOnHost : public ::testing::TestWithParam<Tensor> {
protected:
    std::vector<float> of(const StrainCase& c, int threads) {
        ExecResources resources{threads};
        std::vector<float> out(c.outputs());
        axisStrain(c.work(GetParam(), c.in.data(), out.data()), resources.context());
        return out;
    }
    double strain(double squared) const {
        return GetParam() == Tensor::Engineering ? std::sqrt(squared) - 1 : (squared - 1) / 2;
    }
};

INSTANTIATE_TEST_SUITE_P(Tensors, AxisStrainOnHost,
                         ::testing::Values(Tensor::Engineering, Tensor::GreenLagrange));

/// The expected strain comes from F as a matrix in millimeters, in double precision.
TEST_P(AxisStrainOnHost, IsThatOfPlainMatricesOnGridsOfEverySize) {
    for (const Size3 size : testing::strainSizes) {
        const StrainCase c(size);
        const std::vector<float> found = of(c, 2);
        const AxisStrain work = c.work(GetParam(), c.in.data(), nullptr);
        const Vec3 spacing = c.grid().spacing();
        std::size_t i = 0;
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x, ++i) {
                    Matrix3 f = identity3;
                    const int at[3] = {x, y, z};
                    for (int axis = 0; axis < 3; ++axis) {
                        int low[3] = {x, y, z}, high[3] = {x, y, z};
                        low[axis] = std::max(at[axis] - 1, 0);
                        high[axis] = std::min(at[axis] + 1, size[axis] - 1);
                        if (high[axis] == low[axis])
                            continue;
                        for (int k = 0; k < 3; ++k) {
                            const auto w = work.motion.componentView(k);
                            const double change =
                                static_cast<double>(w(high[0], high[1], high[2])) -
                                static_cast<double>(w(low[0], low[1], low[2]));
                            f[static_cast<std::size_t>(k)][static_cast<std::size_t>(axis)] +=
                                spacing[k] * change / (spacing[axis] * (high[axis] - low[axis]));
                        }
                    }
                    const Vec3 l{work.longitudinal.u[i], work.longitudinal.v[i],
                                 work.longitudinal.w[i]},
                        r{work.radial.u[i], work.radial.v[i], work.radial.w[i]};
                    EXPECT_NEAR(found[i], determinant(f), 2e-5);
                    const Vec3 axes[] = {l, cross(l, r), r};
                    for (std::size_t k = 0; k < 3; ++k)
                        EXPECT_NEAR(found[(1 + k) * size.voxels() + i],
                                    i % 5 == 0 ? 0 : strain(dot(f * axes[k], f * axes[k])), 2e-5)
                            << size.x << ' ' << i;
                }
    }
}

TEST_P(AxisStrainOnHost, HasTheSameBitsForAnyNumberOfThreads) {
    const StrainCase c({70, 33, 20});
    EXPECT_EQ(of(c, 1), of(c, 3));
}

TEST_P(AxisStrainOnHost, JacobianIsThatOfTheOtherMap) {
    const StrainCase c({37, 19, 11});
    const std::vector<float> found = of(c, 2);
    ExecResources resources{2};
    std::vector<float> expected(c.size.voxels());
    jacobianMap({c.in.data(), c.size}, {expected.data(), c.size}, resources.context());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 2e-5);
}

/// An oblique grid of slices: a rotation has no strain, one matrix for all of space has its own.
class AxisStrainInHeart : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();
    Ventricle ventricle = testing::halfEllipsoid(ctx);
    const Geometry& grid = ventricle.wall.grid;
};

TEST_F(AxisStrainInHeart, IsThatOfTheMatrixThatMovesAllOfSpace) {
    const HeartAxesMap map = heartAxesMap(ventricle);
    const double a = std::cos(0.4), b = std::sin(0.4);
    const Matrix3 rotation{{{a, -b, 0}, {b, a, 0}, {0, 0, 1}}},
        shear{{{0.9, 0.03, 0}, {-0.05, 0.85, 0.02}, {0.01, 0, 0.8}}};
    for (const bool turns : {true, false}) {
        const Matrix3& f = turns ? rotation : shear;
        const VectorField motion = toVoxels(testing::fieldOf(grid, *ctx.pool,
                                                             [&](Vec3 p) {
                                                                 return f * p + Vec3{1, 2, 3} - p;
                                                             }),
                                            *ctx.pool);
        std::vector<float> out(4 * grid.voxels());
        axisStrain({.motion = motion.view(),
                    .longitudinal = map.longitudinal(),
                    .radial = map.radial(),
                    .scale = axisScale(grid),
                    .jacobian = {out.data(), grid.size()},
                    .strain = {out.data() + grid.voxels(), grid.size()}},
                   ctx);
        std::size_t outside = 0;
        for (std::size_t i = 0; i < grid.voxels(); ++i) {
            EXPECT_NEAR(out[i], determinant(f), 1e-4);
            outside += out[grid.voxels() + i] == 0 && out[3 * grid.voxels() + i] == 0;
        }
        if (!turns) {
            EXPECT_EQ(outside, grid.voxels() - ventricle.wall.count());
        }
        const VolumeView<const float> plane(out.data(), grid.size());
        for (std::size_t v = 0; v < ventricle.wall.count(); ++v) {
            const auto [x, y, z] = ventricle.wall.index[v];
            const HeartAxes& axes = ventricle.axes[v];
            const Vec3 along[] = {axes.longitudinal, axes.circumferential, axes.radial};
            for (std::size_t k = 0; k < 3; ++k)
                ASSERT_NEAR(out[(1 + k) * grid.voxels() + plane.offset(x, y, z)],
                            length(f * along[k]) - 1, 1e-4);
        }
    }
}

TEST_F(AxisStrainInHeart, RefusesGridsOfSlantedAxesAndViewsOfOtherSizes) {
    const Matrix3 slanted{{{1, 0.5, 0}, {0, std::sqrt(0.75), 0}, {0, 0, 1}}};
    EXPECT_THROW(axisScale(Geometry({4, 4, 4}, {1, 1, 1}, {}, slanted)), ComputeError);
    const StrainCase c({5, 4, 3});
    std::vector<float> out(c.outputs());
    AxisStrain work = c.work(Tensor::Engineering, c.in.data(), out.data());
    work.jacobian.size.z = 2;
    EXPECT_THROW(axisStrain(work, ctx), ComputeError);
}

} // namespace
} // namespace systole::cardiac
