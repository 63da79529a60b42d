// One kernel in the panel column: launch shape, occupancy limit, measured and predicted times, and
// position under the roofline.
#pragma once

#include "app/kit/kernel_figures.h"

#include <vector>

namespace systole {

/// One line per kernel. `chosen` (a valid index) follows the user's selection.
void drawKernelList(const std::vector<KernelFigures>& kernels, std::size_t& chosen);

void drawKernel(const KernelFigures& kernel, const model::GpuMachine& machine);

/// All kernels as points, the selected one highlighted.
void drawUnderRoofline(const std::vector<KernelFigures>& kernels, std::size_t chosen,
                       const model::GpuMachine& machine);

} // namespace systole
