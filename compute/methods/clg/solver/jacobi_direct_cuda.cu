// One thread per voxel column: plain global loads, or loads that bypass L1.
#include "compute/methods/clg/solver/jacobi_cuda.cuh"

namespace systole::clg {
namespace {

constexpr int standardThreads = jacobiFamily["direct"].standardThreads;
static_assert(standardThreads == jacobiFamily["l2-only"].standardThreads);

template <Load How, int Most, typename View>
__global__ void __launch_bounds__(Most) sweepColumns(const View view, Planes<const float> from,
                                                     Planes<float> to, int march, SweepMark mark) {
    __shared__ unsigned blockChange;
    if (mark.state->done)
        return;
    const View s = view.loaded();
    const float damping = jacobiDamping(s);
    const GlobalField<How> field{from};
    const Size3 size = s.size();
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int begin = static_cast<int>(blockIdx.z) * march;
    float largest = 0;
    if (x < size.x && y < size.y)
        for (int z = begin; z < min(begin + march, size.z); ++z)
            largest = fmaxf(largest, writeStep(s, field, {x, y, z}, damping, to));
    takeChange(mark, largest, blockChange);
}

KernelCost directCost(const SweepCase& which) {
    KernelCost c = stepCost(which);
    c.globalLoads += cost::jacobiReads(which.stencil, which.beta);
    c.integer = which.beta ? (which.isEnergy() ? 830 : 400) : (which.isEnergy() ? 250 : 285);
    return c + widening(which, 18);
}

/// Loads that bypass L1 aren't merged: the stencil Paper reads its J again.
KernelCost l2OnlyCost(const SweepCase& which) {
    KernelCost c = stepCost(which);
    c.globalLoads += cost::jacobiReads(which.stencil, which.beta) + (which.isEnergy() ? 0 : 12);
    c.integer = which.beta ? (which.isEnergy() ? 930 : 580) : (which.isEnergy() ? 285 : 330);
    return c + widening(which, 6);
}

template <Load How>
void sweep(const SweepJob& job, LaunchLog& log) {
    const Size3 size = job.system.size;
    const int threads = gpu::threadsOfBlock(log, jacobiFamily, job.variant);
    const int march = marchOf(log.cuda(), size, standardThreads, 4);
    const LaunchShape shape = gpu::columnsOver(size, march, threads / gpu::tileX);
    const KernelNote note = noteOf(job, shape, jacobiKernel(job.variant).cost(caseOf(job)));
    gpu::withBound<standardThreads>(threads, [&](auto most) {
        withSystem<How>(job.system, job.half, [&](auto view) {
            log.launch(note, sweepColumns<How, decltype(most)::value, decltype(view)>, shape, view,
                       job.from, job.to, march, job.mark);
        });
    });
}

} // namespace

extern const JacobiKernel jacobiDirect, jacobiL2Only;
const JacobiKernel jacobiDirect{1, sweep<Load::Cached>, directCost,
                                "sweepColumnsILNS0_4LoadE0ELi256E"};
const JacobiKernel jacobiL2Only{1, sweep<Load::L2>, l2OnlyCost, "sweepColumnsILNS0_4LoadE1ELi256E"};

} // namespace systole::clg
