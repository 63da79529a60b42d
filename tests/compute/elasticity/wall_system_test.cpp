// The elastic wall against fields that solve Navier's equation, and conjugate gradients against
// Eigen's direct solver.
#include "compute/core/error.h"
#include "compute/elasticity/wall_system.h"
#include "compute/sparse/conjugate_gradients.h"
#include "tests/compute/sparse/sparse_support.h"

#include <Eigen/SparseCholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace systole::elasticity {
namespace {

using Motion = std::function<Vec3(Vec3)>;
constexpr Vec3 spacing{0.8, 1.1, 1.7};
constexpr ElasticMaterial muscle{12, 0.45};

Vec3 linear(Vec3 p) {
    return {0.3 + 0.1 * p.x - 0.02 * p.y, -0.05 * p.x + 0.07 * p.z, 0.2 * p.y - 0.1 * p.z - 1};
}

/// A box with a hole through it.
WallMesh boxWithHole(int n, Vec3 mm) {
    std::vector<std::uint8_t> wall(Size3{n, n, n}.voxels(), 1);
    const VolumeView<std::uint8_t> view(wall.data(), {n, n, n});
    for (int z = 0; z < n; ++z)
        view(n / 2, n / 2, z) = 0;
    return meshOfWall(view, mm);
}

std::vector<KnownMotion> onSurface(const WallMesh& mesh, const Motion& motion) {
    std::vector<KnownMotion> known;
    for (std::int32_t node = 0; node < mesh.nodes(); ++node)
        if (mesh.onSurface(node))
            known.push_back({node, motion(mesh.position(node))});
    return known;
}

std::vector<Vec3> solve(const WallMesh& mesh, const ElasticMaterial& material,
                        const std::vector<KnownMotion>& known, int threads = 2) {
    ExecResources resources(threads);
    ExecContext ctx = resources.context();
    const WallSystem system = assembleWall(mesh, material, known, ctx);
    std::vector<double> x(system.load.size(), 0);
    const auto report = sparse::solveByConjugateGradients(
        system.stiffness, system.load, x, sparse::jacobiPreconditioner(system.stiffness),
        {1e-12, 5000}, ctx);
    EXPECT_TRUE(report.converged);
    EXPECT_LT(report.relativeResidual, 1e-10);
    return displacementOfNodes(system, x);
}

double largestError(const WallMesh& mesh, const std::vector<Vec3>& found, const Motion& truth) {
    double largest = 0;
    for (std::int32_t node = 0; node < mesh.nodes(); ++node)
        largest =
            std::max(largest, length(found[std::size_t(node)] + -1 * truth(mesh.position(node))));
    return largest;
}

TEST(Hexahedron, LinearMotionHasTheEnergyOfItsStrain) {
    const auto k = hexahedronStiffness(spacing, muscle);
    const auto energyOf = [&](const Motion& motion) {
        std::array<double, 24> u{};
        for (int n = 0; n < 8; ++n) {
            const Vec3 d =
                motion({spacing.x * (n & 1), spacing.y * (n >> 1 & 1), spacing.z * (n >> 2)});
            for (int axis = 0; axis < 3; ++axis)
                u[std::size_t(3 * n + axis)] = d[axis];
        }
        double twice = 0;
        for (std::size_t i = 0; i < 24; ++i)
            for (std::size_t j = 0; j < 24; ++j)
                twice += u[i] * k[i][j] * u[j];
        return twice / 2;
    };
    const double mu = 12 / 2.9, lambda = 12 * 0.45 / (1.45 * 0.1);
    // Strains of linear(): xx 0.1, yy 0, zz -0.1; shears xy -0.07, yz 0.27, zx 0.
    const double density =
        lambda / 2 * 0 + mu * (0.01 + 0.01) + mu / 2 * (0.07 * 0.07 + 0.27 * 0.27);
    const double volume = spacing.x * spacing.y * spacing.z;
    EXPECT_NEAR(energyOf(linear), density * volume, 1e-12);
    EXPECT_NEAR(energyOf([](Vec3 p) {
                    return Vec3{0.1 * p.x, 0.1 * p.y, 0};
                }),
                (lambda / 2 * 0.04 + mu * 0.02) * volume, 1e-12);
    EXPECT_NEAR(
        energyOf([](Vec3 p) {
            return Vec3{1 - 0.2 * p.y + 0.3 * p.z, 0.2 * p.x - 0.5 * p.z, -0.3 * p.x + 0.5 * p.y};
        }),
        0, 1e-12);
}

TEST(WallSystem, ReproducesLinearMotion) {
    const WallMesh mesh = boxWithHole(7, spacing);
    EXPECT_LT(largestError(mesh, solve(mesh, muscle, onSurface(mesh, linear)), linear), 1e-9);
}

TEST(WallSystem, ThreeNodesCarryARigidMotion) {
    const WallMesh mesh = boxWithHole(5, spacing);
    const Motion rigid = [](Vec3 p) {
        return Vec3{1 - 0.2 * p.y, 0.2 * p.x - 0.1 * p.z, 0.1 * p.y};
    };
    std::vector<KnownMotion> known;
    for (const std::int32_t node : {0, 5, static_cast<std::int32_t>(mesh.nodes()) - 1})
        known.push_back({node, rigid(mesh.position(node))});
    EXPECT_LT(largestError(mesh, solve(mesh, muscle, known), rigid), 1e-8);
    for (KnownMotion& motion : known)
        motion.springStiffness = 3; // springs aren't stretched without load
    EXPECT_LT(largestError(mesh, solve(mesh, muscle, known), rigid), 1e-7);
}

TEST(WallSystem, ConvergesToKelvinsSolution) {
    // The displacement around a point force along z at the origin, outside of the box; nearly
    // incompressible.
    const double nu = 0.49;
    const auto errorOf = [&](int n) {
        const double mm = 12.0 / n;
        const Vec3 shift{4 + mm / 2, 5 + mm / 2, 3 + mm / 2};
        const Motion kelvin = [&](Vec3 p) {
            const Vec3 x = p + shift;
            const double r = length(x);
            const double along = x.z / (r * r * r);
            return Vec3{along * x.x, along * x.y, along * x.z + (3 - 4 * nu) / r};
        };
        const WallMesh mesh = boxWithHole(n, {mm, mm, mm});
        return largestError(mesh, solve(mesh, {1, nu}, onSurface(mesh, kelvin)), kelvin);
    };
    const double coarse = errorOf(6), fine = errorOf(12);
    EXPECT_LT(coarse, 0.01); // displacements reach about 0.15 mm
    EXPECT_LT(fine, coarse / 2);
}

TEST(WallSystem, IsSymmetricAndPositiveDefiniteAndSolvedAsByEigen) {
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    const WallMesh mesh = boxWithHole(5, spacing);
    std::vector<KnownMotion> known;
    for (const std::int32_t node : {3, 40, 77, 110})
        known.push_back({node, {0.1 * node, -1, 0.5}, node == 40 ? 2.0 : 0.0});
    const WallSystem system = assembleWall(mesh, muscle, known, ctx);
    const Eigen::SparseMatrix<double> k = test::toEigen(system.stiffness);
    EXPECT_LT(Eigen::SparseMatrix<double>(k - Eigen::SparseMatrix<double>(k.transpose())).norm(),
              1e-14 * k.norm());
    const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> direct(k);
    ASSERT_EQ(direct.info(), Eigen::Success);
    const auto size = Eigen::Index(system.load.size());
    const Eigen::VectorXd expected =
        direct.solve(Eigen::Map<const Eigen::VectorXd>(system.load.data(), size));
    for (const bool jacobi : {false, true}) {
        std::vector<double> x(system.load.size(), 0);
        const auto m = jacobi ? sparse::jacobiPreconditioner(system.stiffness) : nullptr;
        EXPECT_TRUE(sparse::solveByConjugateGradients(system.stiffness, system.load, x, m,
                                                      {1e-12, 5000}, ctx)
                        .converged);
        EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(x.data(), size) - expected).norm(),
                  1e-8 * expected.norm());
    }
}

TEST(WallSystem, HasTheSameBitsForAnyNumberOfThreads) {
    const WallMesh mesh = boxWithHole(9, spacing);
    const auto known = onSurface(mesh, [](Vec3 p) { return Vec3{p.x * p.y, std::sin(p.z), p.x}; });
    EXPECT_EQ(solve(mesh, muscle, known, 1), solve(mesh, muscle, known, 4));
}

TEST(WallSystem, RefusesWhatHasNoSolution) {
    ExecResources resources(1);
    ExecContext ctx = resources.context();
    const std::vector<std::uint8_t> apart = {1, 1, 0, 1};
    const WallMesh mesh = meshOfWall({apart.data(), {4, 1, 1}}, spacing);
    const auto first = onSurface(mesh, linear);
    EXPECT_NO_THROW(assembleWall(mesh, muscle, first, ctx));
    std::vector<KnownMotion> onePart;
    for (const KnownMotion& motion : first)
        if (mesh.place(motion.node)[0] < 3)
            onePart.push_back(motion);
    EXPECT_THROW(assembleWall(mesh, muscle, onePart, ctx), ComputeError);
    EXPECT_THROW(assembleWall(mesh, {1, 0.5}, first, ctx), ComputeError);
    EXPECT_THROW(assembleWall(mesh, {0, 0.3}, first, ctx), ComputeError);
    auto twice = first;
    twice.push_back(first[0]);
    EXPECT_THROW(assembleWall(mesh, muscle, twice, ctx), ComputeError);
    twice.back().node = 1000;
    EXPECT_THROW(assembleWall(mesh, muscle, twice, ctx), ComputeError);
    const std::vector<std::uint8_t> nothing(8, 0);
    EXPECT_THROW(meshOfWall({nothing.data(), {2, 2, 2}}, spacing), ComputeError);
}

} // namespace
} // namespace systole::elasticity
