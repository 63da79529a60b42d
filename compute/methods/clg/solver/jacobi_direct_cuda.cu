#include "compute/methods/clg/solver/jacobi_cuda.cuh"

namespace systole::clg {
namespace {

constexpr int standardThreads = 256;

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

template <Load How>
void sweep(const SweepJob& job, const KernelNote& note, LaunchLog& log) {
    const Size3 size = job.system.size;
    const int threads = gpu::threadsOfBlock(log, note.kernel, standardThreads);
    const int march = marchOf(log.cuda(), size, standardThreads, 4);
    const LaunchShape shape = gpu::columnsOver(size, march, threads / gpu::tileX);
    const MemoryVariant variant = How == Load::L2 ? MemoryVariant::L2Only : MemoryVariant::Direct;
    const KernelNote own = withCost(job, note, shape, variant);
    gpu::withBound<standardThreads>(threads, [&](auto most) {
        withSystem<How>(job.system, job.half, [&](auto view) {
            log.launch(own, sweepColumns<How, decltype(most)::value, decltype(view)>, shape, view,
                       job.from, job.to, march, job.mark);
        });
    });
}

} // namespace

void sweepDirect(const SweepJob& job, const KernelNote& note, LaunchLog& log) {
    sweep<Load::Cached>(job, note, log);
}

void sweepL2Only(const SweepJob& job, const KernelNote& note, LaunchLog& log) {
    sweep<Load::L2>(job, note, log);
}

} // namespace systole::clg
