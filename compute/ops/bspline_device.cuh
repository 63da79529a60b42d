// Common parts of the kernels of B-spline fields: the spline as a kernel parameter, its tables of
// weights in constant memory, and the launch of one of them.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/bspline_field_cuda.cuh"
#include "compute/ops/bspline_field_math.h"

namespace systole::bspline {

/// The weights of each place of a tile. As a kernel parameter it lies in constant memory.
struct AxisConstants {
    float4 of[maxVoxelsOfTileOnDevice];

    explicit AxisConstants(const ControlAxis& axis) : of{} {
        for (int t = 0; t < axis.tile; ++t) {
            const Weights<float> w = weightsOfVoxel(t, axis);
            of[t] = {w.of[0], w.of[1], w.of[2], w.of[3]};
        }
    }
};
struct WeightConstants {
    AxisConstants x, y, z;
    explicit WeightConstants(const ControlGrid& grid)
        : x(grid.axis(0)), y(grid.axis(1)), z(grid.axis(2)) {}
};

/// Control points: three components of a grid of `count`.
struct Points {
    const float* of[3];
    Size3 count, tile;
    Size3 lead; ///< whole voxels of the first tile before the image (ControlAxis::lead())
    float inverseTile[3];

    explicit Points(const ControlPointsView<const float>& p)
        : of{p.values.u, p.values.v, p.values.w}
        , count(p.values.size)
        , tile(p.grid.tile)
        , lead{p.grid.axis(0).lead(), p.grid.axis(1).lead(), p.grid.axis(2).lead()}
        , inverseTile{1.0f / static_cast<float>(tile.x), 1.0f / static_cast<float>(tile.y),
                      1.0f / static_cast<float>(tile.z)} {}
    __host__ __device__ int row() const { return count.x; }
    __host__ __device__ int plane() const { return count.x * count.y; }
    __device__ int offset(int i, int j, int k) const { return i + count.x * (j + count.y * k); }
};

/// Input and output of a kernel of the field. Its block size is the log's for a variant of a
/// family.
struct FieldLaunch {
    ControlPointsView<const float> points;
    FieldView<float> field;
    cudaTextureObject_t texture = 0; ///< texture of the points, for kernels that read one
    const KernelFamily& family = bsplineKernel;
    int variant = 0;

    int threads(const LaunchLog& log) const { return gpu::threadsOfBlock(log, family, variant); }
    int rows(const LaunchLog& log) const { return gpu::rowsOfBlock(log, family, variant); }

    /// Control points read and voxels written, each once; `flops` per voxel.
    KernelNote note(double flops, const KernelCost& cost) const {
        const auto voxels = static_cast<double>(field.size.voxels());
        return {family.kernel(variant),
                12 * (voxels + static_cast<double>(points.values.size.voxels())), flops * voxels,
                cost};
    }
};

void launchColumns(const FieldLaunch& f, LaunchLog& log);

/// The cost of two voxels, which tools/sass_counts.py compares with the machine code.
extern const KernelCost columnPair;

#ifdef __CUDACC__

__device__ inline float weighted(float4 w, float a, float b, float c, float d) {
    return fmaf(w.w, d, fmaf(w.z, c, fmaf(w.y, b, w.x * a)));
}

/// a + t (b − a), with one rounding after the difference.
__device__ inline float mix(float a, float b, float t) { return fmaf(t, b - a, a); }

#endif

} // namespace systole::bspline
