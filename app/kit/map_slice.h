// A slice of a map of volume change as a picture: seen as the views show it, in the diverging
// colors, with what a surface cuts out of it.
#pragma once

#include "compute/core/triangle_mesh.h"
#include "compute/core/volume.h"
#include "render/base/image.h"
#include "render/display_options.h"

#include <array>
#include <memory>
#include <vector>

namespace systole {

/// A plane of voxels across the index axis that runs most nearly across an anatomical plane.
struct MapSlice {
    ViewKind plane = ViewKind::Axial; ///< a slice
    int index = 0; ///< index along the axis across the plane, clamped to the grid

    bool operator==(const MapSlice&) const = default;
};

/// Slices across that plane.
int slicesAcross(const Geometry& grid, ViewKind plane);
/// Height over width of the picture in mm.
double heightOverWidth(const Geometry& grid, ViewKind plane);

/// The slice through a point, LPS mm; clamped to the grid.
MapSlice sliceThrough(const Geometry& grid, ViewKind plane, Vec3 lps);
/// The point moved along the axis across the slice, into the slice. LPS mm.
Vec3 inSlice(const Geometry& grid, const MapSlice& slice, Vec3 lps);

/// A place in the picture: shares of its width from the left and its height from the top, 0 to 1
/// within it.
struct PicturePlace {
    double right = 0, down = 0;
};
/// Place of a point, LPS mm, in the picture of its slice, and the point at a place.
PicturePlace placeOf(const Geometry& grid, ViewKind plane, Vec3 lps);
Vec3 pointAt(const Geometry& grid, const MapSlice& slice, PicturePlace place);

/// Contour of a surface in the middle of the slice: a line segment per triangle that crosses it, on
/// a grid with axes of any direction.
using PictureLine = std::array<PicturePlace, 2>;
std::vector<PictureLine> contourIn(const Geometry& grid, const MapSlice& slice,
                                   const TriangleMesh& mesh);

/// A pixel per voxel of a map of log |J|, whose colors reach from −maximum, red, to `maximum` > 0;
/// the neutral color is 0. Turned as the views turn it, to whole index axes.
RgbaImage pictureOf(const Volume& map, const MapSlice& slice, double maximum);

/// The round number that 99 of 100 absolute values of these maps stay below; a small positive
/// number if all are 0. Null maps are left out.
double commonMaximum(const std::vector<std::shared_ptr<const Volume>>& maps);

} // namespace systole
