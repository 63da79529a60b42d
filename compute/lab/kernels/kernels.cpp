#include "compute/lab/kernels/kernels.h"

#include "compute/cardiac/axis_strain.h"
#include "compute/core/error.h"
#include "compute/lab/kernels/band_work.h"
#include "compute/lab/kernels/bspline.h"
#include "compute/lab/kernels/bspline_warp.h"
#include "compute/lab/kernels/interpolate.h"
#include "compute/lab/kernels/sest.h"
#include "compute/lab/kernels/similarity_gradient.h"
#include "compute/lab/kernels/spatial_gradient.h"
#include "compute/lab/kernels/thin_plate.h"
#include "compute/lab/kernels/tile_fill.h"
#include "compute/methods/clg/solver/red_black.h"
#include "compute/methods/clg/variants.h"
#include "compute/methods/demons/demons.h"
#include "compute/methods/ffd/affine_blocks.h"
#include "compute/methods/unbiased/variants.h"
#include "compute/surface/nonlocal_means.h"

#include <algorithm>

namespace systole::lab {

bool LabKernel::takes(int threads) const {
    return std::binary_search(blockSizes.begin(), blockSizes.end(), threads);
}

std::span<const KernelFamily* const> kernelFamilies() {
    static constexpr const KernelFamily* families[] = {
        &clg::gradientFamily,
        &smoothFamily,
        &clg::jacobiFamily,
        &clg::redBlackFamily,
        &clg::warpFamily,
        // The three tasks of the performance model's paper.
        &sestFamily,
        &transformFamily,
        &interpolateFamily,
        &bsplineWarpFamily,
        &demonsForceFamily,
        &bsplineFamily,
        &affine::matchFamily,
        // The kernels of the memory study of NiftyReg, with trilinear and bspline.
        &spatialGradientFamily,
        &similarityGradientFamily,
        &unbiased::forceFamily,
        // The paper's search for similar patches of a surface.
        &nlmSearchFamily,
        &bandFamily,
        &tileFillFamily,
        &cardiac::axisStrainFamily,
    };
    return families;
}

const std::vector<LabKernel>& labKernels() {
    static const std::vector<LabKernel> kernels = [] {
        std::vector<LabKernel> all;
        for (const KernelFamily* family : kernelFamilies())
            for (int i = 0; i < family->count(); ++i) {
                const KernelVariant& row = family->at(i);
                all.push_back({family->task, row.name, row.summary, row.blocks.all(),
                               row.standardThreads, i, row.tolerance});
            }
        return all;
    }();
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
    for (const KernelFamily* family : kernelFamilies())
        tasks.emplace_back(family->task);
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
