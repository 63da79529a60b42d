// The solvers against a float64 direct solution of the same linear system.
#include "compute/methods/clg/solver/convergence.h"
#include "compute/methods/clg/solver/energy_rows.h"
#include "compute/methods/clg/solver/multigrid.h"
#include "compute/methods/clg/solver/resident_share.h"
#include "compute/methods/clg/solver/system.h"
#include "tests/compute/methods/clg_system_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using test::directSolution;
using test::matrixOf;
using test::RandomSystem;
using test::rightHandSideOf;
using test::Sparse;
using test::TestField;

struct Case {
    const char* name;
    ClgSolver solver;
    Backend backend;
    float beta;
    DivergenceStencil stencil;
    bool weighted;
    Size3 size;
};

class ClgSolverTest : public testing::TestWithParam<Case> {};

TEST_P(ClgSolverTest, ConvergesToTheDirectSolution) {
    const Case& c = GetParam();
    const RandomSystem r(c.size, c.beta, c.stencil, c.weighted);
    const Sparse m = matrixOf(r);
    const Eigen::VectorXd exact = directSolution(m, rightHandSideOf(r), c.stencil);

    ExecResources resources(2);
    ExecContext ctx = resources.context();
    ctx.backend = c.backend;
    TestField t(c.size);
    SolveOptions options;
    options.solver = c.solver;
    options.sweeps = c.solver == ClgSolver::Jacobi ? 3000 : 600;
    options.omega = 1.5;
    (c.backend == Backend::Cpu ? solveClg : solveClgReference)(r.system, t.view(), options, ctx);
    double largest = 0;
    for (int i = 0; i < exact.size(); ++i)
        largest =
            std::max(largest, std::abs(exact(i) -
                                       static_cast<double>(t.values[static_cast<std::size_t>(i)])));
    EXPECT_LT(largest, 1e-4) << "voxel; the solution reaches " << exact.cwiseAbs().maxCoeff();
    EXPECT_GT(exact.cwiseAbs().maxCoeff(), 0.3);
}

constexpr Size3 cube{16, 16, 16}, small{10, 10, 10}, odd{13, 6, 9};
constexpr auto energy = DivergenceStencil::Energy;
INSTANTIATE_TEST_SUITE_P(
    Forms, ClgSolverTest,
    testing::Values(
        Case{"JacobiReference", ClgSolver::Jacobi, Backend::CpuReference, 0, energy, false, small},
        Case{"RedBlackReference", ClgSolver::RedBlack, Backend::CpuReference, 0, energy, false,
             small},
        Case{"RedBlackCpu", ClgSolver::RedBlack, Backend::Cpu, 0, energy, false, cube},
        Case{"RedBlackCpuOdd", ClgSolver::RedBlack, Backend::Cpu, 0, energy, false, odd},
        Case{"RedBlackCpuWide", ClgSolver::RedBlack, Backend::Cpu, 0, energy, false, {64, 4, 3}},
        Case{"MultigridCpu", ClgSolver::Multigrid, Backend::Cpu, 0, energy, false, small},
        Case{"JacobiBeta", ClgSolver::Jacobi, Backend::CpuReference, 0.5f, energy, true, odd},
        Case{"RedBlackBetaReference", ClgSolver::RedBlack, Backend::CpuReference, 0.5f, energy,
             true, odd},
        Case{"RedBlackBeta", ClgSolver::RedBlack, Backend::Cpu, 0.5f, energy, false, small},
        Case{"RedBlackBetaWide", ClgSolver::RedBlack, Backend::Cpu, 0.5f, energy, true, {67, 4, 3}},
        Case{"RedBlackBetaWeighted", ClgSolver::RedBlack, Backend::Cpu, 2, energy, true, odd},
        Case{"MultigridBeta", ClgSolver::Multigrid, Backend::Cpu, 0.5f, energy, true, small},
        Case{"JacobiPaper", ClgSolver::Jacobi, Backend::Cpu, 0.5f, DivergenceStencil::Paper, false,
             odd}),
    [](const auto& info) { return info.param.name; });

/// Fields after a few sweeps, far from the solution: rows and plain loops run the same iteration.
class ClgSweepTest : public testing::TestWithParam<std::tuple<Size3, bool>> {};

TEST_P(ClgSweepTest, RowsEqualThePlainLoops) {
    const auto& [size, weighted] = GetParam();
    for (const float beta : {0.0f, 0.5f}) {
        RandomSystem r(size, beta, energy, weighted);
        for (int axis = 0; axis < 3; ++axis)
            if (size[axis] == 1)
                r.system.smoothness[static_cast<std::size_t>(axis)] = 0;
        TestField start(size);
        for (std::size_t i = 0; i < start.values.size(); ++i)
            start.values[i] = 0.3f * normalPair(randomBits(3, 2, i)).first;
        ExecResources resources(2);
        for (const int sweeps : {1, 4}) {
            SolveOptions options;
            options.sweeps = sweeps;
            TestField rows = start, plain = start;
            const SolveResult a = solveClg(r.system, rows.view(), options, resources.context());
            const SolveResult b =
                solveClgReference(r.system, plain.view(), options, resources.context());
            EXPECT_LT(test::largestDifference(rows.values, plain.values), 2e-5) << beta;
            EXPECT_GT(test::largestDifference(rows.values, start.values), 1e-3) << beta;
            EXPECT_NEAR(a.lastChange, b.lastChange, 2e-5) << beta;
        }
        if (beta == 0)
            continue;
        RandomSystem plain(size, beta, energy, weighted);
        addDivergenceOf(r.system, start.view(), resources.context());
        addDivergenceOfReference(plain.system, start.view(), resources.context());
        EXPECT_LT(test::largestDifference(r.storage, plain.storage), 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, ClgSweepTest,
    testing::Combine(testing::Values(Size3{37, 19, 11}, Size3{70, 10, 7}, Size3{32, 5, 6},
                                     Size3{65, 3, 4}, Size3{1, 9, 13}, Size3{2, 2, 2},
                                     Size3{33, 1, 7}, Size3{40, 30, 1}, Size3{64, 1, 1}),
                     testing::Bool()));

/// Leaves smoothness and beta alone in the system, and gives a random start.
TestField startWithoutData(RandomSystem& r) {
    for (const VolumeView<float>& c : r.system.coefficient)
        std::fill_n(c.data, c.voxels(), 0.0f);
    r.system.smoothness = {0.7f, 0.7f, 0.7f};
    r.system.scale = {1, 1, 1};
    TestField t(r.size);
    for (std::size_t i = 0; i < t.values.size(); ++i)
        t.values[i] = normalPair(randomBits(1, 2, i)).first;
    return t;
}

/// Neither J nor smoothness worth mentioning: every sweep must still lower the energy.
TEST(ClgSweeps, LowerTheEnergyWhateverBeta) {
    for (const float ratio : {1.0f, 100.0f, 1e4f})
        for (const auto solve : {solveClg, solveClgReference}) {
            RandomSystem r({21, 12, 9}, 0.7f * ratio, energy, true);
            TestField t = startWithoutData(r);
            ExecResources resources(2);
            const double start = clgEnergy(r.system, t.view(), resources.context());
            double before = start;
            for (int n = 0; n < 40; ++n) {
                SolveOptions options;
                options.sweeps = 5;
                solve(r.system, t.view(), options, resources.context());
                const double now = clgEnergy(r.system, t.view(), resources.context());
                ASSERT_LT(now, std::max(before, 1e-6 * start))
                    << "beta/alpha " << ratio << ", sweep " << 5 * n + 5;
                before = now;
            }
            EXPECT_LT(before, 0.01 * start) << "beta/alpha " << ratio;
        }
}

TEST(ClgEnergy, EqualsTheQuadraticForm) {
    const RandomSystem r(odd, 0.7f, energy, true);
    const Sparse m = matrixOf(r);
    ASSERT_LT(Sparse(m - Sparse(m.transpose())).norm(), 1e-6); // an energy exists
    TestField t(odd);
    for (std::size_t i = 0; i < t.values.size(); ++i)
        t.values[i] = normalPair(randomBits(1, 2, i)).first;
    Eigen::VectorXd v(static_cast<int>(t.values.size()));
    for (int i = 0; i < v.size(); ++i)
        v(i) = t.values[static_cast<std::size_t>(i)];
    ExecResources resources(2);
    const double expected = v.dot(m * v) - 2 * rightHandSideOf(r).dot(v);
    EXPECT_NEAR(clgEnergy(r.system, t.view(), resources.context()), expected,
                1e-5 * std::abs(expected));
}

TEST(ClgEnergy, IsTheSameInRows) {
    ExecResources resources(2);
    for (const Size3 size : {Size3{37, 6, 5}, Size3{7, 1, 9}, Size3{16, 5, 1}}) {
        const RandomSystem r(size, 0, energy, false);
        TestField t(size);
        for (std::size_t i = 0; i < t.values.size(); ++i)
            t.values[i] = normalPair(randomBits(1, 2, i)).first;
        const double expected = clgEnergy(r.system, t.view(), resources.context());
        EXPECT_NEAR(clgEnergyOfRows(r.system, t.view(), resources.context()), expected,
                    1e-5 * std::abs(expected));
    }
}

TEST(ClgSystem, DivergenceOfTheIncrementMovesOnlyTheRightHandSide) {
    RandomSystem r(odd, 0.7f, energy, true);
    const Eigen::VectorXd before = rightHandSideOf(r);
    const Sparse with = matrixOf(r);
    RandomSystem without(odd, 0, energy, true);
    const Sparse divergence = with - matrixOf(without);
    TestField w0(odd);
    for (std::size_t i = 0; i < w0.values.size(); ++i)
        w0.values[i] = normalPair(randomBits(3, 2, i)).first;
    Eigen::VectorXd v(static_cast<int>(w0.values.size()));
    for (int i = 0; i < v.size(); ++i)
        v(i) = w0.values[static_cast<std::size_t>(i)];
    ExecResources resources(2);
    addDivergenceOf(r.system, w0.view(), resources.context());
    EXPECT_LT((rightHandSideOf(r) - before - divergence * v).cwiseAbs().maxCoeff(), 1e-5);
}

/// The printed Jacobi step leaves the unit circle for J = 0 and beta/alpha > 3.
TEST(ClgJacobi, StaysBoundedForLargeBeta) {
    for (const float ratio : {4.0f, 10.0f, 50.0f}) {
        RandomSystem r({12, 12, 12}, 0.7f * ratio, energy, false);
        TestField t = startWithoutData(r);
        ExecResources resources(2);
        SolveOptions options;
        options.solver = ClgSolver::Jacobi;
        options.sweeps = 300;
        solveClg(r.system, t.view(), options, resources.context());
        double largest = 0;
        for (const float v : t.values)
            largest = std::max(largest, std::abs(static_cast<double>(v)));
        EXPECT_LT(largest, 2) << "beta/alpha " << ratio;
    }
}

/// Gradients of one diagonal direction everywhere: J couples the components as strongly as it can,
/// and far outweighs smoothness. The printed step without a bound grows by 2 a sweep.
TEST(ClgJacobi, StaysBoundedWhereDataOutweighSmoothness) {
    for (const DivergenceStencil stencil : {DivergenceStencil::Paper, DivergenceStencil::Energy}) {
        RandomSystem r({12, 12, 12}, 0, stencil, false);
        for (std::size_t k = 0; k < 9; ++k)
            std::fill_n(r.system.coefficient[k].data, r.size.voxels(), k < 6 ? 1000.0f : 500.0f);
        ExecResources resources(2);
        TestField t(r.size);
        SolveOptions options;
        options.solver = ClgSolver::Jacobi;
        options.sweeps = 300;
        solveClg(r.system, t.view(), options, resources.context());
        // The solution of least smoothness energy: a third of ½ in each component.
        for (const float v : t.values)
            ASSERT_NEAR(v, 0.5 / 3, 1e-3);
    }
}

TEST(ConvergenceTest, LooksAtWhatIsStillToCome) {
    // Changes that fall by 1 % a sweep: 0.009 now means 0.9 to come.
    ConvergenceTest slow(0.01);
    EXPECT_FALSE(slow.wants(3));
    EXPECT_TRUE(slow.wants(4));
    EXPECT_FALSE(slow.reached(4, 0.009 / 0.99));
    EXPECT_FALSE(slow.reached(5, 0.009));
    // Changes that halve: 0.009 now means 0.009 to come.
    ConvergenceTest fast(0.01);
    EXPECT_FALSE(fast.reached(4, 0.018));
    EXPECT_TRUE(fast.reached(5, 0.009));
    EXPECT_FALSE(ConvergenceTest(0).wants(5));
}

TEST(ClgSolver, StopsWhenNothingChangesAnyMore) {
    const RandomSystem r(cube, 0, energy, false);
    ExecResources resources(2);
    SolveOptions options;
    options.sweeps = 1000;
    options.tolerance = 1e-3;
    options.omega = 1.2;
    TestField fast(cube), plain(cube);
    const SolveResult a = solveClg(r.system, fast.view(), options, resources.context());
    const SolveResult b = solveClgReference(r.system, plain.view(), options, resources.context());
    EXPECT_LT(a.sweeps, 100);
    EXPECT_EQ(a.sweeps % changeCheckInterval, 0);
    EXPECT_LT(a.lastChange, 1e-3);
    EXPECT_EQ(a.sweeps, b.sweeps);
    EXPECT_LT(test::largestDifference(fast.values, plain.values), 1e-4);
}

TEST(ClgSolver, SweepsCarryTheSameBitsForAnyNumberOfThreads) {
    for (const Size3 size : {Size3{37, 19, 11}, Size3{9, 8, 43}})
        for (const float beta : {0.0f, 0.5f}) {
            const RandomSystem r(size, beta, energy, true);
            std::vector<std::vector<float>> results;
            for (const int threads : {1, 2, 5}) {
                ExecResources resources(threads);
                TestField t(r.size);
                solveClg(r.system, t.view(), {}, resources.context());
                results.push_back(t.values);
            }
            EXPECT_EQ(results[0], results[1]);
            EXPECT_EQ(results[0], results[2]);
        }
}

/// The voxels of a block and its cells of four volumes, counted.
void expectHeld(Size3 size, int depth, const clg::ClusterLimits& limits) {
    int threads = 0;
    for (int z = 0; z < depth; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; x += 2)
                ++threads;
    EXPECT_LE(threads, limits.threads);
    EXPECT_LE(static_cast<std::size_t>(size.x + 2) * static_cast<std::size_t>(size.y + 2) *
                  static_cast<std::size_t>(depth + 2) * 4 * sizeof(float),
              limits.sharedBytes);
    EXPECT_GE(depth * limits.blocks, size.z);
}

TEST(ClgSolver, LevelsAreResidentWhereTheClustersOfADeviceHoldThem) {
    const clg::ClusterLimits large{16, 1024, 200 << 10}, small{8, 1024, 99 << 10}, none;
    const auto depth = [](Size3 size, const clg::ClusterLimits& limits) {
        const int found = clg::residentDepth(size, limits);
        if (found > 0)
            expectHeld(size, found, limits);
        return found;
    };
    EXPECT_EQ(depth({32, 32, 32}, large), 2);
    EXPECT_EQ(depth({32, 32, 32}, small), 0); // four planes have 2048 pairs of voxels
    EXPECT_EQ(depth({24, 24, 24}, small), 3);
    EXPECT_EQ(depth({24, 24, 24}, none), 0);
    EXPECT_EQ(depth({10, 10, 10}, none), 10);
    // Rows so short that the rim takes more room than the field.
    EXPECT_EQ(depth({2, 700, 8}, large), 1);
    EXPECT_EQ(depth({2, 700, 8}, small), 0);
    // A plane alone is one block, which asks for nothing.
    EXPECT_EQ(depth({64, 30, 1}, large), 0);
    EXPECT_EQ(depth({20, 30, 1}, large), 1);
}

} // namespace
} // namespace systole
