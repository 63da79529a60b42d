// One or two sweeps per launch: the coefficients are read once for both.
#include "compute/methods/clg/solver/jacobi_fused_cuda.cuh"

namespace systole::clg {
namespace {

constexpr int tileX = 32, tileY = 24;
constexpr int planeCells = tileX * tileY;

/// A voxel's coefficients, held for the next sweep over it.
template <typename View>
struct HeldSystem : View {
    float held[9];
};

template <typename View>
__device__ inline float coefficientAt(const HeldSystem<View>& s, std::size_t k, std::size_t) {
    return s.held[k];
}

struct TileComponent {
    const float* below;
    const float* here;
    const float* above;
    Voxel center;
};

/// The pointers are at the center's cell.
__device__ inline float at(const TileComponent& t, Size3, Voxel p) {
    const float* plane = p.z < t.center.z ? t.below : p.z > t.center.z ? t.above : t.here;
    return plane[p.x - t.center.x + tileX * (p.y - t.center.y)];
}

struct TileField {
    const float* plane[3];
    Voxel center;

    __device__ TileComponent component(int k) const {
        return {plane[0] + k * planeCells, plane[1] + k * planeCells, plane[2] + k * planeCells,
                center};
    }
};

/// Planes z − 1, z and z + 1 of a ring of three.
__device__ inline TileField around(const float (&ring)[3][3 * planeCells], int cell, Voxel p) {
    return {{ring[(p.z + 2) % 3] + cell, ring[p.z % 3] + cell, ring[(p.z + 1) % 3] + cell}, p};
}

/// Two sweeps: the first runs one plane and one column ahead of the second on every side. A thread
/// has a column of the tile, including a halo of two; neighboring tiles sweep the tile's rim too.
template <typename View>
__global__ void __launch_bounds__(planeCells)
    sweepTwice(const View view, Planes<const float> from, Planes<float> to, int march,
               SweepMark mark) {
    extern __shared__ float storage[];
    __shared__ unsigned blockChange;
    if (mark.state->done)
        return;
    auto& input = *reinterpret_cast<float(*)[3][3 * planeCells]>(storage);
    auto& once = *reinterpret_cast<float(*)[3][3 * planeCells]>(storage + 9 * planeCells);
    HeldSystem<View> s{view.loaded(), {}};
    const float damping = jacobiDamping(s);
    const Size3 size = s.size();
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(blockIdx.x) * (tileX - 4) + tx - 2;
    const int y = static_cast<int>(blockIdx.y) * (tileY - 4) + ty - 2;
    const int begin = static_cast<int>(blockIdx.z) * march;
    const int end = min(begin + march, size.z);
    const int cell = tx + tileX * ty;
    const bool inside = x >= 0 && y >= 0 && x < size.x && y < size.y;
    const auto within = [&](int rim) {
        return inside && tx >= rim && ty >= rim && tx < tileX - rim && ty < tileY - rim;
    };
    const bool first = within(1), second = within(2);

    float largest = 0;
    float next[9] = {}; // coefficients of the plane of the first sweep
    for (int z = max(begin - 2, 0); z < end + 2; ++z) {
        if (inside && z < size.z) {
            const std::size_t i = offset(size, {x, y, z});
            for (int k = 0; k < 3; ++k)
                input[z % 3][k * planeCells + cell] = from.plane[k][i];
        }
        for (int k = 0; k < 9; ++k)
            s.held[k] = next[k];
        const Voxel ahead{x, y, z - 1};
        const bool aheadExists = ahead.z >= max(begin - 1, 0) && ahead.z < size.z;
        if (first && aheadExists) {
            const std::size_t i = offset(size, ahead);
            for (std::size_t k = 0; k < 9; ++k)
                next[k] = s.coefficients(k, i);
        }
        __syncthreads();
        if (first && aheadExists) {
            HeldSystem<View> now = s;
            for (int k = 0; k < 9; ++k)
                now.held[k] = next[k];
            const TileField field = around(input, cell, ahead);
            const std::array<float, 3> solved = jacobiStep<float>(now, field, ahead);
            for (int k = 0; k < 3; ++k) {
                const float old = at(field.component(k), size, ahead);
                once[ahead.z % 3][k * planeCells + cell] =
                    old + damping * (solved[static_cast<std::size_t>(k)] - old);
            }
        }
        __syncthreads();
        const Voxel behind{x, y, z - 2};
        if (second && behind.z >= begin)
            largest = fmaxf(largest, writeStep(s, around(once, cell, behind), behind, damping, to));
    }
    takeChange(mark, largest, blockChange);
}

void sweepFused(const SweepJob& job, LaunchLog& log) {
    if (job.count == 1) {
        SweepJob once = job;
        once.variant = jacobiFamily.named("register"); // the profile names the kernel that runs
        launchSweeps(once, log);
        return;
    }
    if (!(job.system.beta > 0)) {
        sweepTwiceWithoutBeta(job, log);
        return;
    }
    const Size3 size = job.system.size;
    constexpr int ownX = tileX - 4, ownY = tileY - 4;
    const int march = std::max(8, marchOf(log.cuda(), size, ownX * ownY, 64));
    LaunchShape shape;
    shape.block = dim3(tileX, tileY);
    shape.grid = dim3(static_cast<unsigned>((size.x + ownX - 1) / ownX),
                      static_cast<unsigned>((size.y + ownY - 1) / ownY),
                      static_cast<unsigned>((size.z + march - 1) / march));
    shape.sharedBytes = 18 * planeCells * sizeof(float);
    const KernelNote note = fusedNote(job, march);
    withSystem<Load::Cached>(job.system, job.half, [&](auto view) {
        const auto kernel = sweepTwice<decltype(view)>;
        cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shape.sharedBytes)),
                  note.kernel.c_str());
        log.launch(note, kernel, shape, view, job.from, job.to, march, job.mark);
    });
}

} // namespace

/// Twice the arithmetic; without beta the sums of weights are computed once per plane, and the
/// changes in the first sweep aren't measured.
KernelCost fusedCost(const SweepCase& which) {
    const bool energy = which.isEnergy();
    KernelCost c = 2.0 * cost::jacobiArithmetic(which.stencil, which.beta);
    if (!which.beta) {
        c.add = energy ? 21 : 41;
        c.multiply = energy ? 32 : 6;
        c.fusedMultiplyAdd = energy ? 54 : 49;
    }
    c.globalLoads = 9 + 3;
    c.globalStores = 3;
    c.sharedAccesses = which.beta ? 6 + 2 * cost::jacobiReads(which.stencil, true) : 6 + 2 * 12;
    c.barriers = which.beta ? 2 : 1;
    c.integer = which.beta ? (energy ? 950 : 510) : (energy ? 190 : 250);
    if (which.half) // both units are read once, whatever the stencil
        c = c + cost::halfCoefficients + KernelCost{.multiply = 3};
    return c;
}

extern const JacobiKernel jacobiFused;
const JacobiKernel jacobiFused{2, sweepFused, fusedCost, "sweepTwicePlain"};

} // namespace systole::clg
