// Sampling of images and fields at a position, and the arrow that starts there: the formulas shared
// by the host's loops and the CUDA kernels.
#pragma once

#include "compute/core/volume.h"
#include "render/glyph.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace systole::sampling {

constexpr double norm(Vec3 a) { return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

/// A 3×3 matrix as a kernel argument.
template <typename Real>
struct Matrix {
    Real m[3][3];

    /// Returns matrix · (x, y, z).
    constexpr Real row(int i, Real x, Real y, Real z) const {
        return m[i][0] * x + m[i][1] * y + m[i][2] * z;
    }
    constexpr Vec3 operator*(Vec3 v) const {
        return {static_cast<double>(row(0, v.x, v.y, v.z)),
                static_cast<double>(row(1, v.x, v.y, v.z)),
                static_cast<double>(row(2, v.x, v.y, v.z))};
    }
};

template <typename Real>
Matrix<Real> matrixOf(const Matrix3& from) {
    Matrix<Real> matrix{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            matrix.m[row][column] = static_cast<Real>(from[row][column]);
    return matrix;
}

/// A Geometry as a kernel argument.
struct Grid {
    Size3 size;
    Vec3 origin;
    Matrix<double> toPhysical{}, toIndex{};

    Grid() = default;
    explicit Grid(const Geometry& geometry)
        : size(geometry.size())
        , origin(geometry.origin())
        , toPhysical(matrixOf<double>(geometry.voxelToPhysicalMatrix()))
        , toIndex(matrixOf<double>(geometry.physicalToVoxelMatrix())) {}

    constexpr Vec3 indexToPhysical(Vec3 index) const {
        const Vec3 offset = toPhysical * index;
        return {origin.x + offset.x, origin.y + offset.y, origin.z + offset.z};
    }
    constexpr Vec3 physicalToIndex(Vec3 p) const {
        return toIndex * Vec3{p.x - origin.x, p.y - origin.y, p.z - origin.z};
    }
};

/// The eight voxels around a position and its fractional offset between them. `inside` is false
/// outside the box of the voxel centers; half a voxel of margin is clamped.
struct Cell {
    bool inside = false;
    int lower[3] = {}, upper[3] = {};
    double part[3] = {};
};

/// The cell around an index, or around the nearest index inside the volume.
constexpr Cell cellNear(Size3 size, Vec3 at) {
    const double index[3] = {at.x, at.y, at.z};
    Cell cell{true};
    for (int axis = 0; axis < 3; ++axis) {
        const int last = size[axis] - 1;
        const double inside = std::clamp(index[axis], 0.0, static_cast<double>(last));
        cell.lower[axis] = std::min(static_cast<int>(inside), std::max(last - 1, 0));
        cell.upper[axis] = std::min(cell.lower[axis] + 1, last);
        cell.part[axis] = inside - cell.lower[axis];
    }
    return cell;
}

constexpr Cell cellAt(const Grid& grid, Vec3 position) {
    const Vec3 at = grid.physicalToIndex(position);
    const double index[3] = {at.x, at.y, at.z};
    for (int axis = 0; axis < 3; ++axis)
        if (!(index[axis] >= -0.5 && index[axis] <= grid.size[axis] - 0.5))
            return {};
    return cellNear(grid.size, at);
}

/// Trilinear interpolation.
constexpr double interpolate(VolumeView<const float> voxels, const Cell& cell) {
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        int at[3] = {};
        for (int axis = 0; axis < 3; ++axis) {
            const bool upper = (corner >> axis) & 1;
            at[axis] = upper ? cell.upper[axis] : cell.lower[axis];
            weight *= upper ? cell.part[axis] : 1 - cell.part[axis];
        }
        sum += weight * static_cast<double>(voxels(at[0], at[1], at[2]));
    }
    return sum;
}

/// Interpolated displacement in LPS mm.
constexpr Vec3 interpolate(const Grid& grid, FieldView<const float> field, const Cell& cell) {
    return grid.toPhysical * Vec3{interpolate(field.componentView(0), cell),
                                  interpolate(field.componentView(1), cell),
                                  interpolate(field.componentView(2), cell)};
}

/// |matrix · (u, v, w)|: millimeters if the matrix is the grid's voxelToPhysicalMatrix.
template <typename Real>
constexpr Real magnitude(const Matrix<Real>& matrix, Real u, Real v, Real w) {
    const Real x = matrix.row(0, u, v, w), y = matrix.row(1, u, v, w), z = matrix.row(2, u, v, w);
    return std::sqrt(x * x + y * y + z * z);
}

/// Candidate positions of arrows in a volume: every stride-th voxel.
struct VolumeLattice {
    int first[3] = {}, stride[3] = {1, 1, 1}, count[3] = {};

    constexpr std::size_t places() const { return Size3{count[0], count[1], count[2]}.voxels(); }
};

/// Candidate positions in an anatomical plane: at center + column · right + row · up, columns and
/// rows counted from the middle to both sides.
struct SliceLattice {
    Vec3 center, right, up; ///< LPS mm; right and up are steps of the lattice
    int columns = 0, rows = 0;
    int axis = 2; ///< LPS axis across the plane

    constexpr std::size_t places() const {
        return static_cast<std::size_t>(2 * columns + 1) * static_cast<std::size_t>(2 * rows + 1);
    }
};

/// Conditions for an arrow at a position. Voxels on the host or on the device.
struct ArrowSource {
    Grid grid; ///< grid of the field
    FieldView<const float> field;
    Grid imageGrid;
    VolumeView<const float> image; ///< empty: no voxel is too dark
    float darkest = 0;
    double smallestMagnitude = 0; ///< minimum length of the drawn part, mm
};

constexpr bool tooDark(const ArrowSource& source, Vec3 position) {
    if (source.image.empty())
        return false;
    const Cell cell = cellAt(source.imageGrid, position);
    return !cell.inside || static_cast<float>(interpolate(source.image, cell)) < source.darkest;
}

/// Placeholder at a position without an arrow: length 0, so that nothing of it is seen, and a
/// direction that any slice can draw.
constexpr Glyph noArrow() {
    constexpr float diagonal = 0.57735f;
    return {0, 0, 0, 0, diagonal, diagonal, diagonal, 0};
}

/// `drawn` is the shown part of the vector, `magnitude` the length of the whole vector.
constexpr Glyph arrowOf(const ArrowSource& source, Vec3 position, double magnitude, Vec3 drawn) {
    const double length = norm(drawn);
    if (!(length > 0 && length >= source.smallestMagnitude) || tooDark(source, position))
        return noArrow();
    return {static_cast<float>(position.x),       static_cast<float>(position.y),
            static_cast<float>(position.z),       static_cast<float>(magnitude),
            static_cast<float>(drawn.x / length), static_cast<float>(drawn.y / length),
            static_cast<float>(drawn.z / length), static_cast<float>(length)};
}

/// The arrow at a point of the lattice, counted along x or the columns first; noArrow() if there is
/// none.
constexpr Glyph arrowAt(const ArrowSource& source, const VolumeLattice& lattice,
                        std::size_t place) {
    const auto columns = static_cast<std::size_t>(lattice.count[0]);
    const auto rows = static_cast<std::size_t>(lattice.count[1]);
    const int x = lattice.first[0] + lattice.stride[0] * static_cast<int>(place % columns);
    const int y = lattice.first[1] + lattice.stride[1] * static_cast<int>(place / columns % rows);
    const int z = lattice.first[2] + lattice.stride[2] * static_cast<int>(place / columns / rows);
    const std::size_t voxel = source.field.componentView(0).offset(x, y, z);
    const Vec3 mm = source.grid.toPhysical *
                    Vec3{source.field.u[voxel], source.field.v[voxel], source.field.w[voxel]};
    const Vec3 position = source.grid.indexToPhysical(
        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
    return arrowOf(source, position, norm(mm), mm);
}

constexpr Glyph arrowAt(const ArrowSource& source, const SliceLattice& lattice, std::size_t place) {
    const auto across = static_cast<std::size_t>(2 * lattice.columns + 1);
    const int column = static_cast<int>(place % across) - lattice.columns;
    const int row = static_cast<int>(place / across) - lattice.rows;
    const Vec3 at{lattice.center.x + column * lattice.right.x + row * lattice.up.x,
                  lattice.center.y + column * lattice.right.y + row * lattice.up.y,
                  lattice.center.z + column * lattice.right.z + row * lattice.up.z};
    const Cell cell = cellAt(source.grid, at);
    if (!cell.inside)
        return noArrow();
    const Vec3 mm = interpolate(source.grid, source.field, cell);
    const Vec3 inPlane{lattice.axis == 0 ? 0 : mm.x, lattice.axis == 1 ? 0 : mm.y,
                       lattice.axis == 2 ? 0 : mm.z};
    return arrowOf(source, at, norm(mm), inPlane);
}

} // namespace systole::sampling
