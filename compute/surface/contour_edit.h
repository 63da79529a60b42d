// Editing a segmentation by hand: a brush on a label map, which returns what it changed, so that it
// can be undone, and a contour pulled at a point.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/core/voxel_box.h"

#include <cstdint>
#include <vector>

namespace systole {

/// The labels of a box as they were before an edit.
struct EditChange {
    VoxelBox box; ///< all that differs lies inside; of no voxels if nothing changed
    std::vector<std::uint8_t> before;

    bool empty() const { return before.empty(); }
};

EditChange remember(VolumeView<const std::uint8_t> labels, const VoxelBox& box);

/// Exchanges the box of `labels` with what the change holds: undoes the edit, and the second time
/// makes it again.
void exchange(VolumeView<std::uint8_t> labels, EditChange& change);

struct Brush {
    Vec3 center;        ///< LPS mm
    double radius = 5;  ///< mm
    bool disk = false;  ///< paint only the slice along `axis` in which the center lies
    int axis = 2;       ///< index axis that is at right angles to the slice
    bool erase = false; ///< turn `label` into 0; else turn everything into `label`
    std::uint8_t label = 1;
};

/// Paints the voxels whose centers lie within the radius. `labels` on `geometry`. A brush beyond
/// the image changes nothing. Throws ComputeError for a radius that isn't positive and finite, and
/// for an axis other than 0, 1 and 2.
EditChange paint(VolumeView<std::uint8_t> labels, const Geometry& geometry, const Brush& brush);

/// Moves the contour near `from` so that it passes through `to` (LPS mm): phi, a signed distance in
/// mm on `geometry`, becomes
///     phi + (phi at from - phi at to) w,   w(p) = exp(-|p - to|^2 / (2 width^2)),
/// so that a point on the contour at `from` comes to lie at `to`, smoothly within about two widths
/// (mm). It is no distance any more: call redistance() before what needs one. Throws ComputeError
/// for a width that isn't positive and finite, points that aren't finite, and a `to` outside the
/// image.
void pullContour(VolumeView<float> phi, const Geometry& geometry, Vec3 from, Vec3 to, double width);

/// Throws ComputeError unless a length ("the width of a pull") is positive and finite.
void requireLength(double millimeters, const char* what);

} // namespace systole
