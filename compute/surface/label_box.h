// The part of a grid in which a label's surface lies: its distances, band and triangles need no
// other voxels.
#pragma once

#include "compute/core/volume.h"
#include "compute/core/voxel_box.h"

#include <optional>

namespace systole {

/// The smallest box of the voxels whose value rounds to `label`; none: no voxel does.
std::optional<VoxelBox> boxOfLabel(VolumeView<const float> labels, int label);

/// The box from the voxel `first` to the voxel `last` (whole numbers), clipped to the grid; empty
/// if the grid has none of these voxels.
VoxelBox boxBetween(Vec3 first, Vec3 last, Size3 grid);
/// Holds both boxes.
VoxelBox hull(const VoxelBox& a, const VoxelBox& b);

/// The box grown by `millimeters` on each side, in whole voxels, clipped to the grid.
VoxelBox grownBy(const VoxelBox& box, double millimeters, const Geometry& grid);

/// The box's voxels where they lie.
Geometry geometryOf(const VoxelBox& box, const Geometry& grid);

/// The box of a volume; `out` has the box's size.
void copyBox(VolumeView<const float> volume, const VoxelBox& box, VolumeView<float> out);

} // namespace systole
