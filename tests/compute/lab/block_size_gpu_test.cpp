// The output of a kernel depends neither on the size of its blocks nor on its variant, and equals
// that of the CPU.
#include "compute/core/error.h"
#include "compute/lab/bench.h"
#include "compute/methods/clg/variants.h"
#include "tests/compute/methods/clg_device_problem.h"
#include "tests/compute/methods/clg_device_steps.h"
#include "tests/compute/methods/clg_system_support.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

#include <cmath>

namespace systole {
namespace {

using test::RandomSystem;
using test::TestField;
using test::Values;

constexpr lab::LabTiming once{1, 1, 0};
constexpr int side = 40;
constexpr Size3 odd{37, 19, 11};
const int someSizes[] = {32, 96, 160, 512, 1024};

/// A level that a cluster holds is smaller than what the others are tried on.
int sideFor(const lab::LabKernel& kernel) { return kernel.variant == "resident" ? 24 : side; }

double largest(const Values& values) {
    double most = 0;
    for (const float v : values)
        most = std::max(most, std::abs(static_cast<double>(v)));
    return most;
}

std::string nameOf(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    for (char& c : name)
        if (c == '/' || c == '-')
            c = '_';
    return name;
}

std::vector<std::string> allKernels() {
    std::vector<std::string> names;
    for (const lab::LabKernel& kernel : lab::labKernels())
        names.push_back(kernel.name());
    return names;
}

class LabKernelGpuTest : public test::OnDevice, public testing::WithParamInterface<std::string> {};

TEST_P(LabKernelGpuTest, WritesTheSameWithBlocksOfEverySize) {
    const lab::LabKernel& kernel = lab::labKernel(GetParam());
    lab::LabBench bench(*cuda);
    bench.measure(kernel, sideFor(kernel), kernel.standardBlock, 0, once);
    const Values expected = bench.output();
    const double scale = largest(expected);
    EXPECT_GT(scale, 0);
    EXPECT_TRUE(std::isfinite(scale));
    for (const int threads : kernel.blockSizes) {
        const lab::LabPoint point = bench.measure(kernel, sideFor(kernel), threads, 0, once);
        EXPECT_GT(point.seconds, 0);
        ASSERT_FALSE(point.launches.empty());
        int launchesOfThisSize = 0;
        for (const ProfileSpan& launch : point.launches)
            launchesOfThisSize += launch.kernel == kernel.name() &&
                                  launch.block[0] * launch.block[1] * launch.block[2] == threads;
        EXPECT_GT(launchesOfThisSize, 0) << threads;
        // The order of operations is the source's: the same but for what the compiler fuses.
        EXPECT_LE(test::largestDifference(bench.output(), expected), 1e-6 * scale) << threads;
    }
}

TEST_P(LabKernelGpuTest, IsAsItsSimplestVariant) {
    const lab::LabKernel& kernel = lab::labKernel(GetParam());
    const lab::LabKernel& simplest = *lab::variantsOf(kernel.task).front();
    lab::LabBench bench(*cuda);
    bench.measure(simplest, sideFor(kernel), simplest.standardBlock, 0, once);
    const Values expected = bench.output();
    bench.measure(kernel, sideFor(kernel), kernel.standardBlock, 0, once);
    // Sums in another order, blocks inverted beforehand, weights of a texture filter.
    EXPECT_LE(test::largestDifference(bench.output(), expected),
              kernel.tolerance * largest(expected));
}

class LabTaskGpuTest : public test::OnDevice, public testing::WithParamInterface<std::string> {
protected:
    ExecResources workers{0}; ///< all processors
};

TEST_P(LabTaskGpuTest, IsInEveryVariantAsOnTheCpu) {
    lab::LabBench bench(*cuda);
    Values expected;
    int preparedSide = 0;
    for (const lab::LabKernel* kernel : lab::variantsOf(GetParam())) {
        bench.measure(*kernel, sideFor(*kernel), kernel->standardBlock, 0, once);
        const Values found = bench.output();
        if (preparedSide != sideFor(*kernel)) { // variants of one side have the same data
            preparedSide = sideFor(*kernel);
            ExecContext onCpu = workers.context();
            onCpu.backend = Backend::Cpu;
            expected = bench.onHost(onCpu);
        }
        EXPECT_GT(largest(expected), 0);
        EXPECT_LE(test::largestDifference(found, expected), kernel->tolerance * largest(expected))
            << kernel->name();
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, LabTaskGpuTest, testing::ValuesIn(lab::labTasks()), nameOf);
INSTANTIATE_TEST_SUITE_P(Kernels, LabKernelGpuTest, testing::ValuesIn(allKernels()), nameOf);

TEST_F(LabKernelGpuTest, RefusesBlocksThatAKernelCantTake) {
    lab::LabBench bench(*cuda);
    const lab::LabKernel& kernel = lab::labKernel("jacobi/direct");
    for (const int threads : {0, 16, 33, 1056})
        EXPECT_THROW(bench.measure(kernel, side, threads, 0, once), ComputeError) << threads;
    EXPECT_THROW(bench.measure(lab::labKernel("jacobi/fused"), side, 256, 0, once), ComputeError);
    EXPECT_THROW(bench.measure(kernel, side, 256, 1 << 20, once), ComputeError);
    EXPECT_THROW(bench.measure(kernel, 0, 256, 0, once), ComputeError);
    EXPECT_GT(bench.measure(kernel, side, 256, 0, once).seconds, 0); // and goes on working
}

class OddBlocksGpuTest : public test::OnDevice {
protected:
    static BlockSizes blocksOf(const std::string& kernel, int threads) {
        return BlockSizes({{kernel, threads}});
    }
};

TEST_F(OddBlocksGpuTest, Gradient) {
    Values fixed = test::noiseVolume(odd, 1).voxels, warped = test::noiseVolume(odd, 2).voxels;
    for (const bool central : {true, false})
        for (const lab::LabKernel* kernel : lab::variantsOf("gradient")) {
            const auto products = [&](const BlockSizes& blocks) {
                return test::tensorOnDevice(*cuda, kernel->index, fixed, warped, {}, odd, central,
                                            {1, 1, 1}, 1, blocks);
            };
            const test::TensorOutcome expected = products({});
            for (const int threads : someSizes) {
                const test::TensorOutcome outcome = products(blocksOf(kernel->name(), threads));
                EXPECT_LE(test::largestDifference(outcome.products, expected.products), 1e-6)
                    << kernel->name() << " " << threads;
                EXPECT_NEAR(outcome.noise, expected.noise, 1e-6 * expected.noise)
                    << kernel->name() << " " << threads;
            }
        }
}

TEST_F(OddBlocksGpuTest, Smooth) {
    const Values in = test::noiseVolume({odd.x, odd.y, 2 * odd.z}, 5).voxels;
    for (const double sigma : {0.6, 4.0})
        for (const lab::LabKernel* kernel : lab::variantsOf("smooth")) {
            const auto smoothed = [&](const BlockSizes& blocks) {
                return test::smoothOnDevice(*cuda, kernel->index, in, 2, odd, {sigma, sigma, sigma},
                                            2, blocks);
            };
            const Values expected = smoothed({});
            for (const int threads : someSizes)
                EXPECT_LE(
                    test::largestDifference(smoothed(blocksOf(kernel->name(), threads)), expected),
                    1e-6)
                    << kernel->name() << " " << threads << " sigma " << sigma;
        }
}

TEST_F(OddBlocksGpuTest, Warp) {
    const Values moving = test::noiseVolume(odd, 3).voxels,
                 fixed = test::noiseVolume(odd, 4).voxels;
    Values field(3 * odd.voxels());
    for (std::size_t i = 0; i < field.size(); ++i)
        field[i] = 2.7f * static_cast<float>(std::sin(0.37 * static_cast<double>(i) + 0.2));
    for (const lab::LabKernel* kernel : lab::variantsOf("warp")) {
        const auto warped = [&](const BlockSizes& blocks) {
            return test::warpOnDevice(*cuda, kernel->index, moving, fixed, field, odd, true,
                                      blocks);
        };
        const test::WarpOutcome expected = warped({});
        for (const int threads : someSizes) {
            const test::WarpOutcome outcome = warped(blocksOf(kernel->name(), threads));
            EXPECT_EQ(outcome.warped, expected.warped) << kernel->name() << " " << threads;
            EXPECT_EQ(outcome.inside, expected.inside) << kernel->name() << " " << threads;
            EXPECT_NEAR(outcome.epsilon, expected.epsilon, 1e-6 * expected.epsilon);
        }
    }
}

TEST_F(OddBlocksGpuTest, JacobiWithEverySystem) {
    for (const float beta : {0.0f, 0.5f})
        for (const DivergenceStencil stencil :
             {DivergenceStencil::Energy, DivergenceStencil::Paper})
            for (const bool halfTensor : {false, true})
                for (const lab::LabKernel* kernel : lab::variantsOf("jacobi")) {
                    const RandomSystem r(odd, beta, stencil, false);
                    SolveOptions options;
                    options.solver = ClgSolver::Jacobi;
                    options.sweeps = 3;
                    test::DeviceStorage storage;
                    storage.jacobi = kernel->index;
                    storage.halfTensor = halfTensor;
                    const auto solved = [&](const BlockSizes& blocks) {
                        TestField start(odd);
                        return test::solveOnDevice(*cuda, r.system, start.view(), options, storage,
                                                   1, blocks);
                    };
                    const test::DeviceSolution expected = solved({});
                    for (const int threads : someSizes) {
                        if (!kernel->takes(threads))
                            continue;
                        const test::DeviceSolution other =
                            solved(blocksOf(kernel->name(), threads));
                        EXPECT_LE(test::largestDifference(other.field, expected.field),
                                  1e-6 * largest(expected.field))
                            << kernel->name() << " " << threads << " beta " << beta;
                        EXPECT_NEAR(other.change, expected.change, 1e-6 * expected.change);
                    }
                }
}

TEST_F(OddBlocksGpuTest, RedBlackWithEverySystem) {
    struct Form {
        const char* kernel;
        test::RelaxationForm form;
        float beta;
    };
    const Form forms[] = {{"red-black/in-place", test::RelaxationForm::InPlace, 0},
                          {"red-black/in-place beta", test::RelaxationForm::InPlace, 0.5f},
                          {"red-black/colors", test::RelaxationForm::Colors, 0}};
    for (const Form& form : forms)
        for (const bool halfTensor : {false, true}) {
            const RandomSystem r(odd, form.beta, DivergenceStencil::Energy, false);
            SolveOptions options;
            options.sweeps = 3;
            const auto solved = [&](const BlockSizes& blocks) {
                TestField start(odd);
                return test::relaxOnDevice(*cuda, r.system, start.view(), options, form.form,
                                           halfTensor, blocks);
            };
            const test::DeviceSolution expected = solved({});
            for (const int threads : someSizes) {
                const test::DeviceSolution other = solved(blocksOf(form.kernel, threads));
                EXPECT_LE(test::largestDifference(other.field, expected.field),
                          1e-6 * largest(expected.field))
                    << form.kernel << " " << threads;
            }
        }
}

} // namespace
} // namespace systole
