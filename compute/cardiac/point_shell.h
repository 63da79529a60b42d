// A left ventricle of which three points are known alone: half an ellipsoid through them.
#pragma once

#include "compute/cardiac/placement.h"
#include "compute/cardiac/tissue.h"

namespace systole::cardiac {

/// Half ellipsoids of revolution about the long axis, cut at the mitral ring, on a grid: the
/// cavity's ends at the apex, that of the wall around it goes through the insertion of the right
/// ventricle. The wall is as thick as one usually is, whose thickness times the radius of a ball as
/// large as the cavity is 250 mm², 5 to 12 mm (compute/surface/segment_wall.cpp), in a heart of
/// 60 mm from apex to ring or more; in smaller ones in proportion. Throws ComputeError with one
/// sentence unless all three points are given and make a ventricle that lies in the grid.
TissueMap shellOfPoints(const Geometry& grid, const GivenPoints& points);

} // namespace systole::cardiac
