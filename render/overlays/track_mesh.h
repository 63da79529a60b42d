// Points with their tails as triangles: plain geometry, no OpenGL.
#pragma once

#include "compute/core/triangle_mesh.h"
#include "render/scene_tracks.h"

#include <vector>

namespace systole {

enum class TrackColors { Plain, Displacement, Certainty, Error };

struct TrackLook {
    TrackColors colors = TrackColors::Displacement;
    double maximum = 1; ///< mm at the upper end of the colors of displacements and errors
    double radius = 1;  ///< radius of a point, mm
    int tail = 4;       ///< frames before the shown one that tails reach back
    bool lost =
        false; ///< a lost point is drawn where it was seen last, small and in the plain color
    /// LPS axis across a slice: points are disks in it, smaller the farther they are from it. −1:
    /// balls, tails are tubes. A point that was carried along is a diamond or an octahedron.
    int axis = -1;
    double offset = 0; ///< position of the slice along the axis, LPS mm
    /// Half thickness of the slab around the slice outside which nothing is drawn, mm.
    double slab = 1;
    bool operator==(const TrackLook&) const = default;
};

struct TrackMesh {
    TriangleMesh mesh;
    std::vector<float> parts; ///< places in the color map, one per point of the mesh; −1: plain
};

/// The tracks in a frame; empty for a frame that they don't have.
TrackMesh trackMesh(const SceneTracks& tracks, int frame, const TrackLook& look);

/// The displacement, of all points and frames, that 2 of 100 exceed, mm: single wrong tracks don't
/// stretch the colors. 0 if there is none.
double largeDisplacement(const SceneTracks& tracks);
/// The error, of all points and frames, that 2 of 100 exceed, mm. 0 if there is none.
double largeError(const SceneTracks& tracks);

} // namespace systole
