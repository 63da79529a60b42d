// Three or more planes of displacements march along z in shared memory; each flux is computed once
// for a block. Those along x and y go through shared memory, those along z stay in registers.
// `reuse` and `bulk` differ in how a plane gets there.
#pragma once

#include "compute/methods/unbiased/force_planes.cuh"

namespace systole::unbiased {

constexpr int fluxPitch = gpu::tileX + 2;

/// Memory for the fluxes beside the planes.
constexpr int fluxFloats(int rows) { return 3 * fluxPitch * rows + 3 * gpu::tileX * (rows + 2); }

/// A flux from shared memory.
constexpr KernelCost sharedFluxCost = fluxCost + KernelCost{.sharedAccesses = 18};
/// A voxel, besides the copies of cells and the edges' fluxes.
constexpr KernelCost marchedVoxelCost = frameCost + sharedFluxCost +
                                        KernelCost{.multiply = 26,
                                                   .fusedMultiplyAdd = 28,
                                                   .integer = 60,
                                                   .sharedAccesses = 6 + 12 + 3,
                                                   .barriers = 3};
/// The edges' fluxes, for a voxel of a block of so many rows.
constexpr KernelCost edgeCost(int rows) {
    return (64 + 2 * rows) / (32.0 * rows) *
           (sharedFluxCost + KernelCost{.integer = 20, .sharedAccesses = 3});
}

#ifdef __CUDACC__

/// The block's shared memory.
template <typename Planes>
struct Tile {
    const Planes& displacements;
    float* alongX; ///< component, row, with one more flux at either end
    float* alongY; ///< component, row, with one more row at either end
    int rows;

    __device__ Tile(const Planes& planes, float* fluxes, int rowsOfBlock)
        : displacements(planes)
        , alongX(fluxes)
        , alongY(fluxes + 3 * fluxPitch * rowsOfBlock)
        , rows(rowsOfBlock) {}
    __device__ float& fluxX(int component, int x, int y) const {
        return alongX[(component * rows + y) * fluxPitch + x + 1];
    }
    __device__ float& fluxY(int component, int x, int y) const {
        return alongY[(component * (rows + 2) + y + 1) * gpu::tileX + x];
    }
    /// The flux of the voxel (x, y) of the block, at most one beyond it, in plane z.
    __device__ Flux flux(int x, int y, int z, Size3 size) const {
        const int cell = Planes::cellOf(x, y);
        const float factor[3] = {
            differenceFactor(static_cast<int>(blockIdx.x * blockDim.x) + x, size.x),
            differenceFactor(static_cast<int>(blockIdx.y * blockDim.y) + y, size.y),
            differenceFactor(z, size.z)};
        return Flux(displacements.deformation(cell, z, factor));
    }
    /// The fluxes beyond the block's edges, by its first threads.
    __device__ void fillEdges(int z, Size3 size) const {
        const int thread = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y),
                  threads = static_cast<int>(blockDim.x * blockDim.y);
        for (int edge = thread; edge < 2 * gpu::tileX + 2 * rows; edge += threads) {
            const int ofRows = edge - 2 * gpu::tileX;
            const int x = ofRows < 0 ? edge % gpu::tileX : ofRows % 2 ? gpu::tileX : -1;
            const int y = ofRows >= 0 ? ofRows / 2 : edge < gpu::tileX ? -1 : rows;
            const Flux found = flux(x, y, z, size);
#pragma unroll
            for (int i = 0; i < 3; ++i)
                if (ofRows < 0)
                    fluxY(i, x, y) = found.along(i, 1);
                else
                    fluxX(i, x, y) = found.along(i, 0);
        }
    }
};

/// The kernel, with planes that `ring` brings: begin(w, first, last) for the planes first to last,
/// the first two of which are there when it returns or after the next barrier; bring(w, z), called
/// by all threads for one plane after the other, which is there after the next barrier.
template <typename Planes>
__device__ inline void marchForce(const ForceStep& s, int planes, Planes& ring, float* fluxes) {
    const FieldView<const float> w = motionOf(s);
    const Size3 size = w.size;
    const gpu::Column c = gpu::columnOf(size, planes);
    const Tile<Planes> tile(ring, fluxes, static_cast<int>(blockDim.y));
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const int cell = Planes::cellOf(x, y);
    const TransposedDifference alongX = transposedDifference(c.x, size.x),
                               alongY = transposedDifference(c.y, size.y);
    Vector below{};  // the last plane's fluxes along z
    Vector within{}; // the last plane's force, except for the flux above it
    Deformation last{};
    double2 total{0, 0};
    ring.begin(w, c.begin - 2, c.end + 1);
    // A plane's force is complete one plane later.
    for (int z = c.begin - 1; z <= c.end; ++z) {
        __syncthreads(); // all have read the plane that is replaced, and the fluxes
        ring.bring(w, z + 1);
        __syncthreads();
        const bool own = z >= c.begin && z < c.end;
        const Flux here = tile.flux(x, y, z, size);
        if (own) {
#pragma unroll
            for (int i = 0; i < 3; ++i) {
                tile.fluxX(i, x, y) = here.along(i, 0);
                tile.fluxY(i, x, y) = here.along(i, 1);
            }
            tile.fillEdges(z, size);
            __syncthreads();
        }
        const Vector above{{here.along(0, 2), here.along(1, 2), here.along(2, 2)}};
        if (c.inGrid && z > c.begin) {
            const TransposedDifference t = transposedDifference(z - 1, size.z);
            Vector force{};
#pragma unroll
            for (int i = 0; i < 3; ++i)
                force.v[i] = forceWith(within.v[i], s.rule.lambda, t, above.v[i]);
            writeForce(s, c.x, c.y, z - 1, last, force);
        }
        if (c.inGrid && own) {
            const float at[3] = {ring.of(0, z)[cell], ring.of(1, z)[cell], ring.of(2, z)[cell]};
            const DataTerm data = dataTermAt(s, at, c.x, c.y, z);
            const TransposedDifference t = transposedDifference(z, size.z);
#pragma unroll
            for (int i = 0; i < 3; ++i) {
                const float alongRow = alongX.of(tile.fluxX(i, x - 1, y), here.along(i, 0),
                                                 tile.fluxX(i, x + 1, y)),
                            alongColumn = alongY.of(tile.fluxY(i, x, y - 1), here.along(i, 1),
                                                    tile.fluxY(i, x, y + 1));
                within.v[i] =
                    forceBelow(data.force.v[i], s.rule.lambda,
                               withFluxesBehind(alongRow, t, below.v[i], above.v[i]), alongColumn);
            }
            addEnergy(total, s, data.energy, here);
        }
        below = above;
        last = here.m;
    }
    conclude(s, total);
}

#endif

} // namespace systole::unbiased
