// What a thread of the smoothing kernels does, by the filter's radius: what their launches declare,
// and what tools/sass_counts.py holds against the compiled code. Counted as
// compute/methods/clg/costs.h.
#pragma once

#include "compute/core/kernel_cost.h"

namespace systole::gpu::cost {

constexpr double tapsOf(int radius) { return 2 * radius + 1; }

/// `direct` and `l2-only`: a voxel, each tap a clamped index, a load, a weight and a sum.
constexpr KernelCost smoothDirect(int radius) {
    KernelCost tap;
    tap.globalLoads = tap.fusedMultiplyAdd = tap.constantLoads = 1;
    tap.integer = 12;
    KernelCost voxel;
    voxel.globalStores = 1;
    voxel.integer = 60;
    return tapsOf(radius) * tap + voxel;
}

/// `shared` along x: a voxel, its share of the row with the halo brought in.
constexpr KernelCost smoothRowsShared(int radius) {
    KernelCost c;
    const double values = (32.0 + 2 * radius) / 32;
    c.globalLoads = values;
    c.sharedAccesses = values + tapsOf(radius);
    c.fusedMultiplyAdd = tapsOf(radius);
    c.constantLoads = 0.56 * tapsOf(radius); // two weights in one where they lie so
    c.barriers = 1;
    c.globalStores = 1;
    c.integer = 60 + 7 * values + 0.4 * tapsOf(radius);
    return c;
}

/// `shared` along y or z: a voxel of a line whose ring of values lies in shared memory.
constexpr KernelCost smoothLinesShared(int radius) {
    KernelCost tap;
    tap.sharedAccesses = tap.fusedMultiplyAdd = 1;
    tap.constantLoads = 0.75;
    tap.integer = 6.5;
    KernelCost voxel;
    voxel.globalLoads = voxel.globalStores = voxel.sharedAccesses = 1;
    voxel.integer = 40;
    return tapsOf(radius) * tap + voxel;
}
/// The values before a line's first voxel.
constexpr KernelCost smoothLinesSharedBegin(int radius) {
    KernelCost c;
    c.globalLoads = c.sharedAccesses = 2 * radius;
    c.integer = 12 * 2 * radius;
    return c;
}

/// `register` along x: a voxel; its warp's stretch of the row with the halo, a shuffle a tap.
constexpr KernelCost smoothRowsRegister(int radius) {
    KernelCost c;
    c.globalLoads = (32 + 2 * radius + 31) / 32;
    c.globalStores = 1;
    c.fusedMultiplyAdd = tapsOf(radius);
    c.integer = 40 + 8 * tapsOf(radius);
    return c;
}

/// `register` along y or z: a step along a line; 2·radius steps more than voxels, which write
/// nothing.
constexpr KernelCost smoothLinesRegister(int radius) {
    KernelCost c;
    c.globalLoads = 1;
    c.globalStores = 1;
    c.fusedMultiplyAdd = 2 * radius;
    c.multiply = 1;
    c.integer = 23;
    return c;
}

/// x and y in one kernel: a step along y of two columns. Values go from memory into the row's ring
/// by asynchronous copies; both windows lie in pairs of values.
constexpr KernelCost smoothPlanes(int radius) {
    KernelCost c;
    const double held = (64 + 2 * radius + 31) / 32;
    c.globalLoads = held;
    c.sharedAccesses = held + radius + 1;
    // A pair a lane is twice what the banks give at once.
    c.bankConflicts = (held + 2 * (radius + 1)) / c.sharedAccesses;
    c.fusedMultiplyAdd = 2 * tapsOf(radius) + 2 * 2 * radius;
    c.multiply = 2;
    c.globalStores = 1;
    c.integer = 75;
    return c;
}

} // namespace systole::gpu::cost
