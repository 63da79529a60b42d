// Tiles of 32×4 columns (or another number of rows) marching in z, three planes with their halo in
// shared memory.
#include "compute/methods/clg/solver/jacobi_cuda.cuh"

namespace systole::clg {
namespace {

constexpr int tileX = gpu::tileX;
constexpr int standardThreads = jacobiFamily["shared"].standardThreads;
constexpr int standardRows = standardThreads / tileX;
constexpr int haloX = tileX + 2;
constexpr int cellsOfPlane(int rows) { return haloX * (rows + 2); }

/// One component of three planes around `center`, each a tile with its halo.
struct TileComponent {
    const float* below;
    const float* here;
    const float* above;
    int cell; ///< index of the center in a plane
    Voxel center;
};

__device__ inline float at(const TileComponent& t, Size3, Voxel p) {
    const float* plane = p.z < t.center.z ? t.below : p.z > t.center.z ? t.above : t.here;
    return plane[t.cell + p.x - t.center.x + haloX * (p.y - t.center.y)];
}

struct TileField {
    const float* plane[3]; ///< planes z−1, z and z+1, three components each
    int planeCells;        ///< cells per component
    int cell;
    Voxel center;

    __device__ TileComponent component(int k) const {
        return {plane[0] + k * planeCells, plane[1] + k * planeCells, plane[2] + k * planeCells,
                cell, center};
    }
};

/// Fills the tile's plane z; cells beyond the grid stay unchanged and are not read.
__device__ inline void fillPlane(const Planes<const float>& from, Size3 size, int firstX,
                                 int firstY, int z, int rows, float* plane) {
    if (z < 0 || z >= size.z)
        return;
    const int thread = static_cast<int>(threadIdx.x + tileX * threadIdx.y);
    const int planeCells = cellsOfPlane(rows);
    for (int cell = thread; cell < planeCells; cell += tileX * rows) {
        const Voxel p{firstX + cell % haloX, firstY + cell / haloX, z};
        if (p.x < 0 || p.y < 0 || p.x >= size.x || p.y >= size.y)
            continue;
        const std::size_t i = offset(size, p);
        for (int k = 0; k < 3; ++k)
            plane[k * planeCells + cell] = from.plane[k][i];
    }
}

/// Three planes of three components of a tile of `Rows` rows, or of as many as were launched (0).
template <int Rows>
__device__ inline float* tileStorage() {
    if constexpr (Rows > 0) {
        __shared__ float tile[9 * cellsOfPlane(Rows)];
        return tile;
    } else {
        extern __shared__ float launchedTile[];
        return launchedTile;
    }
}

/// Built for tiles of the default number of rows and of any number (0).
template <int Rows, typename View>
__global__ void __launch_bounds__(Rows > 0 ? tileX * Rows : gpu::maxThreads)
    sweepTiles(const View view, Planes<const float> from, Planes<float> to, int march,
               SweepMark mark) {
    __shared__ unsigned blockChange;
    const int rows = Rows > 0 ? Rows : static_cast<int>(blockDim.y);
    const int planeCells = cellsOfPlane(rows);
    if (mark.state->done)
        return;
    const View s = view.loaded();
    const float damping = jacobiDamping(s);
    const Size3 size = s.size();
    const int firstX = static_cast<int>(blockIdx.x) * tileX - 1;
    const int firstY = static_cast<int>(blockIdx.y) * rows - 1;
    const int begin = static_cast<int>(blockIdx.z) * march;
    const int end = min(begin + march, size.z);
    const int inX = static_cast<int>(threadIdx.x) + 1, inY = static_cast<int>(threadIdx.y) + 1;
    const int x = firstX + inX, y = firstY + inY;
    float* below = tileStorage<Rows>();
    float *here = below + 3 * planeCells, *above = here + 3 * planeCells;
    fillPlane(from, size, firstX, firstY, begin - 1, rows, below);
    fillPlane(from, size, firstX, firstY, begin, rows, here);
    float largest = 0;
    for (int z = begin; z < end; ++z) {
        fillPlane(from, size, firstX, firstY, z + 1, rows, above);
        __syncthreads();
        if (x < size.x && y < size.y) {
            const Voxel p{x, y, z};
            const TileField field{{below, here, above}, planeCells, inX + haloX * inY, p};
            largest = fmaxf(largest, writeStep(s, field, p, damping, to));
        }
        __syncthreads();
        float* const free = below;
        below = here;
        here = above;
        above = free;
    }
    takeChange(mark, largest, blockChange);
}

KernelCost sharedCost(const SweepCase& which) {
    const double cells = cost::cellsPerThread(which.rows);
    KernelCost c = stepCost(which);
    c.globalLoads += 3 * cells;
    c.sharedAccesses = 3 * cells + cost::jacobiReads(which.stencil, which.beta);
    c.barriers = 2;
    c.integer =
        (which.beta ? (which.isEnergy() ? 560 : 320) : (which.isEnergy() ? 170 : 205)) + 36 * cells;
    return c + widening(which, 9);
}

void sweepShared(const SweepJob& job, LaunchLog& log) {
    const Size3 size = job.system.size;
    const int rows = gpu::rowsOfBlock(log, jacobiFamily, job.variant);
    const int march = marchOf(log.cuda(), size, standardThreads, 32);
    LaunchShape shape = gpu::columnsOver(size, march, rows);
    const bool standard = rows == standardRows;
    if (!standard)
        shape.sharedBytes = 9 * sizeof(float) * static_cast<std::size_t>(cellsOfPlane(rows));
    const KernelNote note = noteOf(job, shape, sharedCost(caseOf(job, rows)));
    withSystem<Load::Cached>(job.system, job.half, [&](auto view) {
        const auto kernel =
            standard ? sweepTiles<standardRows, decltype(view)> : sweepTiles<0, decltype(view)>;
        log.launch(note, kernel, shape, view, job.from, job.to, march, job.mark);
    });
}

} // namespace

extern const JacobiKernel jacobiShared;
const JacobiKernel jacobiShared{1, sweepShared, sharedCost, "sweepTilesILi4E", true};

} // namespace systole::clg
