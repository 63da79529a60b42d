// The voxels that a layout shows.
#pragma once

#include "compute/core/voxel_box.h"
#include "render/display_options.h"

#include <vector>

namespace systole {

/// The planes of voxels on both sides of the slices through the crosshair (LPS mm), if the layout
/// shows nothing else and the slices lie along the grid; empty: all voxels may be shown.
std::vector<VoxelBox> shownSlices(Layout layout, Vec3 crosshair, const Geometry& grid);

} // namespace systole
