// Jacobi's sweep in its variants: the same numbers, read in different ways. Each variant handles
// every system: sizes down to one voxel along an axis, both stencils, with and without beta,
// coefficients in 32 and in 16 bits. Reads of beta's diagonal neighbours go through the cache in
// `register`, like all others through the tile or the cache elsewhere.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/convergence_cuda.cuh"
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/solver/jacobi.h"
#include "compute/methods/clg/solver/system_cuda.cuh"

namespace systole::clg {

/// `count` sweeps of one launch.
struct SweepJob {
    int variant; ///< of jacobiFamily
    const DeviceSystem& system;
    const HalfTensor& half;
    Planes<const float> from;
    Planes<float> to; ///< not `from`
    int count;        ///< 1 to the variant's sweepsPerLaunch
    SweepMark mark;   ///< of the last
};

/// What the cost of a voxel depends on.
struct SweepCase {
    DivergenceStencil stencil;
    bool beta, half;
    int rows; ///< of a block

    bool isEnergy() const { return stencil == DivergenceStencil::Energy; }
};

/// A variant's kernel: each jacobi_*_cuda.cu defines its own.
struct JacobiKernel {
    int sweepsPerLaunch;
    void (*launch)(const SweepJob& job, LaunchLog& log);
    /// One voxel of one sweep, or of the tile in all sweeps of a launch.
    KernelCost (*cost)(const SweepCase& which);
    /// The function without beta, up to its SystemView, as in CompiledCost.
    const char* symbol;
    bool fills = false; ///< a tile, by a loop of its own, whose rest is unrolled into the main one
};

const JacobiKernel& jacobiKernel(int variant);
inline void launchSweeps(const SweepJob& job, LaunchLog& log) {
    jacobiKernel(job.variant).launch(job, log);
}
std::vector<CompiledCost> compiledJacobiCosts();

/// The case of a job whose blocks have so many rows.
inline SweepCase caseOf(const SweepJob& job, int rows = 1) {
    return {job.system.stencil, job.system.beta > 0, job.half.used(), rows};
}
/// What every launch of a job says of itself.
inline KernelNote noteOf(const SweepJob& job, const KernelCost& ofThread) {
    const auto voxels = static_cast<double>(job.system.voxels());
    return {jacobiFamily.kernel(job.variant), (coefficientBytes(job.half) + 24) * voxels, 0,
            ofThread};
}
/// The same, the cost of a thread from that of a voxel.
inline KernelNote noteOf(const SweepJob& job, const LaunchShape& shape, const KernelCost& ofVoxel) {
    return noteOf(job, gpu::perThread(shape, static_cast<double>(job.system.voxels()), ofVoxel));
}
/// The arithmetic of a step and the coefficients and results of its voxel, which all variants have
/// in common; to it come `integer`, and what the variant reads of the field.
inline KernelCost stepCost(const SweepCase& which) {
    KernelCost c = cost::jacobiArithmetic(which.stencil, which.beta);
    c.globalLoads = 9;
    c.globalStores = 3;
    return c;
}
/// What coefficients in 16 bits add, or nothing; `unitLoads` of the stencil Paper.
inline KernelCost widening(const SweepCase& which, double unitLoads) {
    return !which.half        ? KernelCost{}
           : which.isEnergy() ? cost::halfCoefficients
                              : cost::halfCoefficientsOfPaper(unitLoads);
}

/// The planes that one block marches over: the more the fewer are read twice, the fewer the better
/// the device is filled. That of a variant's standard block, whatever the block is: a thread's work
/// stays the same.
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
