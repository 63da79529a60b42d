// The control points of a cubic B-spline displacement field over a voxel grid.
//
//     d(x) = Σ_{l,m,n=0..3} B_l(u) B_m(v) B_n(w) phi(i+l, j+m, k+n),   i = floor(x/δ), u = x/δ − i
//
// Rueckert et al., IEEE TMI 18(8), 1999, eq. 2, with control point (0, 0, 0) one spacing before the
// first voxel, so that indices begin at zero.
#pragma once

#include "compute/core/volume.h"

namespace systole {

/// A grid aligned with the voxels: tile.x · tile.y · tile.z voxels share 64 control points.
struct ControlGrid {
    Size3 image; ///< the voxels that it covers
    Size3 tile;  ///< voxels from one control point to the next, at least 1

    /// Control points along each axis: one before the first voxel, three from its tile on.
    constexpr Size3 points() const {
        return {(image.x - 1) / tile.x + 4, (image.y - 1) / tile.y + 4, (image.z - 1) / tile.z + 4};
    }
    /// Position of a control point in voxels of the image.
    constexpr Vec3 position(int i, int j, int k) const {
        return {static_cast<double>((i - 1) * tile.x), static_cast<double>((j - 1) * tile.y),
                static_cast<double>((k - 1) * tile.z)};
    }
    bool operator==(const ControlGrid&) const = default;
};

/// Control points (displacements in voxels of the image, planar), of size grid.points().
template <typename T>
struct ControlPointsView {
    FieldView<T> values;
    ControlGrid grid;

    constexpr bool empty() const { return values.empty(); }
};

} // namespace systole
