#include "compute/lab/kernels.h"

#include "compute/core/error.h"

#include <algorithm>

namespace systole::lab {

std::vector<int> everyBlockSize(int first, int last, int step) {
    std::vector<int> sizes;
    for (int threads = first; threads <= last; threads += step)
        sizes.push_back(threads);
    return sizes;
}

bool LabKernel::takes(int threads) const {
    return std::binary_search(blockSizes.begin(), blockSizes.end(), threads);
}

const std::vector<LabKernel>& labKernels() {
    static const std::vector<LabKernel> kernels{
        {"gradient", "direct", "Every value where it lies; the caches find again what is shared.",
         everyBlockSize(), 256},
        {"gradient", "shared", "A tile with its halo in shared memory marches through the planes.",
         everyBlockSize(), 128},
        {"gradient", "l2-only", "As direct, with loads that pass the first cache by.",
         everyBlockSize(), 256},
        {"gradient", "register", "A thread keeps its column; neighbours in x come by shuffles.",
         everyBlockSize(), 256},
        {"smooth", "direct", "Three passes, each tap a load.", everyBlockSize(), 256},
        {"smooth", "shared", "Three passes, the taps' values in shared memory.", everyBlockSize(),
         128},
        {"smooth", "l2-only", "As direct, with loads that pass the first cache by.",
         everyBlockSize(), 256},
        {"smooth", "register", "Three passes, the open sums of a line in registers.",
         everyBlockSize(), 128},
        {"smooth", "fused", "x and y in one pass through shared memory and registers, then z.",
         everyBlockSize(), 128},
        {"jacobi", "direct", "Two sweeps, a launch each; every value where it lies.",
         everyBlockSize(), 256},
        {"jacobi", "shared", "Two sweeps; three planes of a tile in shared memory.",
         everyBlockSize(), 128},
        {"jacobi", "l2-only", "As direct, with loads that pass the first cache by.",
         everyBlockSize(), 256},
        {"jacobi", "register", "Two sweeps; columns in registers, x-neighbours by shuffles.",
         everyBlockSize(), 256},
        // The tile of two sweeps in one launch is as large as shared memory allows.
        {"jacobi",
         "fused",
         "Two sweeps in one launch: the coefficients are read once for both.",
         {992},
         992},
        {"red-black", "in-place", "Four sweeps over the grid as it lies, a colour a launch.",
         everyBlockSize(), 256},
        {"red-black", "colours", "Four sweeps, the colours apart and the blocks inverted before.",
         everyBlockSize(), 256},
        // A thread of the one cluster has two voxels of the level: the level decides.
        {"red-black",
         "resident",
         "Four sweeps in one launch: a small level stays on the chip.",
         {1024},
         1024},
        {"warp", "direct", "Eight loads a voxel, interpolated in full precision.", everyBlockSize(),
         256},
        {"warp", "texture", "Eight texture fetches a voxel, interpolated in full precision.",
         everyBlockSize(), 256},
        {"warp", "texture-filter", "One filtered fetch a voxel, whose weights have 8 bits.",
         everyBlockSize(), 256},
        // The three tasks of the performance model's paper.
        {"sest", "shared",
         "Tracking: a thread a candidate, the landmark's descriptor in shared memory.",
         everyBlockSize(), 128},
        {"sest", "global", "As shared, the descriptor read from global memory.", everyBlockSize(),
         128},
        {"sest", "shared-cap48", "As shared in 48 registers: some spills.", everyBlockSize(32, 640),
         128},
        {"sest", "shared-cap40", "As shared in 40 registers: sums spill.", everyBlockSize(32, 768),
         128},
        {"sest", "shared-cap32", "As shared in 32 registers: most sums spill.", everyBlockSize(),
         128},
        {"tps", "global", "Thin-plate transform: a thread a voxel, coefficients in global memory.",
         everyBlockSize(), 256},
        {"tps", "shared", "Coefficients in shared memory, tile by tile, brought by all threads.",
         everyBlockSize(), 256},
        {"tps", "constant", "Coefficients in constant memory, broadcast to a warp.",
         everyBlockSize(), 256},
        {"tps", "global-x2", "Two voxels a thread to each coefficient that is read.",
         everyBlockSize(), 256},
        {"tps", "global-x4", "Four voxels a thread to each coefficient that is read.",
         everyBlockSize(), 256},
        {"trilinear", "direct", "Eight loads a position, interpolated in full precision.",
         everyBlockSize(), 256},
        {"trilinear", "l2-only", "As direct, with loads that pass the first cache by.",
         everyBlockSize(), 256},
        {"trilinear", "texture", "Eight texture fetches, interpolated in full precision.",
         everyBlockSize(), 256},
        {"trilinear", "texture-filter", "One filtered fetch, whose weights have 8 bits.",
         everyBlockSize(), 256},
    };
    return kernels;
}

const LabKernel& labKernel(std::string_view name) {
    std::string all;
    for (const LabKernel& kernel : labKernels()) {
        if (kernel.name() == name)
            return kernel;
        all += (all.empty() ? "" : ", ") + kernel.name();
    }
    throw ComputeError("the laboratory has no kernel '" + std::string(name) + "'; it has " + all);
}

std::vector<std::string> labTasks() {
    std::vector<std::string> tasks;
    for (const LabKernel& kernel : labKernels())
        if (tasks.empty() || tasks.back() != kernel.task)
            tasks.push_back(kernel.task);
    return tasks;
}

std::vector<const LabKernel*> variantsOf(std::string_view task) {
    std::vector<const LabKernel*> variants;
    for (const LabKernel& kernel : labKernels())
        if (kernel.task == task)
            variants.push_back(&kernel);
    return variants;
}

} // namespace systole::lab
