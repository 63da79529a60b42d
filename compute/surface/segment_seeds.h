// Checks of grid and seeds that segmentFrame() makes, whatever the image shows.
#pragma once

#include "compute/surface/segment.h"

namespace systole {

/// Throws ComputeError with one sentence for a single slice, and for axes that aren't at right
/// angles.
void requireSegmentGrid(const Geometry& grid);
/// Throws ComputeError with one sentence for a seed outside the image, and for points that make no
/// ventricle.
void requireSeeds(const Geometry& grid, const SegmentSeeds& seeds);

} // namespace systole
