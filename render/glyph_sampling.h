// Selection and position of the arrows of a displacement field: plain mathematics, no OpenGL. The
// device version is in device_motion.h.
#pragma once

#include "compute/core/volume.h"
#include "render/glyph.h"
#include "render/sampling_math.h"
#include "render/view_plane.h"

#include <variant>
#include <vector>

namespace systole {

struct GlyphRules {
    double spacing = 1;           ///< distance between arrows, mm; at least one voxel
    double smallestMagnitude = 0; ///< minimum drawn length of an arrow, mm
    /// Image whose voxels darker than `darkest` have no arrow (motion of air is not shown).
    const Volume* image = nullptr; ///< null: everywhere
    float darkest = 0;
};

/// The candidate positions of arrows.
using GlyphLattice = std::variant<sampling::VolumeLattice, sampling::SliceLattice>;
/// Every n-th voxel of the grid, centered in it.
sampling::VolumeLattice volumeLattice(const Geometry& grid, double spacing);
/// A square lattice in the anatomical plane of `slice` through `position`, of at least half a
/// voxel: a finer one tells no more and costs without limit.
sampling::SliceLattice sliceLattice(const Geometry& grid, ViewKind slice, Vec3 position,
                                    double spacing);
/// The field and the rules as arguments of the arrow formula; field and image both on the host or
/// both on the device.
sampling::ArrowSource arrowSource(const VectorField& field, const GlyphRules& rules);

/// The arrows of a field on the host: the vectors of the voxels, or interpolated and projected onto
/// the plane.
std::vector<Glyph> sampleGlyphs(const VectorField& field, const GlyphLattice& lattice,
                                const GlyphRules& rules);

/// Spacing in mm that yields about `arrows` arrows in the volume, or along the longer side of a
/// slice.
double volumeGlyphSpacing(const Geometry& geometry, int arrows);
double sliceGlyphSpacing(const Geometry& geometry, ViewKind slice, int arrows);

} // namespace systole
