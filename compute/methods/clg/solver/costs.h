// What a thread of the solver's kernels does at one voxel, as far as several kernels share it: what
// their launches declare, and what tools/sass_counts.py holds against the compiled code. Counted
// from the source; where the compiler merges or repeats, what it makes of it (CUDA 13, compute
// capability 9.0) is what counts.
#pragma once

#include "compute/core/kernel_cost.h"
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

/// Coefficients in 16 bits: each is widened and multiplied by its unit, and both units are read
/// once.
inline constexpr KernelCost halfCoefficients{.multiply = 6, .integer = 9, .globalLoads = 2};
/// With the stencil Paper a coefficient's unit is read where it is used, and what can be is added
/// as part of that product; how often, the kernel says.
constexpr KernelCost halfCoefficientsOfPaper(double unitLoads) {
    return halfCoefficients +
           KernelCost{.add = -6, .fusedMultiplyAdd = 5, .globalLoads = unitLoads - 2};
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

} // namespace systole::clg::cost
