// What a thread of CLG's image steps does at one voxel: what their launches declare, and what
// tools/sass_counts.py holds against the compiled code. Counted from the source; where the compiler
// merges or repeats, what it makes of it (CUDA 13, compute capability 9.0) is what counts.
#pragma once

#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/variants.h"

namespace systole::clg::cost {

/// Products of one voxel (gradient_cuda.cu). `inside`: there is a mask.
constexpr KernelCost gradient(MemoryVariant variant, bool central, bool inside, bool noise,
                              int rows) {
    KernelCost c;
    // Three differences, one in time, three sums in the norm; the nine products (three of them the
    // norm's squares), as many weights, a quarter for each difference; the weight's division.
    c.add = 7;
    c.multiply = central ? 21 : 18;
    c.divide = 1;
    c.globalStores = 9;
    if (noise)
        c.multiply += 2;
    const double mask = inside ? 1 : 0;
    switch (variant) {
    case MemoryVariant::Shared: {
        // Both frames and the mask at the voxel; a tile's cell is a sum of both frames, or one.
        const double cells = cellsPerThread(rows);
        c.globalLoads = 2 + mask + cells * (central ? 2 : 1);
        c.add += central ? cells : 0;
        c.sharedAccesses = cells + (central ? 6 : 4);
        c.barriers = 2;
        c.integer = 110 + 26 * cells;
        break;
    }
    case MemoryVariant::Register:
        // Its own column, and its neighbours in y and, for a warp's ends, in x of the next plane;
        // two shuffles.
        c.globalLoads = 2 + mask + (central ? 6 : 2);
        c.add += central ? 5 : 0;
        c.integer = central ? 130 : 105;
        break;
    default:
        // Six neighbours of two frames, or three and itself of one; both frames.
        c.globalLoads = 2 + mask + (central ? 12 : 4);
        c.add += central ? 6 : 0;
        c.integer = central ? 150 : 108;
    }
    return c;
}

/// A warped voxel (warp_cuda.cu); `measured`: the part of voxels whose residual is summed.
constexpr KernelCost warp(WarpVariant variant, double measured) {
    KernelCost c;
    // The field, and three positions.
    c.globalLoads = 3;
    c.globalStores = 2;
    c.add = 3;
    switch (variant) {
    case WarpVariant::Direct: // eight corners, three parts, seven mixes
        c.globalLoads += 8;
        c.add += 3 + 7;
        c.fusedMultiplyAdd = 7;
        c.integer = 105;
        break;
    case WarpVariant::Texture: // two texel centres along each axis besides
        c.textureFetches = 8;
        c.add += 3 + 7 + 6;
        c.fusedMultiplyAdd = 7;
        c.integer = 98;
        break;
    case WarpVariant::TextureFilter: // three texel positions
        c.textureFetches = 1;
        c.add += 3;
        c.integer = 45;
        break;
    }
    c.globalLoads += measured;
    c.add += 2 * measured;
    c.multiply += measured;
    c.fusedMultiplyAdd += measured;
    return c;
}

} // namespace systole::clg::cost
