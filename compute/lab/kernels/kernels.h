// The laboratory's kernels as data: the one list used by command line, panel, lessons, tests and
// recordings. Works in every build; bench.h measures them.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_family.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace systole::lab {

struct LabKernel {
    std::string task;            ///< the computation, such as "jacobi"
    std::string variant;         ///< how it is computed, such as "direct"
    std::string summary;         ///< one line shown to users
    std::vector<int> blockSizes; ///< allowed threads per block, ascending
    int standardBlock;           ///< default threads per block
    int index = 0;               ///< index in its family's table
    double tolerance = 0;        ///< see KernelVariant

    std::string name() const { return task + "/" + variant; } ///< see KernelNote
    bool takes(int threads) const;
};

/// The families whose kernels the laboratory measures, in the order of the list.
std::span<const KernelFamily* const> kernelFamilies();
/// All kernels, tasks together, the simplest variant of a task first.
const std::vector<LabKernel>& labKernels();
/// Throws ComputeError listing the available kernels.
const LabKernel& labKernel(std::string_view name);
/// The tasks in the order of the list.
std::vector<std::string> labTasks();
std::vector<const LabKernel*> variantsOf(std::string_view task);

/// The expected machine code of the kernels. Only in builds with CUDA.
std::vector<CompiledCost> compiledCosts();

} // namespace systole::lab
