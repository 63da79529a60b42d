// The kernels of the laboratory as data: the one list that command line, panel, lessons, tests and
// recordings go through. Works in every build; measuring them is bench.h.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_family.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace systole::lab {

struct LabKernel {
    std::string task;            ///< "jacobi": what is computed
    std::string variant;         ///< "direct": by which way
    std::string summary;         ///< one line for people
    std::vector<int> blockSizes; ///< threads per block that it can be launched with, ascending
    int standardBlock;           ///< that the product starts from
    int index = 0;               ///< in its family's table
    double tolerance = 0;        ///< as in KernelVariant

    std::string name() const { return task + "/" + variant; } ///< as in KernelNote
    bool takes(int threads) const;
};

/// The families whose kernels the laboratory measures, in the order of the list.
std::span<const KernelFamily* const> kernelFamilies();
/// All kernels, tasks together, the simplest variant of a task first.
const std::vector<LabKernel>& labKernels();
/// Throws ComputeError naming those that there are.
const LabKernel& labKernel(std::string_view name);
/// The tasks in the order of the list.
std::vector<std::string> labTasks();
std::vector<const LabKernel*> variantsOf(std::string_view task);

/// What the machine code of the kernels is held against. In builds with CUDA alone.
std::vector<CompiledCost> compiledCosts();

} // namespace systole::lab
