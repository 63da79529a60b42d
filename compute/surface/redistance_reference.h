// The nearest of all points for every voxel, by comparing with each of them.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstdint>

namespace systole {

/// What spreadClosestPoints() seeks, exactly; as many steps as voxels times points.
void nearestOfAllPoints(FieldView<const float> points, Vec3 spacing,
                        VolumeView<std::int32_t> source, const ExecContext& ctx);

} // namespace systole
