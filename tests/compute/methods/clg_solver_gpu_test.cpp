// The CUDA solvers against the plain loops, and against float64 direct solutions.
#include "compute/cuda/device.h"
#include "compute/methods/clg/solver/jacobi.h"
#include "compute/methods/clg/solver/math.h"
#include "tests/compute/methods/clg_device_problem.h"
#include "tests/compute/methods/clg_system_support.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

#include <tuple>

namespace systole {
namespace {

using test::RandomSystem;
using test::TestField;

constexpr auto energy = DivergenceStencil::Energy;
constexpr auto paper = DivergenceStencil::Paper;

using GpuTest = test::OnDevice;

TestField noiseField(Size3 size, std::uint64_t seed) {
    TestField t(size);
    for (std::size_t i = 0; i < t.values.size(); ++i)
        t.values[i] = 0.3f * normalPair(randomBits(seed, 2, i)).first;
    return t;
}

struct Case {
    const char* name;
    Size3 size;
    float beta;
    DivergenceStencil stencil;
    bool weighted;
};

const std::vector<Case> cases{
    {"Odd", {37, 19, 11}, 0, energy, false},
    {"OddPaper", {37, 19, 11}, 0, paper, false},
    {"OddBeta", {37, 19, 11}, 0.5f, energy, false},
    {"OddBetaWeighted", {37, 19, 11}, 0.5f, energy, true},
    {"OddBetaPaper", {37, 19, 11}, 0.5f, paper, true},
    {"SeveralTiles", {70, 50, 21}, 0, energy, false},
    {"SeveralTilesBeta", {70, 50, 21}, 0.5f, energy, false},
    {"SeveralTilesBetaWeighted", {66, 21, 50}, 0.5f, energy, true},
    {"EvenBetaWeighted", {16, 16, 16}, 0.5f, energy, true},
    {"WideBeta", {149, 5, 6}, 0.5f, energy, false},
    {"Wide", {149, 5, 6}, 0, energy, false},
    {"OneBlock", {9, 10, 11}, 0, energy, false},
    {"Small", {5, 3, 4}, 0.5f, energy, true},
    {"OneAlongX", {1, 9, 13}, 0.5f, energy, false},
    {"OneAlongY", {33, 1, 7}, 0, energy, false},
    {"OneAlongZ", {40, 30, 1}, 0.5f, energy, false},
    {"OneAlongZPaper", {40, 30, 1}, 0.5f, paper, false},
    {"OneAlongTwo", {1, 1, 9}, 0, energy, false},
    {"OneVoxel", {1, 1, 1}, 0, energy, false},
};

/// Smoothness along an axis of one voxel is 0, as in every level's system.
RandomSystem systemOf(const Case& c) {
    RandomSystem r(c.size, c.beta, c.stencil, c.weighted);
    for (int axis = 0; axis < 3; ++axis)
        if (c.size[axis] == 1)
            r.system.smoothness[static_cast<std::size_t>(axis)] = 0;
    return r;
}

class ClgSweepGpuTest : public GpuTest,
                        public testing::WithParamInterface<std::tuple<std::string, Case>> {};

TEST_P(ClgSweepGpuTest, EqualsThePlainLoops) {
    const auto& [variant, c] = GetParam();
    const RandomSystem r = systemOf(c);
    TestField expected = noiseField(c.size, 3);
    const TestField start = expected;
    SolveOptions options;
    options.solver = ClgSolver::Jacobi;
    test::DeviceStorage storage;
    storage.jacobi = clg::jacobiFamily.named(variant);
    for (const int sweeps : {1, 6}) {
        options.sweeps = sweeps;
        expected = start;
        const SolveResult plain =
            solveClgReference(r.system, expected.view(), options, resources.context());
        TestField from = start;
        const test::DeviceSolution device =
            test::solveOnDevice(*cuda, r.system, from.view(), options, storage);
        EXPECT_LT(test::largestDifference(expected.values, device.field), 1e-5) << sweeps;
        EXPECT_GT(test::largestDifference(start.values, device.field), 1e-3) << sweeps;
        EXPECT_NEAR(device.change, plain.lastChange, 1e-5) << sweeps;
        EXPECT_EQ(device.sweeps, sweeps);
    }
}

std::string caseName(const testing::TestParamInfo<std::tuple<std::string, Case>>& info) {
    std::string name = std::get<0>(info.param) + std::get<1>(info.param).name;
    std::erase(name, '-');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Variants, ClgSweepGpuTest,
                         testing::Combine(testing::ValuesIn(clg::jacobiFamily.names()),
                                          testing::ValuesIn(cases)),
                         caseName);

struct Form {
    const char* name;
    test::RelaxationForm form;
};

class ClgRedBlackGpuTest : public GpuTest,
                           public testing::WithParamInterface<std::tuple<Form, Case>> {};

TEST_P(ClgRedBlackGpuTest, EqualsThePlainLoops) {
    const auto& [form, c] = GetParam();
    const RandomSystem r = systemOf(c);
    const TestField start = noiseField(c.size, 3);
    for (const int sweeps : {1, 2, 7}) {
        SolveOptions options;
        options.sweeps = sweeps;
        options.tolerance = sweeps == 2 ? 0 : 1e-9; // never reached, but measured
        TestField expected = start, from = start;
        const SolveResult plain =
            solveClgReference(r.system, expected.view(), options, resources.context());
        if (form.form == test::RelaxationForm::Resident && !test::clusterHolds(*cuda, c.size))
            GTEST_SKIP() << "this device's clusters don't hold the level";
        const test::DeviceSolution device =
            test::relaxOnDevice(*cuda, r.system, from.view(), options, form.form, false);
        EXPECT_LT(test::largestDifference(expected.values, device.field), 2e-5) << sweeps;
        EXPECT_NEAR(device.change, plain.lastChange, 2e-5) << sweeps;
        EXPECT_EQ(device.sweeps, c.size.voxels() > 1 ? sweeps : device.sweeps);
        if (c.beta > 0 && form.form == test::RelaxationForm::Colors)
            continue; // beta in 16 bits has no such form
        // Coefficients of 16 bits, which differ by 2⁻¹², are another system and must still be
        // relaxed.
        const test::DeviceSolution half =
            test::relaxOnDevice(*cuda, r.system, from.view(), options, form.form, true);
        EXPECT_LT(test::largestDifference(expected.values, half.field), 2e-2) << sweeps;
    }
}

/// Combinations of form and case that exist: only InPlace has beta with the printed stencil, Spread
/// has no beta, and a cluster doesn't hold large grids (Resident).
std::vector<std::tuple<Form, Case>> formsAndCases() {
    std::vector<std::tuple<Form, Case>> all;
    const Form forms[] = {{"InPlace", test::RelaxationForm::InPlace},
                          {"Colors", test::RelaxationForm::Colors},
                          {"Resident", test::RelaxationForm::Resident},
                          {"Spread", test::RelaxationForm::Spread}};
    for (const Form& form : forms)
        for (const Case& c : cases)
            if (c.beta == 0 || (form.form != test::RelaxationForm::Spread && c.stencil == energy) ||
                form.form == test::RelaxationForm::InPlace)
                if (form.form != test::RelaxationForm::Resident || c.size.voxels() < 20000)
                    all.emplace_back(form, c);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Forms, ClgRedBlackGpuTest, testing::ValuesIn(formsAndCases()),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param).name) +
                                    std::get<1>(info.param).name;
                         });

struct Convergence {
    const char* name;
    ClgSolver solver;
    float beta;
    DivergenceStencil stencil;
    bool weighted;
    Size3 size;
};

class ClgConvergenceGpuTest : public GpuTest, public testing::WithParamInterface<Convergence> {};

TEST_P(ClgConvergenceGpuTest, ReachesTheDirectSolution) {
    const Convergence& c = GetParam();
    const RandomSystem r(c.size, c.beta, c.stencil, c.weighted);
    const Eigen::VectorXd exact =
        test::directSolution(test::matrixOf(r), test::rightHandSideOf(r), c.stencil);
    SolveOptions options;
    options.solver = c.solver;
    options.sweeps = c.solver == ClgSolver::Jacobi ? 3000 : 600;
    options.omega = 1.5;
    TestField t(c.size);
    const test::DeviceSolution device = test::solveOnDevice(*cuda, r.system, t.view(), options, {});
    double largest = 0;
    for (int i = 0; i < exact.size(); ++i)
        largest = std::max(
            largest,
            std::abs(exact(i) - static_cast<double>(device.field[static_cast<std::size_t>(i)])));
    EXPECT_LT(largest, 1e-4) << "voxel; the solution reaches " << exact.cwiseAbs().maxCoeff();
    EXPECT_GT(exact.cwiseAbs().maxCoeff(), 0.3);
}

constexpr Size3 cube{16, 16, 16}, small{10, 10, 10}, odd{13, 6, 9};
INSTANTIATE_TEST_SUITE_P(
    Solvers, ClgConvergenceGpuTest,
    testing::Values(Convergence{"Jacobi", ClgSolver::Jacobi, 0, energy, false, small},
                    Convergence{"JacobiBeta", ClgSolver::Jacobi, 0.5f, energy, true, odd},
                    Convergence{"JacobiPaper", ClgSolver::Jacobi, 0.5f, paper, false, odd},
                    Convergence{"RedBlack", ClgSolver::RedBlack, 0, energy, false, cube},
                    Convergence{"RedBlackOdd", ClgSolver::RedBlack, 0, energy, false, odd},
                    Convergence{"RedBlackBeta", ClgSolver::RedBlack, 2, energy, true, odd},
                    Convergence{"Multigrid", ClgSolver::Multigrid, 0, energy, false, small},
                    Convergence{"MultigridBeta", ClgSolver::Multigrid, 0.5f, energy, true, odd}),
    [](const auto& info) { return std::string(info.param.name); });

class ClgSolverGpuTest : public GpuTest {};

TEST_F(ClgSolverGpuTest, MultigridEqualsTheCpuForm) {
    for (const Case& c : cases) {
        const RandomSystem r = systemOf(c);
        if (c.stencil == paper && c.beta > 0)
            continue; // no energy: neither form need converge
        for (const double tolerance : {0.0, 0.05}) {
            SolveOptions options;
            options.solver = ClgSolver::Multigrid;
            options.sweeps = 8;
            options.tolerance = tolerance;
            TestField expected = noiseField(c.size, 6), from = expected;
            const SolveResult cpu =
                solveClg(r.system, expected.view(), options, resources.context());
            const test::DeviceSolution device =
                test::solveOnDevice(*cuda, r.system, from.view(), options, {});
            EXPECT_LT(test::largestDifference(expected.values, device.field), 5e-5) << c.name;
            EXPECT_EQ(device.sweeps, cpu.sweeps) << c.name;
            EXPECT_NEAR(device.change, cpu.lastChange, 5e-5) << c.name;
        }
    }
}

/// 11 bits a value: the solution moves by about their rounding, relative to its size of about 1.
/// Neither do tiny nor huge coefficients leave the range.
TEST_F(ClgSolverGpuTest, SixteenBitsCostLittle) {
    for (const float factor : {1.0f, 1e-6f, 1e6f})
        for (const ClgSolver solver :
             {ClgSolver::Jacobi, ClgSolver::RedBlack, ClgSolver::Multigrid})
            for (const float beta : {0.0f, 0.5f}) {
                RandomSystem r({37, 19, 11}, beta * factor, energy, false);
                for (const VolumeView<float>& c : r.system.coefficient)
                    for (float& value : c.span())
                        value *= factor;
                for (float& weight : r.system.smoothness)
                    weight *= factor;
                TestField start(r.size);
                SolveOptions options;
                options.solver = solver;
                test::DeviceStorage storage;
                const std::vector<float> whole =
                    test::solveOnDevice(*cuda, r.system, start.view(), options, storage).field;
                storage.halfTensor = true;
                const std::vector<float> half =
                    test::solveOnDevice(*cuda, r.system, start.view(), options, storage).field;
                const double error = test::largestDifference(whole, half);
                EXPECT_LT(error, 1e-3);
                EXPECT_GT(error, 1e-6);
            }
}

TEST_F(ClgSolverGpuTest, StopsWhereThePlainLoopsStop) {
    const RandomSystem r(cube, 0, energy, false);
    for (const ClgSolver solver : {ClgSolver::Jacobi, ClgSolver::RedBlack})
        for (const double tolerance : {0.03, 1e-3}) {
            SolveOptions options;
            options.solver = solver;
            options.sweeps = 1000;
            options.tolerance = tolerance;
            options.omega = 1.2;
            TestField plain(cube), start(cube);
            const SolveResult expected =
                solveClgReference(r.system, plain.view(), options, resources.context());
            const test::DeviceSolution device =
                test::solveOnDevice(*cuda, r.system, start.view(), options, {});
            EXPECT_EQ(device.sweeps, expected.sweeps);
            EXPECT_LT(device.sweeps, options.sweeps);
            EXPECT_LT(device.change, tolerance);
            EXPECT_LT(test::largestDifference(plain.values, device.field), 1e-4);
        }
}

TEST_F(ClgSolverGpuTest, EveryRedBlackFormStopsWhereThePlainLoopsStop) {
    for (const float beta : {0.0f, 0.5f}) {
        const RandomSystem r(cube, beta, energy, true);
        SolveOptions options;
        options.sweeps = 1000;
        options.tolerance = 1e-3;
        options.omega = 1.2;
        TestField plain(cube), start(cube);
        const SolveResult expected =
            solveClgReference(r.system, plain.view(), options, resources.context());
        for (const auto form : {test::RelaxationForm::InPlace, test::RelaxationForm::Colors,
                                test::RelaxationForm::Resident, test::RelaxationForm::Spread}) {
            if (form == test::RelaxationForm::Resident && !test::clusterHolds(*cuda, cube))
                continue;
            if (form == test::RelaxationForm::Spread && beta > 0)
                continue;
            const test::DeviceSolution device =
                test::relaxOnDevice(*cuda, r.system, start.view(), options, form, false);
            EXPECT_EQ(device.sweeps, expected.sweeps);
            EXPECT_LT(test::largestDifference(plain.values, device.field), 1e-4);
        }
    }
}

/// A solve that forms b itself equals one whose b was given, and keeps it.
TEST_F(ClgSolverGpuTest, FormsTheRightHandSideFromProducts) {
    for (const Case& c : cases) {
        if (c.beta > 0)
            continue;
        const RandomSystem r = systemOf(c);
        RandomSystem without = systemOf(c);
        const TestField start = noiseField(c.size, 5);
        const std::size_t n = c.size.voxels();
        for (std::size_t i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k) {
                float product = 0;
                for (int l = 0; l < 3; ++l)
                    product += r.system.coefficient[clg::tensorIndex(k, l)].data[i] *
                               start.values[static_cast<std::size_t>(l) * n + i];
                float& value = without.system.coefficient[6 + static_cast<std::size_t>(k)].data[i];
                value = product - value;
            }
        SolveOptions options;
        options.sweeps = 7;
        const std::vector<float> given(r.storage.begin() + static_cast<std::ptrdiff_t>(6 * n),
                                       r.storage.begin() + static_cast<std::ptrdiff_t>(9 * n));
        for (const auto form : {test::RelaxationForm::Colors, test::RelaxationForm::Spread,
                                test::RelaxationForm::Tiles}) {
            if (form == test::RelaxationForm::Tiles && !test::hasTiles(*cuda))
                continue;
            TestField from = start, same = start;
            std::vector<float> b;
            const test::DeviceSolution formed =
                test::relaxFormingB(*cuda, without.system, from.view(), options, form, &b);
            const test::DeviceSolution expected =
                test::relaxOnDevice(*cuda, r.system, same.view(), options, form, false);
            EXPECT_LT(test::largestDifference(formed.field, expected.field), 1e-5) << c.name;
            EXPECT_LT(test::largestDifference(b, given), 5e-6) << c.name;
            EXPECT_EQ(formed.sweeps, expected.sweeps);
        }
    }
}

/// A graph's replay starts anew: what the last solve decided on the device is forgotten, but for
/// the count of all sweeps.
TEST_F(ClgSolverGpuTest, ReplaysFromAGraph) {
    const RandomSystem r(odd, 0, energy, false);
    for (const ClgSolver solver : {ClgSolver::Jacobi, ClgSolver::RedBlack}) {
        SolveOptions options;
        options.solver = solver;
        options.sweeps = 300;
        options.tolerance = 1e-3;
        options.omega = 1.2;
        TestField start(odd);
        const test::DeviceSolution once =
            test::solveOnDevice(*cuda, r.system, start.view(), options, {});
        const test::DeviceSolution thrice =
            test::solveOnDevice(*cuda, r.system, start.view(), options, {}, 3);
        EXPECT_EQ(once.field, thrice.field);
        EXPECT_EQ(3 * once.sweeps, thrice.sweeps);
    }
}

TEST_F(ClgSolverGpuTest, DivergenceAndEnergyEqualThePlainLoops) {
    for (const Case& c : cases) {
        if (c.size.voxels() == 1)
            continue;
        RandomSystem r = systemOf(c);
        TestField t = noiseField(c.size, 4);
        const ExecContext ctx = resources.context();
        const double expected = clgEnergy(r.system, t.view(), ctx);
        EXPECT_NEAR(test::energyOnDevice(*cuda, r.system, t.view()), expected,
                    1e-5 * (1 + std::abs(expected)))
            << c.name;
        const std::vector<float> b = test::rightHandSideOnDevice(*cuda, r.system, t.view());
        addDivergenceOf(r.system, t.view(), ctx);
        const std::size_t n = c.size.voxels();
        EXPECT_LT(test::largestDifference({r.storage.begin() + static_cast<std::ptrdiff_t>(6 * n),
                                           r.storage.begin() + static_cast<std::ptrdiff_t>(9 * n)},
                                          b),
                  1e-5)
            << c.name;
    }
}

} // namespace
} // namespace systole
