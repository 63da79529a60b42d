// Checks of the input that every implementation of compute/ops/bspline_field.h makes.
#pragma once

#include "compute/core/error.h"
#include "compute/ops/bspline_field.h"

#include <string>

namespace systole::bspline {

/// Throws ComputeError unless sizes fit each other.
inline void check(const ControlGrid& grid, Size3 points, Size3 field) {
    if (grid.tile.x < 1 || grid.tile.y < 1 || grid.tile.z < 1)
        throw ComputeError("a tile of a B-spline has at least one voxel along each axis");
    for (int axis = 0; axis < 3; ++axis)
        if (grid.margin[axis] < 0 || grid.margin[axis] > 2 * grid.tile[axis])
            throw ComputeError("a B-spline's first tile begins at most a tile before the image");
    if (field != grid.image || grid.image.voxels() == 0)
        throw ComputeError("the field of a B-spline has another size than its grid's image");
    if (points != grid.points())
        throw ComputeError("a B-spline has another number of control points than its grid");
}

/// Also throws unless the first tile begins at the first voxel, as the kernels of the literature
/// have it.
inline void checkFromFirstVoxel(const ControlGrid& grid) {
    if (grid.margin != Size3{})
        throw ComputeError("this B-spline kernel takes tiles that begin at the first voxel");
}

/// As check(); also throws for a tile whose weights the device's tables can't hold.
inline void checkOnDevice(const ControlGrid& grid, Size3 points, Size3 field) {
    check(grid, points, field);
    for (int axis = 0; axis < 3; ++axis)
        if (grid.tile[axis] > maxVoxelsOfTileOnDevice)
            throw ComputeError("a B-spline on a CUDA device takes tiles of at most " +
                               std::to_string(maxVoxelsOfTileOnDevice) + " voxels along each axis");
}

} // namespace systole::bspline
