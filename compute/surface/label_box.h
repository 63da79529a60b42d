// The part of a grid in which a label's surface lies: its distances, band and triangles need no
// other voxels.
#pragma once

#include "compute/core/volume.h"
#include "compute/core/voxel_box.h"

#include <optional>

namespace systole {

/// The smallest box of the voxels whose value rounds to `label`; none: no voxel does.
std::optional<VoxelBox> boxOfLabel(VolumeView<const float> labels, int label);

/// From the voxel `first` to the voxel `last`, whole numbers, as far as the grid has them; empty if
/// it has none.
VoxelBox boxBetween(Vec3 first, Vec3 last, Size3 grid);
/// Holds both boxes.
VoxelBox hull(const VoxelBox& a, const VoxelBox& b);

/// With so many mm more to each side, in whole voxels, where the grid has them.
VoxelBox grownBy(const VoxelBox& box, double millimeters, const Geometry& grid);

/// The box's voxels where they lie.
Geometry geometryOf(const VoxelBox& box, const Geometry& grid);

/// The box of a volume; `out` has the box's size.
void copyBox(VolumeView<const float> volume, const VoxelBox& box, VolumeView<float> out);

} // namespace systole
