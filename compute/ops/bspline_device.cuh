// What the kernels of B-spline fields share: the spline as a kernel parameter, its tables of
// weights in constant memory, and the launches that the table of variants lists.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/bspline_field_cuda.cuh"
#include "compute/ops/bspline_field_math.h"

namespace systole::bspline {

/// The weights of each voxel of a tile. As a kernel parameter it lies in constant memory.
struct AxisConstants {
    float4 of[mostVoxelsOfTileOnDevice];

    explicit AxisConstants(int tile) : of{} {
        for (int t = 0; t < tile; ++t) {
            const Weights<float> w = weightsOfVoxel(t, tile);
            of[t] = {w.of[0], w.of[1], w.of[2], w.of[3]};
        }
    }
};
struct WeightConstants {
    AxisConstants x, y, z;
    explicit WeightConstants(Size3 tile) : x(tile.x), y(tile.y), z(tile.z) {}
};

/// Control points: three components of a grid of `count`.
struct Points {
    const float* of[3];
    Size3 count, tile;
    float inverseTile[3];

    explicit Points(const ControlPointsView<const float>& p)
        : of{p.values.u, p.values.v, p.values.w}
        , count(p.values.size)
        , tile(p.grid.tile)
        , inverseTile{1.0f / static_cast<float>(tile.x), 1.0f / static_cast<float>(tile.y),
                      1.0f / static_cast<float>(tile.z)} {}
    __host__ __device__ int row() const { return count.x; }
    __host__ __device__ int plane() const { return count.x * count.y; }
    __device__ int offset(int i, int j, int k) const { return i + count.x * (j + count.y * k); }
};

/// A launch of a variant: its shape, the work of a thread, and the kernel.
struct FieldLaunch {
    int variant;
    ControlPointsView<const float> points;
    cudaTextureObject_t texture;
    FieldView<float> field;

    /// Control points read and voxels written, each once; `flops` per voxel.
    KernelNote note(double flops, const KernelCost& cost) const {
        const auto voxels = static_cast<double>(field.size.voxels());
        return {bsplineFamily.kernel(variant),
                12 * (voxels + static_cast<double>(points.values.size.voxels())), flops * voxels,
                cost};
    }
};

// One function per variant, in the files bspline_voxel_cuda.cu, bspline_tile_cuda.cu and
// bspline_columns_cuda.cu.
void launchGlobal(const FieldLaunch& f, LaunchLog& log);
void launchTexture1d(const FieldLaunch& f, LaunchLog& log);
void launchTextureFilter(const FieldLaunch& f, LaunchLog& log);
void launchThreadPerVoxel(const FieldLaunch& f, LaunchLog& log);
void launchThreadPerTile(const FieldLaunch& f, LaunchLog& log);
void launchThreadPerTileLerp(const FieldLaunch& f, LaunchLog& log);
void launchColumns(const FieldLaunch& f, LaunchLog& log);

// Costs that tools/sass_counts.py compares with the machine code: of a voxel or two, or of a
// thread.
extern const KernelCost globalVoxel, texture1dVoxel, textureFilterVoxel, sharedVoxel, tileVoxel,
    tileLerpVoxel, columnPair;

#ifdef __CUDACC__

__device__ inline float weighted(float4 w, float a, float b, float c, float d) {
    return fmaf(w.w, d, fmaf(w.z, c, fmaf(w.y, b, w.x * a)));
}

/// a + t (b − a), with one rounding after the difference.
__device__ inline float mix(float a, float b, float t) { return fmaf(t, b - a, a); }

#endif

} // namespace systole::bspline
