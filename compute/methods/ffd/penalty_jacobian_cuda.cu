#include "compute/methods/ffd/penalty_jacobian_cuda.cuh"
#include "compute/methods/ffd/penalty_jacobian_math.h"

#include <algorithm>

namespace systole::gpu {
namespace {

using jacobian::patch;
using jacobian::patchTiles;

/// The control points, and what the penalty's sums are made of.
struct Lattice {
    Size3 n, tiles;
    float perTile[3];
    const float* at;
    const float* more;
    float share; ///< the weight over the number of Gauss points

    __device__ std::size_t index(int c, int i, int j, int k) const {
        return c * n.voxels() + VolumeView<const float>(nullptr, n).offset(i, j, k);
    }
    __device__ float value(std::size_t p) const { return more ? at[p] + more[p] : at[p]; }

    /// I + ∇d at the Gauss points of a tile.
    __device__ void matrices(int tx, int ty, int tz,
                             jacobian::Matrix<float> (&m)[jacobian::points]) const {
        SYSTOLE_UNROLL
        for (int c = 0; c < 3; ++c) {
            const std::size_t first = index(c, tx, ty, tz);
            float along[jacobian::points][3];
            jacobian::derivativesOf(
                [&](int l, int k, int z) {
                    return value(first + static_cast<std::size_t>(l) +
                                 static_cast<std::size_t>(n.x) *
                                     (static_cast<std::size_t>(k) +
                                      static_cast<std::size_t>(n.y) * static_cast<std::size_t>(z)));
                },
                perTile, along);
            SYSTOLE_UNROLL
            for (int p = 0; p < jacobian::points; ++p)
                SYSTOLE_UNROLL
            for (int axis = 0; axis < 3; ++axis)
                m[p].of[c][axis] = along[p][axis] + (c == axis ? 1.0f : 0.0f);
        }
    }
};

__global__ void valueKernel(const __grid_constant__ Lattice lattice, GridSum room, double2* out) {
    const Size3 tiles = lattice.tiles;
    double2 sum{0, 0};
    for (std::size_t t = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
         t < tiles.voxels(); t += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
        const auto row = static_cast<int>(t / static_cast<std::size_t>(tiles.x));
        const auto tx = static_cast<int>(t % static_cast<std::size_t>(tiles.x));
        jacobian::Matrix<float> m[jacobian::points];
        lattice.matrices(tx, row % tiles.y, row / tiles.y, m);
        SYSTOLE_UNROLL
        for (int p = 0; p < jacobian::points; ++p)
            sum.x += onSumGrid(static_cast<double>(m[p].toStress(0)), jacobian::sumUnit);
    }
    double2 total;
    if (gridSum(sum, room, total))
        *out = {static_cast<double>(lattice.share) * total.x, 0};
}

/// A patch of columns of control points, planes z to last − 1.
struct Patches {
    int acrossX, acrossY, chunks, planes;

    explicit Patches(Size3 n)
        : acrossX(divideUp(n.x, patch)), acrossY(divideUp(n.y, patch)), chunks(1), planes(n.z) {
        // Enough blocks to fill a device; each looks at three more layers of tiles.
        constexpr int enough = 528, fewestPlanes = 6;
        planes = std::clamp(n.z * acrossX * acrossY / enough, std::min(fewestPlanes, n.z), n.z);
        chunks = divideUp(n.z, planes);
    }
    __host__ __device__ int count() const { return acrossX * acrossY * chunks; }
};

/// The stresses of a layer of tiles around a patch: [9 · point + 3 · component + axis][tile].
using LayerStresses = float[9 * jacobian::points][patchTiles * patchTiles];

/// Fills them; those of tiles beyond the grid are zero. Returns the thread's part of the penalty of
/// the tiles that are the patch's own.
__device__ double stressLayer(const Lattice& lattice, int firstX, int firstY, int tz, bool ownLayer,
                              LayerStresses& stresses) {
    double sum = 0;
    for (int t = static_cast<int>(threadIdx.x); t < patchTiles * patchTiles;
         t += static_cast<int>(blockDim.x)) {
        const int x = t % patchTiles, y = t / patchTiles;
        const int tx = firstX - 3 + x, ty = firstY - 3 + y;
        jacobian::Matrix<float> m[jacobian::points]{};
        if (tx >= 0 && tx < lattice.tiles.x && ty >= 0 && ty < lattice.tiles.y) {
            lattice.matrices(tx, ty, tz, m);
            const bool own = ownLayer && x >= 3 && y >= 3;
            SYSTOLE_UNROLL
            for (int p = 0; p < jacobian::points; ++p) {
                const auto penalty = static_cast<double>(m[p].toStress(lattice.share));
                sum += own ? onSumGrid(penalty, jacobian::sumUnit) : 0.0;
            }
        }
        SYSTOLE_UNROLL
        for (int p = 0; p < jacobian::points; ++p)
            SYSTOLE_UNROLL
        for (int n = 0; n < 9; ++n)
            stresses[9 * p + n][t] = m[p].of[n / 3][n % 3];
    }
    return sum;
}

constexpr int gatherThreads = 3 * patch * patch;

/// A thread per column of control points and component marches along z: when a layer of tiles has
/// been added, the plane of control points of its number is complete.
__global__ void __launch_bounds__(gatherThreads)
    gradientKernel(const __grid_constant__ Lattice lattice, const Patches patches, float* gradient,
                   GridSum room, double2* out) {
    __shared__ LayerStresses stresses;
    const int thread = static_cast<int>(threadIdx.x);
    const int x = thread % patch, y = thread / patch % patch, c = thread / (patch * patch);
    const Size3 n = lattice.n;
    double2 sum{0, 0};
    for (int b = static_cast<int>(blockIdx.x); b < patches.count();
         b += static_cast<int>(gridDim.x)) {
        const int firstX = b % patches.acrossX * patch,
                  firstY = b / patches.acrossX % patches.acrossY * patch,
                  firstZ = b / (patches.acrossX * patches.acrossY) * patches.planes,
                  lastZ = min(firstZ + patches.planes, n.z);
        const bool inGrid = firstX + x < n.x && firstY + y < n.y;
        float open[4]{}; // sums of the planes tz … tz + 3
        for (int tz = firstZ - 3; tz < lastZ; ++tz) {
            if (tz >= 0 && tz < lattice.tiles.z) {
                __syncthreads();
                sum.x += stressLayer(lattice, firstX, firstY, tz, tz >= firstZ, stresses);
                __syncthreads();
                SYSTOLE_UNROLL
                for (int m = 0; m < 4; ++m)
                    SYSTOLE_UNROLL
                for (int l = 0; l < 4; ++l) {
                    // The tile in which this is control point (l, m).
                    const int t = (y + 3 - m) * patchTiles + x + 3 - l;
                    jacobian::gatherColumn(
                        l, m, lattice.perTile,
                        [&](int p, int axis) { return stresses[9 * p + 3 * c + axis][t]; },
                        [&](int plane, float value) { open[plane] += value; });
                }
            }
            if (tz >= firstZ && inGrid)
                gradient[lattice.index(c, firstX + x, firstY + y, tz)] += open[0];
            open[0] = open[1];
            open[1] = open[2];
            open[2] = open[3];
            open[3] = 0;
        }
    }
    double2 total;
    if (gridSum(sum, room, total))
        *out = {static_cast<double>(lattice.share) * total.x, 0};
}

} // namespace

void addJacobianPenalty(const ControlGrid& grid, double weight, const PenaltyPoints& points,
                        const GridSum& room, double2* out, LaunchLog& log) {
    float* const gradient = points.gradient;
    const Size3 n = grid.points();
    Lattice lattice{n, {n.x - 3, n.y - 3, n.z - 3}, {}, points.at, points.more, 0};
    for (int axis = 0; axis < 3; ++axis)
        lattice.perTile[axis] = 1.0f / static_cast<float>(grid.tile[axis]);
    const auto tiles = static_cast<double>(lattice.tiles.voxels());
    lattice.share = static_cast<float>(weight / (jacobian::points * tiles));
    const auto values = 3.0 * static_cast<double>(n.voxels());
    const double bytes = (4 + (points.more ? 4 : 0) + (gradient ? 8 : 0)) * values;
    if (!gradient) {
        const std::size_t blocks = (lattice.tiles.voxels() + 127) / 128;
        log.launch(
            {"volume change", bytes, 3800 * tiles}, valueKernel,
            {dim3(static_cast<unsigned>(std::min<std::size_t>(blocks, sumBlocks))), dim3(128)},
            lattice, room, out);
        return;
    }
    const Patches patches(n);
    log.launch(
        {"volume change and gradient", bytes, 3800 * tiles + 1600 * values}, gradientKernel,
        {dim3(std::min(static_cast<unsigned>(patches.count()), sumBlocks)), dim3(gatherThreads)},
        lattice, patches, gradient, room, out);
}

} // namespace systole::gpu
