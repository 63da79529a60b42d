// What a thread of the solver's kernels does at one voxel: what their launches declare, and what
// tools/sass_counts.py holds against the compiled code. Counted from the source; where the compiler
// merges or repeats, what it makes of it (CUDA 13, compute capability 9.0) is what counts.
#pragma once

#include "compute/core/kernel_cost.h"
#include "compute/cuda/memory_variant.h"
#include "compute/methods/clg/solver/system.h"

namespace systole::clg::cost {

/// A tile that is filled with its halo: cells of a plane for each of its threads.
constexpr double cellsPerThread(int rows) { return (32 + 2) * (rows + 2) / (32.0 * rows); }

/// The arithmetic of Jacobi's step at one voxel (jacobiStep, writeStep), without what it reads.
/// Energy: 18 weighted neighbours, sums of weights, the block's inverse by its minors and one
/// division. Paper: an equation a component, three divisions.
constexpr KernelCost jacobiArithmetic(DivergenceStencil stencil, bool beta) {
    KernelCost c;
    const bool energy = stencil == DivergenceStencil::Energy;
    c.add = beta ? (energy ? 70 : 66) : (energy ? 28 : 41);
    c.multiply = beta ? (energy ? 52 : 21) : (energy ? 16 : 3);
    c.fusedMultiplyAdd = beta ? (energy ? 74 : 41) : (energy ? 30 : 27);
    c.divide = energy ? 1 : 3;
    return c;
}

/// Values of the field that the step reads: six neighbours and itself, three components; beta's
/// diagonal ones besides.
constexpr double jacobiReads(DivergenceStencil stencil, bool beta) {
    return !beta ? 21 : stencil == DivergenceStencil::Energy ? 75 : 51;
}

/// Coefficients in 16 bits: each is widened and multiplied by its unit. Energy and fused read both
/// units once; the printed form reads a coefficient's unit where it uses it, and adds what it can
/// as part of that product.
constexpr KernelCost halfCoefficients(MemoryVariant variant, DivergenceStencil stencil) {
    KernelCost c;
    c.globalLoads = 2;
    c.multiply = 6;
    c.integer = 9;
    if (variant == MemoryVariant::Fused) {
        c.multiply = 9;
    } else if (stencil == DivergenceStencil::Paper) {
        c.globalLoads = variant == MemoryVariant::Direct   ? 18
                        : variant == MemoryVariant::L2Only ? 6
                                                           : 9;
        c.add = -6;
        c.fusedMultiplyAdd = 5;
    }
    return c;
}

/// One voxel of one sweep; `fused`: a voxel of the tile in both sweeps (jacobi_*_cuda.cu).
constexpr KernelCost jacobi(MemoryVariant variant, DivergenceStencil stencil, bool beta, bool half,
                            int rows) {
    const bool energy = stencil == DivergenceStencil::Energy;
    const double reads = jacobiReads(stencil, beta);
    KernelCost c = jacobiArithmetic(stencil, beta);
    c.globalLoads = 9;
    c.globalStores = 3;
    switch (variant) {
    case MemoryVariant::Shared: {
        const double cells = cellsPerThread(rows);
        c.globalLoads += 3 * cells;
        c.sharedAccesses = 3 * cells + reads;
        c.barriers = 2;
        c.integer = (beta ? (energy ? 560 : 320) : energy ? 170 : 205) + 36 * cells;
        break;
    }
    case MemoryVariant::Register:
        // Of its own column the plane above; beside the warp's ends, and across in y.
        c.globalLoads += beta ? reads - 10 : 15;
        c.integer = beta ? (energy ? 1700 : 365) : energy ? 190 : 225;
        break;
    case MemoryVariant::Fused:
        // Twice the arithmetic; without beta the sums of weights are made once a plane, and the
        // changes of the first sweep aren't measured.
        c = 2.0 * c;
        if (!beta) {
            c.add = energy ? 21 : 41;
            c.multiply = energy ? 32 : 6;
            c.fusedMultiplyAdd = energy ? 54 : 49;
        }
        c.globalLoads = 9 + 3;
        c.globalStores = 3;
        c.sharedAccesses = beta ? 6 + 2 * reads : 6 + 2 * 12;
        c.barriers = beta ? 2 : 1;
        c.integer = beta ? (energy ? 950 : 510) : energy ? 190 : 250;
        break;
    case MemoryVariant::L2Only:
        // Loads past the first cache aren't merged: the printed form reads its J again.
        c.globalLoads += reads + (energy ? 0 : 12);
        c.integer = beta ? (energy ? 930 : 580) : energy ? 285 : 330;
        break;
    case MemoryVariant::Direct:
        c.globalLoads += reads;
        c.integer = beta ? (energy ? 830 : 400) : energy ? 250 : 285;
    }
    return half ? c + halfCoefficients(variant, stencil) : c;
}

/// A voxel of a colour in place (red_black_cuda.cu); with beta one of its components.
constexpr KernelCost relaxInPlace(DivergenceStencil stencil, bool beta, bool half) {
    const bool energy = stencil == DivergenceStencil::Energy;
    KernelCost c;
    if (beta) {
        // A row of J and its b; the component's neighbours, the others here, beta's.
        c = (1.0 / 3) * jacobiArithmetic(stencil, true);
        c.divide = 1;
        c.globalLoads = 4 + jacobiReads(stencil, true) / 3 + 2;
        c.globalStores = 1;
        c.integer = energy ? 430 : 230;
    } else {
        c = jacobiArithmetic(DivergenceStencil::Energy, false);
        c.add += 3;
        c.fusedMultiplyAdd += 2;
        c.globalLoads = 9 + 21 + 4;
        c.globalStores = 3;
        c.integer = 290;
    }
    return half ? c + halfCoefficients(MemoryVariant::Direct, DivergenceStencil::Energy) : c;
}

/// Four voxels of a colour, the colours apart (red_black_colours_cuda.cu): loads of four
/// values. In 32 bits the blocks are inverted; in 16 each is solved.
constexpr KernelCost relaxGroup(bool half) {
    KernelCost c;
    // Nine coefficients; of three components its own, five neighbours and an edge to either side;
    // the three weights.
    c.globalLoads = 9 + 3 * (6 + 2) + 3;
    c.globalStores = 3;
    c.add = half ? 64 : 60;
    c.multiply = half ? 88 : 24;
    c.fusedMultiplyAdd = half ? 114 : 60;
    c.divide = half ? 4 : 0;
    c.localAccesses = half ? 2 : 4;
    c.integer = half ? 550 : 315;
    if (half)
        c.globalLoads += 2;
    return c;
}

/// Two voxels, one of each colour, in one sweep on the chip (red_black_resident_cuda.cu).
constexpr KernelCost residentSweep() {
    KernelCost c;
    c.add = 30;
    c.multiply = 12;
    c.fusedMultiplyAdd = 32;
    c.sharedAccesses = 2 * (21 + 3);
    c.barriers = 2;
    c.integer = 150;
    return c;
}

/// What such a thread does before: two blocks inverted, its share of the field's cells brought in;
/// and after: both voxels written.
constexpr KernelCost residentSetup(double cells) {
    KernelCost c;
    c.globalLoads = 2 * 9 + 3 * cells;
    c.globalStores = 2 * 3;
    c.sharedAccesses = 3 * cells + 2 * 3;
    c.add = 20;
    c.multiply = 44;
    c.fusedMultiplyAdd = 72;
    c.divide = 2;
    c.integer = 400 + 30 * cells;
    return c;
}

/// The three equations of a voxel and what is left of them: the energy's sum (in double precision,
/// which counts as single here) and multigrid's residual.
constexpr KernelCost equations(DivergenceStencil stencil, bool beta) {
    const bool energy = stencil == DivergenceStencil::Energy;
    KernelCost c;
    // J is read once more for each component than the step reads it.
    c.globalLoads = 15 + jacobiReads(stencil, beta);
    c.add = !beta ? 24 : energy ? 63 : 48;
    c.multiply = !beta ? 0 : energy ? 45 : 18;
    c.fusedMultiplyAdd = !beta ? 28 : energy ? 77 : 40;
    c.integer = !beta ? 330 : energy ? 1100 : 600;
    return c;
}

/// The divergence of a voxel's field in its right-hand side (energy_cuda.cu).
constexpr KernelCost divergence(DivergenceStencil stencil) {
    const bool energy = stencil == DivergenceStencil::Energy;
    KernelCost c;
    c.globalLoads = energy ? 60 : 36;
    c.globalStores = 3;
    c.add = energy ? 42 : 27;
    c.multiply = energy ? 45 : 18;
    c.fusedMultiplyAdd = energy ? 57 : 20;
    c.integer = energy ? 850 : 500;
    return c;
}

/// A voxel taken into its colour, its block inverted by three right-hand sides; in 16 bits as it
/// is. And one brought back.
constexpr KernelCost splitColours(bool half) {
    KernelCost c;
    c.globalLoads = 9 + 3;
    c.globalStores = 9 + 3;
    c.integer = half ? 100 : 150;
    if (!half) {
        c.add = 9;
        c.multiply = 22;
        c.fusedMultiplyAdd = 36;
        c.divide = 1;
        c.globalLoads += 3;
    }
    return c;
}
constexpr KernelCost mergeColours() {
    KernelCost c;
    c.globalLoads = c.globalStores = 3;
    c.integer = 35;
    return c;
}

} // namespace systole::clg::cost
