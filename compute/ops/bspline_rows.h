// The separable B-spline on the CPU, plane by plane, and its inner loops in SIMD with the
// instruction set chosen at run time (as compute/ops/row_kernels.h). Rows are contiguous floats
// without alignment; outputs must not overlap inputs.
#pragma once

#include "compute/core/control_grid.h"

#include <array>
#include <cstdint>
#include <vector>

namespace systole::bspline {

/// Floats beyond the end of a row of control points that expand() may read: at least a vector.
inline constexpr int rowPadding = 64;

/// The weights of an axis as vectors read them.
struct AxisTable {
    explicit AxisTable(const ControlAxis& along);

    ControlAxis axis;
    /// of[l][t]: weight of control point l for place t mod tile; longer than a tile by a
    /// vector.
    std::array<std::vector<float>, 4> of;
    /// t / tile, for the same t.
    std::vector<std::int32_t> step;
    /// Four weights of each place of a tile, behind one another.
    std::vector<float> perVoxel;

    /// The four weights of the voxel at this index of the axis.
    const float* weights(int voxel) const { return perVoxel.data() + 4 * axis.placeInTile(voxel); }
    /// Its weight for control point `point` of the axis; 0 for one that it doesn't depend on.
    float weight(int voxel, int point) const {
        const int l = point - axis.tileOf(voxel);
        return l < 0 || l > 3 ? 0.0f : weights(voxel)[l];
    }
};

/// out[i] = Σ_r weights[r][i] · rows[r][i], in this order of r.
void combineEach(const float* const* rows, const float* const* weights, int rowCount, int count,
                 float* out);

/// sums[l][i] += Σ_r weights[4 r + l] · the r-th row's i-th value, in this order of r: what the
/// rows of a tile's voxels, from `first` on, add to the four control points that they depend on.
void addToFour(const float* first, std::size_t stride, const float* weights, int rowCount,
               int count, float* const (&sums)[4]);

/// A row of the image's voxels from a row of control points: out[c][x] = Σ_l B_l ·
/// points[c][tileOf(x) + l]. Reads up to rowPadding values beyond each row of points; they change
/// nothing.
void expand(const AxisTable& table, const float* const (&points)[3], float* const (&out)[3]);

/// Transposed: points[c][i + l] = Σ_x B_l · values[c][x] over x with tileOf(x) = i.
void reduce(const AxisTable& table, const float* const (&values)[3], float* const (&points)[3]);

struct PlaneTables {
    AxisTable x, y, z;
    explicit PlaneTables(const ControlGrid& grid)
        : x(grid.axis(0)), y(grid.axis(1)), z(grid.axis(2)) {}
};

/// The field's plane z into `plane`, whose size is the image's with one voxel along z.
void planeOfField(ControlPointsView<const float> points, const PlaneTables& tables, int z,
                  FieldView<float> plane);
/// The field's plane z as the sum over 64 control points at every voxel.
void planeByPlainLoop(ControlPointsView<const float> points, int z, FieldView<float> plane);

} // namespace systole::bspline
