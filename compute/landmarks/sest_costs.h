// What a thread of SEST's search does: what its launches declare. Counted from the source; where
// the compiler decides, what it makes of it (CUDA 13, compute capability 9.0) is what counts.
#pragma once

#include "compute/core/kernel_cost.h"
#include "compute/landmarks/sest.h"

namespace systole::sest::cost {

inline constexpr double patchVoxels = 11 * 11 * 9;
/// The patch's rows, each cut in two, and planes, each cut in four.
inline constexpr double halfRows = 11 * 9 * 2, quarterPlanes = 9 * 4;

/// Of a voxel of the patch: its offset in x, seven features (the address of their plane and their
/// own), 28 products.
inline constexpr KernelCost voxel{.fusedMultiplyAdd = triangle,
                                  .integer = 15,
                                  .globalLoads = features,
                                  .constantLoads = features};
inline constexpr KernelCost halfRow{.integer = 22}, quarterPlane{.integer = 15};
/// Decomposition and distance of an octant: 56 steps of inner products, two for each diagonal, 21
/// quotients as products, roots; 28 differences, squared.
inline constexpr KernelCost octant{.add = triangle,
                                   .multiply = triangle + features,
                                   .fusedMultiplyAdd = 56 + 2 * features + triangle,
                                   .squareRoot = features,
                                   .integer = 3 * features + 20};

/// What a voxel's pass spills and brings back: counted in the machine code for capability 9.0,
/// since the source can't tell.
constexpr double spillsOf(DistanceVariant variant) {
    return variant == DistanceVariant::SharedCap32   ? 32
           : variant == DistanceVariant::SharedCap40 ? 12
           : variant == DistanceVariant::SharedCap48 ? 2
                                                     : 0;
}

constexpr KernelCost distance(DistanceVariant variant, double threads) {
    const KernelCost descriptor =
        patchVoxels * (voxel + KernelCost{.localAccesses = spillsOf(variant)}) +
        halfRows * halfRow + quarterPlanes * quarterPlane + octants * octant +
        KernelCost{.squareRoot = 1, .integer = 40, .globalLoads = 3, .globalStores = 1};
    if (variant == DistanceVariant::Global)
        return descriptor + KernelCost{.integer = 2 * numbers, .globalLoads = numbers};
    // Four numbers to a read; a thread's part of bringing them.
    return descriptor + KernelCost{.sharedAccesses = numbers / 4.0, .barriers = 1} +
           numbers / threads * KernelCost{.integer = 8, .globalLoads = 1, .sharedAccesses = 1};
}

/// Products and sums of a candidate's tensors, and what octant says.
inline constexpr double candidateFlops =
    patchVoxels * 2 * triangle +
    octants * (octant.add + octant.multiply + 2 * octant.fusedMultiplyAdd + features);

} // namespace systole::sest::cost
