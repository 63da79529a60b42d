// Jacobi's sweep in its memory variants: the same numbers, read by different ways. Which there are
// is one list, sweepVariants(); each handles every system: sizes down to one voxel along an axis,
// both stencils, with and without beta, coefficients in 32 and in 16 bits. Reads of beta's diagonal
// neighbours go through the cache in `register`, like all others through the tile or the cache
// elsewhere.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/convergence_cuda.cuh"
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/solver/system_cuda.cuh"

#include <span>

namespace systole::clg {

/// `count` sweeps of one launch.
struct SweepJob {
    const DeviceSystem& system;
    const HalfTensor& half;
    Planes<const float> from;
    Planes<float> to; ///< not `from`
    int count;        ///< 1 to the variant's most
    SweepMark mark;   ///< of the last
};

struct SweepVariant {
    MemoryVariant variant;
    const char* kernel;
    int most; ///< sweeps of one launch
    void (*launch)(const SweepJob& job, const KernelNote& note, LaunchLog& log);
};

std::span<const SweepVariant> sweepVariants();
const SweepVariant& sweepVariant(MemoryVariant variant);
/// The variant's launch with what it has to say of its work.
void launchSweeps(const SweepVariant& variant, const SweepJob& job, LaunchLog& log);

/// One thread per voxel column, plain global loads.
void sweepDirect(const SweepJob& job, const KernelNote& note, LaunchLog& log);
/// The same with loads that bypass L1.
void sweepL2Only(const SweepJob& job, const KernelNote& note, LaunchLog& log);
/// Tiles of 32×4 columns (or of other rows) marching in z, three planes with their halo in shared
/// memory.
void sweepShared(const SweepJob& job, const KernelNote& note, LaunchLog& log);
/// Columns marching in z, their planes in registers, x-neighbours by shuffles.
void sweepRegister(const SweepJob& job, const KernelNote& note, LaunchLog& log);
/// One or two sweeps a launch: the coefficients are read once for both.
void sweepFused(const SweepJob& job, const KernelNote& note, LaunchLog& log);

/// What a launch of a job says of itself: `note` with the cost of a thread, from that of a voxel.
inline KernelNote withCost(const SweepJob& job, KernelNote note, const LaunchShape& shape,
                           MemoryVariant variant, int rows = 1) {
    note.cost = gpu::perThread(
        shape, static_cast<double>(job.system.voxels()),
        cost::jacobi(variant, job.system.stencil, job.system.beta > 0, job.half.used(), rows));
    return note;
}
/// The same of a fused launch, whose tiles overlap: a thread marches over its column of the tile,
/// three planes more than `march` in the mean of both sweeps.
inline KernelNote withFusedCost(const SweepJob& job, KernelNote note, int march) {
    note.cost =
        static_cast<double>(march + 3) * cost::jacobi(MemoryVariant::Fused, job.system.stencil,
                                                      job.system.beta > 0, job.half.used(), 1);
    return note;
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
