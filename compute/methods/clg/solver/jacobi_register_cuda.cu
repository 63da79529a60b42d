// Columns marching in z, with their planes in registers and x-neighbors by shuffles.
#include "compute/methods/clg/solver/jacobi_cuda.cuh"

namespace systole::clg {
namespace {

constexpr int standardThreads = jacobiFamily["register"].standardThreads;

/// One component around `center`: its column and its x-neighbors in registers, the rest in global
/// memory.
struct ColumnComponent {
    float below, here, above, left, right;
    const float* others;
    Voxel center;
};

__device__ inline float at(const ColumnComponent& c, Size3 size, Voxel p) {
    const int dx = p.x - c.center.x, dy = p.y - c.center.y, dz = p.z - c.center.z;
    if (dx == 0 && dy == 0)
        return dz < 0 ? c.below : dz > 0 ? c.above : c.here;
    if (dy == 0 && dz == 0)
        return dx < 0 ? c.left : c.right;
    return c.others[offset(size, p)];
}

struct ColumnField {
    ColumnComponent components[3];

    __device__ const ColumnComponent& component(int k) const { return components[k]; }
};

/// Columns of the grid's plane are assigned to consecutive threads, so that rows of any length fill
/// the warps; a neighbor beyond the warp is read through the cache.
template <int Most, typename View>
__global__ void __launch_bounds__(Most) sweepMarching(const View view, Planes<const float> from,
                                                      Planes<float> to, int march, SweepMark mark) {
    __shared__ unsigned blockChange;
    if (mark.state->done)
        return;
    const View s = view.loaded();
    const float damping = jacobiDamping(s);
    const Size3 size = s.size();
    const int columns = size.x * size.y;
    const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const bool inside = thread < columns;
    const int column = inside ? thread : columns - 1; // all threads of a warp shuffle
    const int x = column % size.x, y = column / size.x;
    const int begin = static_cast<int>(blockIdx.y) * march;
    const int end = min(begin + march, size.z);
    const int lane = static_cast<int>(threadIdx.x) % warpSize;
    const auto plane = static_cast<std::size_t>(columns);

    ColumnField field;
    std::size_t i = offset(size, {x, y, begin});
    for (int k = 0; k < 3; ++k) {
        ColumnComponent& c = field.components[k];
        c.others = from.plane[k];
        c.here = begin > 0 ? from.plane[k][i - plane] : 0;
        c.above = from.plane[k][i];
    }
    float largest = 0;
    for (int z = begin; z < end; ++z, i += plane) {
        const Voxel p{x, y, z};
        for (int k = 0; k < 3; ++k) {
            ColumnComponent& c = field.components[k];
            c.center = p;
            c.below = c.here;
            c.here = c.above;
            if (z + 1 < size.z)
                c.above = c.others[i + plane];
            c.left = __shfl_up_sync(0xffffffffu, c.here, 1);
            c.right = __shfl_down_sync(0xffffffffu, c.here, 1);
            if (lane == 0 && x > 0)
                c.left = c.others[i - 1];
            if (lane == warpSize - 1 && x + 1 < size.x)
                c.right = c.others[i + 1];
        }
        if (inside)
            largest = fmaxf(largest, writeStep(s, field, p, damping, to));
    }
    takeChange(mark, largest, blockChange);
}

KernelCost registerCost(const SweepCase& which) {
    KernelCost c = stepCost(which);
    // The plane above in its own column; next to the warp's ends, and the neighbors in y.
    c.globalLoads += which.beta ? cost::jacobiReads(which.stencil, true) - 10 : 15;
    c.integer = which.beta ? (which.isEnergy() ? 1700 : 365) : (which.isEnergy() ? 190 : 225);
    return c + widening(which, 9);
}

void sweepRegister(const SweepJob& job, LaunchLog& log) {
    const Size3 size = job.system.size;
    const int threads = gpu::threadsOfBlock(log, jacobiFamily, job.variant);
    const int march = marchOf(log.cuda(), size, standardThreads, 16);
    const int columns = size.x * size.y;
    LaunchShape shape;
    shape.block = dim3(static_cast<unsigned>(threads));
    shape.grid = dim3(static_cast<unsigned>((columns + threads - 1) / threads),
                      static_cast<unsigned>((size.z + march - 1) / march));
    const KernelNote note = noteOf(job, shape, registerCost(caseOf(job)));
    gpu::withBound<standardThreads>(threads, [&](auto most) {
        withSystem<Load::Cached>(job.system, job.half, [&](auto view) {
            log.launch(note, sweepMarching<decltype(most)::value, decltype(view)>, shape, view,
                       job.from, job.to, march, job.mark);
        });
    });
}

} // namespace

extern const JacobiKernel jacobiRegister;
const JacobiKernel jacobiRegister{1, sweepRegister, registerCost, "sweepMarchingILi256E"};

} // namespace systole::clg
