// The kernels of the laboratory as data: the one list that command line, panel, lessons, tests and
// recordings go through. Works in every build; measuring them is bench.h.
#pragma once

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

    std::string name() const { return task + "/" + variant; } ///< as in KernelNote
    bool takes(int threads) const;
};

/// All kernels, tasks together, the simplest variant of a task first.
const std::vector<LabKernel>& labKernels();
/// Throws ComputeError naming those that there are.
const LabKernel& labKernel(std::string_view name);
/// The tasks in the order of the list.
std::vector<std::string> labTasks();
std::vector<const LabKernel*> variantsOf(std::string_view task);

/// 32, 64, … 1024.
std::vector<int> everyBlockSize(int first = 32, int last = 1024, int step = 32);

} // namespace systole::lab
