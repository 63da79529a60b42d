// Work per thread as the kernels of SEST declare it. Counted from the source; where the compiler
// decides, its machine code (CUDA 13, compute capability 9.0) counts.
#pragma once

#include "compute/core/kernel_cost.h"
#include "compute/landmarks/sest.h"

namespace systole::sest {

/// One voxel of a patch: its offset in its row or column, seven features (their plane's address and
/// their own), 28 products.
inline constexpr KernelCost patchVoxel{.fusedMultiplyAdd = triangle,
                                       .integer = 15,
                                       .globalLoads = features,
                                       .constantLoads = features};
/// Decomposition and distance of one octant: 56 steps of inner products, two per diagonal, 21
/// quotients as products, roots; 28 differences, squared.
inline constexpr KernelCost octantCost{.add = triangle,
                                       .multiply = triangle + features,
                                       .fusedMultiplyAdd = 56 + 2 * features + triangle,
                                       .squareRoot = features,
                                       .integer = 3 * features + 20};

} // namespace systole::sest
