// Which arrows are drawn of a displacement field, and where: plain mathematics, no OpenGL.
#pragma once

#include "compute/core/volume.h"
#include "render/view_plane.h"

#include <vector>

namespace systole {

/// One arrow, exactly as it lies in the buffer that the shaders read. LPS mm.
struct Glyph {
    float x, y, z;
    float magnitude; ///< of the whole vector: gives the colour
    float dx, dy, dz;
    float length; ///< of the drawn part: in a slice, what lies in its plane
};
static_assert(sizeof(Glyph) == 32);

struct GlyphRules {
    double spacing = 1;           ///< mm between arrows, at least one voxel
    double smallestMagnitude = 0; ///< mm of the drawn part below which there is no arrow
    /// Where the image is darker than this there is no arrow (air has no motion worth showing).
    const Volume* image = nullptr; ///< null: everywhere
    float darkest = 0;
};

/// Arrows on every n-th voxel of the field, centred in it.
std::vector<Glyph> sampleVolume(const VectorField& field, const GlyphRules& rules);

/// Arrows on a square lattice in the anatomical plane of `slice` through `position`, the vectors
/// interpolated there and projected onto the plane.
std::vector<Glyph> sampleSlice(const VectorField& field, ViewKind slice, Vec3 position,
                               const GlyphRules& rules);

/// mm between arrows that leave about `arrows` of them in the volume, or along the longer side of a
/// slice.
double volumeGlyphSpacing(const Geometry& geometry, int arrows);
double sliceGlyphSpacing(const Geometry& geometry, ViewKind slice, int arrows);

/// The magnitude (mm) that `part` of the field's voxels stay below, over a sample of those that are
/// not darker than `darkest` in `image` (null: of all). 0 when there are none.
double magnitudeQuantile(const VectorField& field, double part, const Volume* image, float darkest);

/// The next of 1, 1.5, 2, 3, 4, 5, 6, 8, 10 × 10^k that is not below `value`.
double roundUp(double value);

} // namespace systole
