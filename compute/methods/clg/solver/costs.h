// Work per thread of the solver's kernels at one voxel, as far as several kernels share it:
// declared by their launches, and compared with the compiled code by tools/sass_counts.py. Counted
// from the source; where the compiler merges or repeats, its machine code (CUDA 13, compute
// capability 9.0) counts.
#pragma once

#include "compute/core/kernel_cost.h"
#include "compute/methods/clg/solver/system.h"

namespace systole::clg::cost {

/// A tile filled with its halo: cells of a plane per thread.
constexpr double cellsPerThread(int rows) { return (32 + 2) * (rows + 2) / (32.0 * rows); }

/// The arithmetic of Jacobi's step at one voxel (jacobiStep, writeStep), without its reads. Energy:
/// 18 weighted neighbors, sums of weights, the block's inverse by its minors and one division.
/// Paper: one equation per component, three divisions.
constexpr KernelCost jacobiArithmetic(DivergenceStencil stencil, bool beta) {
    KernelCost c;
    const bool energy = stencil == DivergenceStencil::Energy;
    c.add = beta ? (energy ? 70 : 66) : (energy ? 28 : 41);
    c.multiply = beta ? (energy ? 52 : 21) : (energy ? 16 : 3);
    c.fusedMultiplyAdd = beta ? (energy ? 74 : 41) : (energy ? 30 : 27);
    c.divide = energy ? 1 : 3;
    return c;
}

/// Values of the field that the step reads: six neighbors and the voxel itself, three components;
/// also beta's diagonal neighbors.
constexpr double jacobiReads(DivergenceStencil stencil, bool beta) {
    return !beta ? 21 : stencil == DivergenceStencil::Energy ? 75 : 51;
}

/// Coefficients in 16 bits: each is widened and multiplied by its unit, and both units are read
/// once.
inline constexpr KernelCost halfCoefficients{.multiply = 6, .integer = 9, .globalLoads = 2};
/// Coefficients in 16 bits with the stencil Paper: a coefficient's unit is read where it is used,
/// and additions are fused into that product where possible; the kernel specifies how often.
constexpr KernelCost halfCoefficientsOfPaper(double unitLoads) {
    return halfCoefficients +
           KernelCost{.add = -6, .fusedMultiplyAdd = 5, .globalLoads = unitLoads - 2};
}

/// The three equations of a voxel and their residuals: the energy's sum (in double precision, which
/// counts as single here) and multigrid's residual.
constexpr KernelCost equations(DivergenceStencil stencil, bool beta) {
    const bool energy = stencil == DivergenceStencil::Energy;
    KernelCost c;
    // J is read once more per component than in the step.
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
