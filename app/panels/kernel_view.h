// One kernel in the column of panels: shape, what limits its occupancy, its times beside the
// models', and its place under the roofline.
#pragma once

#include "app/panels/kernel_figures.h"

#include <vector>

namespace systole {

/// A line for each; the chosen one's index may be changed. `chosen` lies within them.
void drawKernelList(const std::vector<KernelFigures>& kernels, std::size_t& chosen);

void drawKernel(const KernelFigures& kernel, const model::GpuMachine& machine);

/// All kernels as points, the chosen one marked.
void drawUnderRoofline(const std::vector<KernelFigures>& kernels, std::size_t chosen,
                       const model::GpuMachine& machine);

} // namespace systole
