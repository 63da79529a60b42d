// The way from a frame to its surface: source → signed distance → denoising → isosurface →
// measures.
//
// The source is a label of a label map (signed_distance.h), gray values above a threshold
// (redistance.h) or a closed mesh (mesh_distance.h). What follows is the same for all.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/triangle_mesh.h"
#include "compute/core/volume.h"
#include "compute/surface/isosurface.h"
#include "compute/surface/mesh_measures.h"
#include "compute/surface/surface_methods.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace systole {

struct Surface {
    TriangleMesh mesh;
    MeshMeasures measures;
    bool touchesEdge = false; ///< the inside reaches the grid's outermost voxels
};

/// A closed isosurface of this grid has a lid: its inside reaches the grid's outermost voxels. An
/// axis of one voxel has no such edge.
bool hasLid(const TriangleMesh& mesh, const Geometry& geometry);
/// Note on volumes whose inside reaches the grid's edge in `touching` of `frames` frames.
std::string edgeNote(std::size_t touching, std::size_t frames);

struct EnclosedVolume {
    double milliliters = 0;
    bool touchesEdge = false; ///< the inside reaches the grid's outermost voxels
};
/// Volume that the closed surface of a label encloses, as it is shown and saved; 0 if no voxel has
/// the label.
/// Throws ComputeError for a grid whose axes aren't at right angles, and where all voxels have it.
EnclosedVolume volumeOfLabel(VolumeView<const std::uint8_t> labels, std::uint8_t label,
                             const Geometry& geometry, const ExecContext& ctx);

/// The distance to the border of one label; see signedDistance(). Throws ComputeError that names
/// the label, and for a grid whose axes aren't at right angles.
void distanceOfLabel(VolumeView<const float> labels, int label, const Geometry& geometry,
                     VolumeView<float> phi, const ExecContext& ctx);

/// The distance to where gray values exceed `threshold`; see distanceToLevel(). Throws likewise.
void distanceOfThreshold(VolumeView<const float> values, float threshold, const Geometry& geometry,
                         VolumeView<float> phi, const ExecContext& ctx);

/// Both with phi in device memory, the source on the host; done when they return. Defined in builds
/// with CUDA (cudaIsBuilt).
void distanceOfLabelOnDevice(VolumeView<const float> labels, int label, const Geometry& geometry,
                             VolumeView<float> phi, const ExecContext& ctx);
void distanceOfThresholdOnDevice(VolumeView<const float> values, float threshold,
                                 const Geometry& geometry, VolumeView<float> phi,
                                 const ExecContext& ctx);

namespace surface {

/// 1 in the voxels of the label; what the distance of a label starts from. Throws as that does.
Buffer<std::uint8_t> insideOf(VolumeView<const float> labels, int label, const Geometry& geometry,
                              const ExecContext& ctx);
/// Throws where there is no distance of a threshold.
void checkThreshold(VolumeView<const float> values, float threshold, const Geometry& geometry);

} // namespace surface

/// Denoises phi in place by a method of surfaceMethods(). The only call of one.
DenoiseReport denoiseSurface(const SurfaceMethod& method, VolumeView<float> phi,
                             const Geometry& geometry, const ParamSet& parameters,
                             const ExecContext& ctx);

/// The zero level of phi and its measures. Throws ComputeError if there is none.
Surface surfaceOf(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
                  const ExecContext& ctx);

} // namespace systole
