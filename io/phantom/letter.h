// A ball, and the letter C that is left of it when it is hollowed and slit: the classical pair of
// fluid registration, C to full disc, in 3D. Its deformation is large, and no true one is known.
#pragma once

#include "compute/core/volume.h"

namespace systole {

enum class LetterFrame { Ball, Letter };

/// 255 inside and 0 outside, with an edge of about a voxel, in the middle of the grid. The radius
/// is 0.34 of the shortest side, that of the hollow half of it; the slit is 0.46 radii wide along
/// y, all of z, and open to +x.
void drawLetter(LetterFrame frame, const Geometry& grid, VolumeView<float> voxels);

} // namespace systole
