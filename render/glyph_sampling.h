// Which arrows are drawn of a displacement field, and where: plain mathematics, no OpenGL. The twin
// on the device is in device_motion.h.
#pragma once

#include "compute/core/volume.h"
#include "render/glyph.h"
#include "render/sampling_math.h"
#include "render/view_plane.h"

#include <variant>
#include <vector>

namespace systole {

struct GlyphRules {
    double spacing = 1;           ///< mm between arrows, at least one voxel
    double smallestMagnitude = 0; ///< mm of the drawn part below which there is no arrow
    /// Where the image is darker than this there is no arrow (air has no motion worth showing).
    const Volume* image = nullptr; ///< null: everywhere
    float darkest = 0;
};

/// Where arrows are looked for.
using GlyphLattice = std::variant<sampling::VolumeLattice, sampling::SliceLattice>;
/// Every n-th voxel of the grid, centred in it.
sampling::VolumeLattice volumeLattice(const Geometry& grid, double spacing);
/// Square, in the anatomical plane of `slice` through `position`.
sampling::SliceLattice sliceLattice(const Geometry& grid, ViewKind slice, Vec3 position,
                                    double spacing);
/// The field and the rules as the formula of an arrow takes them; field and image both on the host
/// or both on the device.
sampling::ArrowSource arrowSource(const VectorField& field, const GlyphRules& rules);

/// The arrows of a field on the host: vectors of the voxels, or interpolated and projected onto the
/// plane.
std::vector<Glyph> sampleGlyphs(const VectorField& field, const GlyphLattice& lattice,
                                const GlyphRules& rules);
std::vector<Glyph> sampleVolume(const VectorField& field, const GlyphRules& rules);
std::vector<Glyph> sampleSlice(const VectorField& field, ViewKind slice, Vec3 position,
                               const GlyphRules& rules);

/// mm between arrows that leave about `arrows` of them in the volume, or along the longer side of a
/// slice.
double volumeGlyphSpacing(const Geometry& geometry, int arrows);
double sliceGlyphSpacing(const Geometry& geometry, ViewKind slice, int arrows);

/// The magnitude (mm) that `part` of the field's voxels stay below, over a sample of those that are
/// not darker than `darkest` in `image` (null: of all). 0 when there are none.
double magnitudeQuantile(const VectorField& field, double part, const Volume* image, float darkest);

/// The next of 1, 1.5, 2, 3, 4, 5, 6, 8, 10 × 10^k that is not below `value`, as near as single
/// floats tell.
double roundUp(double value);

} // namespace systole
