// What a thread of the thin-plate transform does: what its launches declare. Counted from the
// source; where the compiler decides, what it makes of it (CUDA 13, compute capability 9.0) is what
// counts.
#pragma once

#include "compute/core/kernel_cost.h"
#include "compute/landmarks/thin_plate.h"

namespace systole::tps {

inline constexpr int tileTerms = 256; ///< staged in shared memory at a time

namespace cost {

/// Of one voxel and one term: three differences, a square and two that add to it, the root, three
/// weighted sums.
inline constexpr KernelCost term{.add = 3, .multiply = 1, .fusedMultiplyAdd = 5, .squareRoot = 1};
/// Of one voxel: its place by two divisions of integers, nine steps of the affine part, a sum and
/// a store for each component.
inline constexpr KernelCost voxel{
    .add = 3, .fusedMultiplyAdd = 9, .integer = 40, .globalStores = 3};
/// A pass of a loop that is unrolled four times: its counter, address and branch are shared.
inline constexpr KernelCost pass{.integer = 1.5};

/// Of one thread over `terms`.
constexpr KernelCost transform(ThinPlateVariant variant, double terms, double threads) {
    switch (variant) {
    case ThinPlateVariant::Global:
    case ThinPlateVariant::GlobalX2:
    case ThinPlateVariant::GlobalX4: {
        const double voxels = variant == ThinPlateVariant::Global     ? 1
                              : variant == ThinPlateVariant::GlobalX2 ? 2
                                                                      : 4;
        return voxels * voxel + terms * (voxels * term + pass + KernelCost{.globalLoads = 2});
    }
    case ThinPlateVariant::Shared:
        // Two reads of each term, and a thread's part of bringing them.
        return voxel + terms * (term + pass + KernelCost{.sharedAccesses = 2}) +
               terms / threads * KernelCost{.integer = 6, .globalLoads = 2, .sharedAccesses = 2} +
               terms / tileTerms * KernelCost{.integer = 6, .barriers = 2};
    case ThinPlateVariant::Constant:
        // Six numbers, two to a load.
        return voxel + terms * (term + pass + KernelCost{.constantLoads = 3});
    }
    return {};
}

} // namespace cost
} // namespace systole::tps
