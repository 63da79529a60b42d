// Planes of displacements in shared memory, with a halo of two voxels, that march along z: what
// `recompute`, `reuse` and `bulk` have in common.
#pragma once

#include "compute/methods/unbiased/force_device.cuh"

namespace systole::unbiased {

constexpr int halo = 2;

/// Cells of a plane for so many rows; along x the halo may be wider than is needed.
constexpr int cellsOfPlane(int rows, int haloX = halo) {
    return (gpu::tileX + 2 * haloX) * (rows + 2 * halo);
}

#ifdef __CUDACC__

/// The ring of planes: component, plane, row.
template <int PlanesKept, int HaloX = halo>
struct DisplacementPlanes {
    static constexpr int pitch = gpu::tileX + 2 * HaloX;

    float* values;
    int plane; ///< cells of a plane

    /// The cell of the voxel (x, y) of the block.
    __device__ static int cellOf(int x, int y) { return (y + halo) * pitch + x + HaloX; }

    __device__ float* of(int component, int z) const {
        const int slot = (z + PlanesKept) % PlanesKept;
        return values + (component * PlanesKept + slot) * plane;
    }
    /// Copies a plane of the grid, or the nearest one, with its halo.
    __device__ void fill(const FieldView<const float>& w, int z) const {
        const int threads = static_cast<int>(blockDim.x * blockDim.y);
        const int x0 = static_cast<int>(blockIdx.x * blockDim.x) - HaloX,
                  y0 = static_cast<int>(blockIdx.y * blockDim.y) - halo;
        for (int cell = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y); cell < plane;
             cell += threads) {
            const std::size_t i = w.componentView(0).offset(
                clampedIndex(x0 + cell % pitch, w.size.x),
                clampedIndex(y0 + cell / pitch, w.size.y), clampedIndex(z, w.size.z));
#pragma unroll
            for (int k = 0; k < 3; ++k)
                of(k, z)[cell] = w.component(k)[i];
        }
    }
    /// M of the voxel at `cell` of plane z. Beyond the border the nearest voxel is repeated, so
    /// that differences are one-sided there.
    __device__ Deformation deformation(int cell, int z, const float (&factor)[3]) const {
        Deformation d{};
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const float* const here = of(i, z) + cell;
            d.m[i][0] = factor[0] * (here[1] - here[-1]);
            d.m[i][1] = factor[1] * (here[pitch] - here[-pitch]);
            d.m[i][2] = factor[2] * (of(i, z + 1)[cell] - of(i, z - 1)[cell]);
            d.m[i][i] += 1;
        }
        return d;
    }
};

#endif

} // namespace systole::unbiased
