// Slices through a measured left ventricle as a picture, drawn without OpenGL: the image, the
// labels, and where the motion carries the wall.
#pragma once

#include "app/features/cardiac/strain_run.h"
#include "compute/core/volume.h"
#include "render/base/image.h"

#include <array>
#include <cstddef>

namespace systole {

/// A plane of the picture, LPS mm.
struct HeartPlane {
    Vec3 center, right, up; ///< unit vectors
    const char* name;       ///< "basal"
};

/// Three short-axis planes, seen from the apex as in the bull's-eye (anterior wall above, septum on
/// the left), at 3/4, 1/2 and 1/4 of the long axis above the apex; and the plane of the long axis
/// through septum and lateral wall, base above.
std::array<HeartPlane, 4> heartPlanes(const cardiac::Ventricle& ventricle);
/// Half the width of each, mm: the heart's wall with room around it.
double heartPictureReach(const cardiac::Ventricle& ventricle);

inline constexpr int heartTile = 230; ///< pixels, of a plane on each side; gaps between them
inline constexpr int heartTileGap = 6;

/// The planes side by side. `image`, on any grid: gray values, from its 1st to its 99th percentile
/// within the picture; null: plain gray. The contour of the wall carried to the place `t` of the
/// list of frames is yellow. `labels`: the measured voxels of cavity (orange) and wall (blue) shine
/// through, which are those of the ventricle's frame.
RgbaImage heartPicture(const StrainOutcome& outcome, std::size_t t,
                       const VolumeView<const float>* image, const Geometry& grid, bool labels);

} // namespace systole
