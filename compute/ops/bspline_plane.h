// One plane of voxels of a B-spline field on the CPU: what a fast implementation works through.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/ops/bspline_rows.h"

namespace systole::bspline {

struct PlaneTables {
    AxisTable x, y, z;
    explicit PlaneTables(Size3 tile) : x(tile.x), y(tile.y), z(tile.z) {}
};

/// The field's plane z into `plane`, whose size is the image's with one voxel along z.
void planeOfField(ControlPointsView<const float> points, const PlaneTables& tables, int z,
                  FieldView<float> plane);

} // namespace systole::bspline
