// The user's choice of a surface, and of the way in which it follows the frames.
#pragma once

#include "compute/core/params.h"
#include "compute/surface/nonlocal_means.h"

#include <cstdint>
#include <string>

namespace systole {

enum class SurfaceOrigin { None, Labels, Threshold, Mesh, Segmentation };
inline constexpr SurfaceOrigin surfaceOrigins[] = {SurfaceOrigin::None, SurfaceOrigin::Labels,
                                                   SurfaceOrigin::Threshold, SurfaceOrigin::Mesh,
                                                   SurfaceOrigin::Segmentation};
/// "none", "label map", "threshold", "mesh", "segmentation"
const char* name(SurfaceOrigin source);

/// Plain data; code that changes it increments `revision`, so that surfaces are made anew.
struct SurfaceChoice {
    SurfaceOrigin source = SurfaceOrigin::None;
    std::string file;     ///< label map or mesh
    int label = 1;        ///< number in the label map or the segmentation
    double threshold = 0; ///< gray value; what is above it is inside
    /// The surface of the first frame is carried along by the motion; false: every frame has its
    /// own, from its labels or gray values.
    bool carried = true;
    /// Non-local means on the signed distance, before triangles are made. A mesh stays as it is.
    bool denoise = false;
    ParamSet denoising{nonlocalMeansTable(), "live"};
    /// Version of the choice, without `carried`: either way keeps its surfaces.
    std::uint64_t revision = 0;

    /// There is something to make a surface from.
    bool isOn() const { return source != SurfaceOrigin::None && !(needsFile() && file.empty()); }
    /// A mesh has no frames: it is always carried.
    bool isCarried() const { return carried || source == SurfaceOrigin::Mesh; }
    bool needsLabel() const {
        return source == SurfaceOrigin::Labels || source == SurfaceOrigin::Segmentation;
    }
    bool needsFile() const {
        return source == SurfaceOrigin::Labels || source == SurfaceOrigin::Mesh;
    }
};

/// Describes the origin of the frames' surfaces, by this choice or the other way: "contours found
/// in each frame", "carried by the motion (clg)".
std::string contourText(SurfaceOrigin source, bool carried, const std::string& method);

/// FILE or FILE:N of --surface: a mesh (.vtp .stl .ply .obj, .vtk of a surface), else the label N
/// of a label map, 1 if it isn't given. `carried` as it was. Throws UsageError for a label below 1.
SurfaceChoice surfaceFromOption(const std::string& text);

} // namespace systole
