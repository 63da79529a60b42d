// Anatomical planes and their place in the window: plain mathematics, no OpenGL.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/points.h"
#include "compute/core/volume.h"
#include "render/display_options.h"

#include <array>
#include <optional>
#include <vector>

namespace systole {

/// The orientation of an anatomical slice, in LPS. Radiological convention: the patient's right is
/// on the left of axial and coronal slices, axial slices are seen from the feet, sagittal slices
/// from the patient's left.
struct ViewPlane {
    int axis = 2;         ///< the LPS axis across the plane: 0, 1 or 2
    Vec3 right, up;       ///< directions of the picture
    Vec3 towardsObserver; ///< right × up
};
ViewPlane viewPlane(ViewKind slice);

/// Letters at the left, right, top and bottom border of a slice.
std::array<char, 4> borderLetters(const ViewPlane& plane);
/// 'L', 'P', 'S' for the positive, 'R', 'A', 'I' for the negative direction of an LPS axis.
char directionLetter(int lpsAxis, int sign);

/// The box in LPS mm around all voxels, to their outer faces.
struct PhysicalBox {
    Vec3 low, high;
    Vec3 center() const { return 0.5 * (low + high); }
    Vec3 extent() const { return high - low; }
};
/// A corner of the outermost voxels' faces, LPS mm: bit i of 0 to 7 tells the end of index axis i.
Vec3 cornerOf(const Geometry& geometry, int corner);
PhysicalBox boxAround(const Geometry& geometry);

/// LPS mm to texture coordinates (0 to 1 from face to face), 4×4, column-major.
std::array<float, 16> physicalToTexture(const Geometry& geometry);

/// Distance in mm between slices across an LPS axis: one voxel of the index axis that runs along
/// it.
double sliceSpacing(const Geometry& geometry, int lpsAxis);

/// Position along an LPS axis, mm, of the center of the slice that lies `steps` slices from a
/// position; 0: of the nearest one. Between two slices the next one in that direction is the first
/// step; the first and the last slice end it. On an oblique grid, whose slices a view across the
/// axis cuts, the position and so many spacings.
double steppedPosition(const Geometry& geometry, Vec3 from, int lpsAxis, int steps);

double smallestSpacing(const Geometry& geometry); ///< mm

/// Trilinear value; none outside the box of the voxel centers (half a voxel of margin is clamped).
std::optional<float> valueAt(const Volume& volume, Vec3 lpsMillimeters);
/// Trilinear displacement in LPS mm, by the same rule.
std::optional<Vec3> displacementAt(const VectorField& field, Vec3 lpsMillimeters);

/// Position and size in framebuffer pixels from the top left.
struct ViewArea {
    ViewKind kind = ViewKind::Volume3D;
    int x = 0, y = 0, width = 0, height = 0;
    ViewSide side = ViewSide::Left;
    /// The size that the picture is fitted to: this view, or for views side by side the minimum
    /// width and height among them, so that all show the patient at one scale.
    int fitWidth = 0, fitHeight = 0;
};
/// The views of a layout with `gap` pixels between them, without empty views.
/// `sideView`: kind of the three views of SideBySide.
std::vector<ViewArea> arrangeViews(Layout layout, int width, int height, int gap,
                                   ViewKind sideView = ViewKind::Axial);

} // namespace systole
