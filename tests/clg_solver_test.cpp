// The solvers against a float64 direct solution of the same linear system, whose matrix is put
// together here from the energy (or the printed equation) by other means than the solvers use.
#include "compute/motion/clg_convergence.h"
#include "compute/motion/clg_multigrid.h"
#include "compute/motion/clg_system.h"
#include "tests/compute_support.h"

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <gtest/gtest.h>

#include <array>

namespace systole {
namespace {

using test::TestField;
using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// A system with a random positive semidefinite J, as smoothed products are.
struct RandomSystem {
    explicit RandomSystem(Size3 extent, float beta, DivergenceStencil stencil, bool weighted)
        : size(extent), storage(10 * extent.voxels()) {
        const std::size_t n = size.voxels();
        for (std::size_t k = 0; k < 9; ++k)
            system.coefficient[k] = {storage.data() + k * n, size};
        for (std::size_t i = 0; i < n; ++i) {
            // Two gradients a voxel: J of rank two, none at all in a corner of the grid.
            std::array<float, 6> g;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto [a, b] = normalPair(randomBits(5, k, i));
                g[k] = a;
                g[k + 3] = b;
            }
            const float scale = i % 7 == 0 ? 0.0f : 0.4f;
            const auto product = [&](std::size_t a, std::size_t b) {
                return scale * (g[a] * g[b] + g[a + 3] * g[b + 3]);
            };
            const float values[9] = {product(0, 0), product(0, 1), product(0, 2),
                                     product(1, 1), product(1, 2), product(2, 2),
                                     scale * g[0],  scale * g[4],  scale * g[2]};
            for (std::size_t k = 0; k < 9; ++k)
                system.coefficient[k].data[i] = values[k];
            storage[9 * n + i] =
                0.25f + 0.75f * uniformFloat(static_cast<std::uint32_t>(randomBits(9, 9, i)));
        }
        system.smoothness = {0.7f, 0.7f * 0.64f, 0.7f * 0.25f};
        system.scale = {1, 0.8f, 0.5f};
        system.beta = beta;
        system.stencil = stencil;
        if (weighted)
            system.incompressibility = {storage.data() + 9 * n, size};
    }
    int index(int x, int y, int z) const { return x + size.x * (y + size.y * z); }
    int unknown(int k, int voxel) const { return k * static_cast<int>(size.voxels()) + voxel; }

    Size3 size;
    std::vector<float> storage;
    ClgSystem system;
};

/// The difference along an axis towards +1 or −1; a row whose neighbour is missing is empty.
Sparse difference(const RandomSystem& r, int axis, int sign) {
    const auto n = static_cast<int>(r.size.voxels());
    Triplets t;
    for (int z = 0; z < r.size.z; ++z)
        for (int y = 0; y < r.size.y; ++y)
            for (int x = 0; x < r.size.x; ++x) {
                int q[3] = {x, y, z};
                q[axis] += sign;
                if (q[axis] < 0 || q[axis] >= r.size[axis])
                    continue;
                const int here = r.index(x, y, z);
                t.emplace_back(here, r.index(q[0], q[1], q[2]), sign);
                t.emplace_back(here, here, -sign);
            }
    Sparse d(n, n);
    d.setFromTriplets(t.begin(), t.end());
    return d;
}

void addBlock(Triplets& t, const RandomSystem& r, int row, int column, const Sparse& block) {
    for (int outer = 0; outer < block.outerSize(); ++outer)
        for (Sparse::InnerIterator it(block, outer); it; ++it)
            t.emplace_back(r.unknown(row, static_cast<int>(it.row())),
                           r.unknown(column, static_cast<int>(it.col())), it.value());
}

/// J + alpha Σ s² DᵀD, the part that both stencils share.
Triplets dataAndSmoothness(const RandomSystem& r) {
    Triplets t;
    constexpr std::size_t tensor[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            for (int i = 0; i < static_cast<int>(r.size.voxels()); ++i)
                t.emplace_back(r.unknown(k, i), r.unknown(l, i),
                               r.system.coefficient[tensor[k][l]].data[i]);
    for (int axis = 0; axis < 3; ++axis) {
        const Sparse d = difference(r, axis, 1);
        const Sparse dd =
            r.system.smoothness[static_cast<std::size_t>(axis)] * Sparse(d.transpose() * d);
        for (int k = 0; k < 3; ++k)
            addBlock(t, r, k, k, dd);
    }
    return t;
}

/// beta/8 Σ over the eight sign choices of divᵀ C div.
void addDivergenceEnergy(Triplets& t, const RandomSystem& r) {
    const auto n = static_cast<int>(r.size.voxels());
    Sparse weight(n, n);
    for (int i = 0; i < n; ++i)
        weight.insert(i, i) =
            r.system.incompressibility.empty() ? 1.0 : r.system.incompressibility.data[i];
    for (int octant = 0; octant < 8; ++octant) {
        std::array<Sparse, 3> d;
        for (int axis = 0; axis < 3; ++axis)
            d[static_cast<std::size_t>(axis)] = r.system.scale[static_cast<std::size_t>(axis)] *
                                                difference(r, axis, octant >> axis & 1 ? 1 : -1);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                addBlock(t, r, k, l,
                         r.system.beta / 8.0 *
                             Sparse(d[static_cast<std::size_t>(k)].transpose() * weight *
                                    d[static_cast<std::size_t>(l)]));
    }
}

/// −beta (u_xx + v_xy + w_xz) as printed, in the interior only.
void addDivergencePrinted(Triplets& t, const RandomSystem& r) {
    const auto& s = r.system.scale;
    for (int z = 1; z < r.size.z - 1; ++z)
        for (int y = 1; y < r.size.y - 1; ++y)
            for (int x = 1; x < r.size.x - 1; ++x)
                for (int k = 0; k < 3; ++k)
                    for (int l = 0; l < 3; ++l) {
                        const double beta = r.system.beta * s[static_cast<std::size_t>(k)] *
                                            s[static_cast<std::size_t>(l)];
                        const auto add = [&](int a, int b, double value) {
                            int q[3] = {x, y, z};
                            q[k] += a;
                            q[l] += b;
                            t.emplace_back(r.unknown(k, r.index(x, y, z)),
                                           r.unknown(l, r.index(q[0], q[1], q[2])), -beta * value);
                        };
                        if (k == l) {
                            add(1, 0, 1);
                            add(0, 0, -2);
                            add(-1, 0, 1);
                        } else {
                            add(1, 1, 0.25);
                            add(1, -1, -0.25);
                            add(-1, 1, -0.25);
                            add(-1, -1, 0.25);
                        }
                    }
}

Sparse matrixOf(const RandomSystem& r) {
    Triplets t = dataAndSmoothness(r);
    if (r.system.beta > 0) {
        if (r.system.stencil == DivergenceStencil::Energy)
            addDivergenceEnergy(t, r);
        else
            addDivergencePrinted(t, r);
    }
    const auto n = 3 * static_cast<int>(r.size.voxels());
    Sparse m(n, n);
    m.setFromTriplets(t.begin(), t.end());
    return m;
}

Eigen::VectorXd rightHandSideOf(const RandomSystem& r) {
    const auto n = static_cast<int>(r.size.voxels());
    Eigen::VectorXd b(3 * n);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < n; ++i)
            b(r.unknown(k, i)) = r.system.coefficient[static_cast<std::size_t>(6 + k)].data[i];
    return b;
}

/// The energy's matrix is symmetric and positive definite; the printed one is not symmetric.
Eigen::VectorXd directSolution(const Sparse& m, const Eigen::VectorXd& b,
                               DivergenceStencil stencil) {
    if (stencil == DivergenceStencil::Paper)
        return Eigen::SparseLU<Sparse>(m).solve(b);
    return Eigen::SimplicialLDLT<Sparse>(m).solve(b);
}

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
        Case{"RedBlackBeta", ClgSolver::RedBlack, Backend::Cpu, 0.5f, energy, false, small},
        Case{"RedBlackBetaWeighted", ClgSolver::RedBlack, Backend::Cpu, 2, energy, true, odd},
        Case{"MultigridBeta", ClgSolver::Multigrid, Backend::Cpu, 0.5f, energy, true, small},
        Case{"JacobiPaper", ClgSolver::Jacobi, Backend::Cpu, 0.5f, DivergenceStencil::Paper, false,
             odd}),
    [](const auto& info) { return info.param.name; });

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

/// With J = 0 the printed Jacobi step leaves the unit circle for beta/alpha > 3.
TEST(ClgJacobi, StaysBoundedForLargeBeta) {
    for (const float ratio : {4.0f, 10.0f, 50.0f}) {
        RandomSystem r({12, 12, 12}, 0.7f * ratio, energy, false);
        for (const VolumeView<float>& c : r.system.coefficient)
            std::fill_n(c.data, c.voxels(), 0.0f);
        r.system.smoothness = {0.7f, 0.7f, 0.7f};
        r.system.scale = {1, 1, 1};
        TestField t(r.size);
        for (std::size_t i = 0; i < t.values.size(); ++i)
            t.values[i] = normalPair(randomBits(1, 2, i)).first;
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
    for (const float beta : {0.0f, 0.5f}) {
        const RandomSystem r({37, 19, 11}, beta, energy, true);
        std::vector<std::vector<float>> results;
        for (const int threads : {1, 2, 3}) {
            ExecResources resources(threads);
            TestField t(r.size);
            solveClg(r.system, t.view(), {}, resources.context());
            results.push_back(t.values);
        }
        EXPECT_EQ(results[0], results[1]);
        EXPECT_EQ(results[0], results[2]);
    }
}

} // namespace
} // namespace systole
