// Jacobi's sweep in several variants: the same numbers, read in different ways. Each variant
// handles every system: sizes down to one voxel along an axis, both stencils, with and without
// beta, coefficients in 32 and in 16 bits. Reads of beta's diagonal neighbors go through the cache
// in `register`; elsewhere, like all others, through the tile or the cache.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/convergence_cuda.cuh"
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/solver/jacobi.h"
#include "compute/methods/clg/solver/system_cuda.cuh"

namespace systole::clg {

/// One launch of `count` sweeps.
struct SweepJob {
    int variant; ///< index in jacobiFamily
    const DeviceSystem& system;
    const HalfTensor& half;
    Planes<const float> from;
    Planes<float> to; ///< differs from `from`
    int count;        ///< 1 to the variant's sweepsPerLaunch
    SweepMark mark;   ///< mark of the last sweep
};

/// Properties that determine the cost per voxel.
struct SweepCase {
    DivergenceStencil stencil;
    bool beta, half;
    int rows; ///< rows per block

    bool isEnergy() const { return stencil == DivergenceStencil::Energy; }
};

/// A variant's kernel: each jacobi_*_cuda.cu defines its own.
struct JacobiKernel {
    int sweepsPerLaunch;
    void (*launch)(const SweepJob& job, LaunchLog& log);
    /// Cost of one voxel in one sweep, or of the tile in all sweeps of a launch.
    KernelCost (*cost)(const SweepCase& which);
    /// Symbol of the function without beta, up to its SystemView, as in CompiledCost.
    const char* symbol;
    bool fills = false; ///< fills a tile in its own loop, whose rest is unrolled into the main one
};

const JacobiKernel& jacobiKernel(int variant);
inline void launchSweeps(const SweepJob& job, LaunchLog& log) {
    jacobiKernel(job.variant).launch(job, log);
}
std::vector<CompiledCost> compiledJacobiCosts();

/// The case of a job with the given number of rows per block.
inline SweepCase caseOf(const SweepJob& job, int rows = 1) {
    return {job.system.stencil, job.system.beta > 0, job.half.used(), rows};
}
/// The note that every launch of a job declares.
inline KernelNote noteOf(const SweepJob& job, const KernelCost& ofThread) {
    const auto voxels = static_cast<double>(job.system.voxels());
    return {jacobiFamily.kernel(job.variant), (coefficientBytes(job.half) + 24) * voxels, 0,
            ofThread};
}
/// The note of a launch whose cost per thread is computed from that per voxel.
inline KernelNote noteOf(const SweepJob& job, const LaunchShape& shape, const KernelCost& ofVoxel) {
    return noteOf(job, gpu::perThread(shape, static_cast<double>(job.system.voxels()), ofVoxel));
}
/// The arithmetic of a step and its voxel's coefficients and results, common to all variants;
/// `integer` and the variant's reads of the field are added.
inline KernelCost stepCost(const SweepCase& which) {
    KernelCost c = cost::jacobiArithmetic(which.stencil, which.beta);
    c.globalLoads = 9;
    c.globalStores = 3;
    return c;
}
/// Additional cost of coefficients in 16 bits, or zero; `unitLoads` for the stencil Paper.
inline KernelCost widening(const SweepCase& which, double unitLoads) {
    return !which.half        ? KernelCost{}
           : which.isEnergy() ? cost::halfCoefficients
                              : cost::halfCoefficientsOfPaper(unitLoads);
}

/// Planes that one block marches over: more planes mean fewer that are read twice, fewer planes
/// fill the device better. Computed for the variant's default block, whatever the block is: the
/// work per thread stays the same.
int marchOf(const CudaContext& cuda, Size3 size, int columnsOfBlock, int longest);

/// Writes Jacobi's step at p, and returns its largest change.
template <typename System, typename Field>
__device__ inline float writeStep(const System& s, const Field& field, Voxel p, float damping,
                                  const Planes<float>& to) {
    const std::array<float, 3> solved = jacobiStep<float>(s, field, p);
    const std::size_t i = offset(s.size(), p);
    float largest = 0;
    for (int k = 0; k < 3; ++k) {
        const float old = at(field.component(k), s.size(), p);
        const float change = damping * (solved[static_cast<std::size_t>(k)] - old);
        to.plane[k][i] = old + change;
        largest = fmaxf(largest, fabsf(change));
    }
    return largest;
}

} // namespace systole::clg
