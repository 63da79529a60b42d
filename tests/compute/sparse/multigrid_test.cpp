// Smoothed aggregation: solutions against Eigen's, iterations that hardly grow, a symmetric cycle.
#include "compute/core/error.h"
#include "compute/elasticity/wall_system.h"
#include "compute/sparse/aggregation.h"
#include "compute/sparse/multigrid.h"
#include "tests/compute/sparse/sparse_support.h"

#include <Eigen/SparseCholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace systole::sparse {
namespace {

/// −Δ on a grid of n³ points, zero around it.
CsrMatrix<double> laplacian(int n) {
    CsrMatrix<double> a;
    a.rows = a.columns = std::int64_t{n} * n * n;
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                const auto add = [&](int dx, int dy, int dz, double value) {
                    const int i = x + dx, j = y + dy, k = z + dz;
                    if (std::min({i, j, k}) < 0 || std::max({i, j, k}) >= n)
                        return;
                    a.columnOf.push_back(i + n * (j + n * k));
                    a.values.push_back(value);
                };
                add(0, 0, -1, -1);
                add(0, -1, 0, -1);
                add(-1, 0, 0, -1);
                add(0, 0, 0, 6);
                add(1, 0, 0, -1);
                add(0, 1, 0, -1);
                add(0, 0, 1, -1);
                a.rowStart.push_back(static_cast<std::int64_t>(a.values.size()));
            }
    return a;
}

NearKernel constant(std::int64_t unknowns) {
    return {1, std::vector<double>(static_cast<std::size_t>(unknowns), 1)};
}

std::vector<double> randomVector(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> x(n);
    for (double& value : x)
        value = static_cast<double>(random()) / 4294967296.0 - 0.5;
    return x;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class MultigridTest : public ::testing::Test {
protected:
    ConjugateGradientReport solve(const CsrMatrix<double>& a, const NearKernel& kernel,
                                  const MultigridOptions& options, std::vector<double>& x) {
        Multigrid grid(a, kernel, options, ctx);
        EXPECT_GT(grid.levels().size(), 1u);
        EXPECT_LT(grid.operatorComplexity(), 2);
        x.assign(static_cast<std::size_t>(a.rows), 0);
        const std::vector<double> b = randomVector(x.size(), 5);
        return solveByConjugateGradients(a, b, x, grid.preconditioner(ctx), {1e-10, 200}, ctx);
    }

    ExecResources resources{2};
    ExecContext ctx = resources.context();
};

TEST_F(MultigridTest, SolvesAsEigenDoesAndIterationsHardlyGrow) {
    const MultigridOptions options{.coarsest = 50};
    int before = 0;
    for (const int n : {10, 20, 30}) {
        const CsrMatrix<double> a = laplacian(n);
        std::vector<double> x;
        const ConjugateGradientReport report = solve(a, constant(a.rows), options, x);
        EXPECT_TRUE(report.converged);
        EXPECT_LT(report.relativeResidual, 1e-9);
        EXPECT_LT(report.iterations, 25) << n;
        if (before > 0) {
            EXPECT_LE(report.iterations, before + 4) << n;
        }
        before = report.iterations;
        if (n > 10)
            continue;
        const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> direct(test::toEigen(a));
        const std::vector<double> b = randomVector(x.size(), 5);
        const auto size = static_cast<Eigen::Index>(b.size());
        const Eigen::VectorXd expected =
            direct.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), size));
        EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(x.data(), size) - expected).norm(),
                  1e-8 * expected.norm());
    }
}

TEST_F(MultigridTest, ACycleIsSymmetricAndPositive) {
    const CsrMatrix<double> a = laplacian(12);
    Multigrid grid(a, constant(a.rows), {.coarsest = 30}, ctx);
    const Preconditioner cycle = grid.preconditioner(ctx);
    const auto n = static_cast<std::size_t>(a.rows);
    const std::vector<double> r = randomVector(n, 1), s = randomVector(n, 2);
    std::vector<double> zr(n), zs(n);
    cycle(r, zr);
    cycle(s, zs);
    EXPECT_NEAR(dot(zr, s), dot(zs, r), 1e-12 * std::sqrt(dot(zr, zr) * dot(s, s)));
    EXPECT_GT(dot(zr, r), 0);
}

/// A wall that is held at its bottom, so that the rigid motions of the rest matter.
TEST_F(MultigridTest, RigidMotionsMakeElasticWallsEasy) {
    const auto iterationsOf = [&](int side, bool rigid) {
        std::vector<std::uint8_t> wall(Size3{side, side / 2, 2 * side}.voxels(), 1);
        const elasticity::WallMesh mesh =
            elasticity::meshOfWall({wall.data(), {side, side / 2, 2 * side}}, {1, 1.2, 0.9});
        std::vector<elasticity::KnownMotion> held;
        for (std::int32_t node = 0; node < mesh.nodes(); ++node)
            if (mesh.place(node)[2] == 0)
                held.push_back({node, {0.1, 0, 0.02 * mesh.place(node)[0]}});
        const elasticity::WallSystem system = elasticity::assembleWall(mesh, {1, 0.3}, held, ctx);
        NearKernel kernel = elasticity::rigidMotions(mesh, system);
        if (!rigid) { // the three translations alone
            std::vector<double> translations;
            for (std::size_t i = 0; i < system.load.size(); ++i)
                for (std::size_t k = 0; k < 3; ++k)
                    translations.push_back(kernel.values[6 * i + k]);
            kernel = {3, translations};
        }
        std::vector<double> x;
        return solve(system.stiffness, kernel, {.blockSize = 3, .coarsest = 100}, x).iterations;
    };
    const int small = iterationsOf(6, true), large = iterationsOf(12, true);
    EXPECT_LT(large, 40);
    EXPECT_LE(large, small + 8);
    EXPECT_LT(large, iterationsOf(12, false));
}

TEST_F(MultigridTest, HasTheSameBitsForAnyNumberOfThreads) {
    const CsrMatrix<double> a = laplacian(17);
    std::vector<std::vector<double>> found;
    for (const int threads : {1, 3}) {
        ExecResources team(threads);
        ExecContext own = team.context();
        Multigrid grid(a, constant(a.rows), {.coarsest = 40}, own);
        std::vector<double> z(static_cast<std::size_t>(a.rows));
        grid.preconditioner(own)(randomVector(z.size(), 3), z);
        found.push_back(std::move(z));
    }
    EXPECT_EQ(found[0], found[1]);
}

TEST_F(MultigridTest, AggregatesAreCompleteAndKeepTheKernel) {
    const CsrMatrix<double> a = laplacian(9);
    NodeStarts nodes(static_cast<std::size_t>(a.rows) + 1);
    std::iota(nodes.begin(), nodes.end(), 0);
    const std::vector<std::int32_t> aggregateOf = aggregateNodes(a, nodes, 0.08, ctx);
    ASSERT_EQ(aggregateOf.size(), static_cast<std::size_t>(a.rows));
    std::vector<int> members(static_cast<std::size_t>(a.rows), 0);
    std::int32_t most = 0;
    for (const std::int32_t aggregate : aggregateOf) {
        ASSERT_GE(aggregate, 0);
        ++members[static_cast<std::size_t>(aggregate)];
        most = std::max(most, aggregate);
    }
    for (std::int32_t aggregate = 0; aggregate <= most; ++aggregate)
        EXPECT_GT(members[static_cast<std::size_t>(aggregate)], 0);
    EXPECT_LT(most, a.rows / 4);
    // A constant and a linear vector come back from the coarse ones.
    NearKernel kernel{2, {}};
    for (std::int64_t i = 0; i < a.rows; ++i) {
        kernel.values.push_back(1);
        kernel.values.push_back(static_cast<double>(i % 9));
    }
    const TentativeProlongator p = prolongatorOf(aggregateOf, nodes, kernel, ctx);
    std::vector<double> coarse(static_cast<std::size_t>(p.matrix.columns)),
        fine(static_cast<std::size_t>(a.rows));
    for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t i = 0; i < coarse.size(); ++i)
            coarse[i] = p.coarseKernel.values[2 * i + k];
        multiply(p.matrix, coarse, fine, ctx);
        for (std::size_t i = 0; i < fine.size(); ++i)
            ASSERT_NEAR(fine[i], kernel.values[2 * i + k], 1e-12) << i;
    }
}

TEST_F(MultigridTest, RefusesWhatDoesNotFit) {
    const CsrMatrix<double> a = laplacian(3);
    EXPECT_THROW(Multigrid(a, constant(5), {}, ctx), ComputeError);
    EXPECT_THROW(Multigrid(a, constant(a.rows), {.blockSize = 2}, ctx), ComputeError);
    CsrMatrix<double> negative = a;
    for (double& value : negative.values)
        value = -value;
    EXPECT_THROW(Multigrid(negative, constant(a.rows), {}, ctx), ComputeError);
}

} // namespace
} // namespace systole::sparse
