// A surface as the scene shows it.
#pragma once

#include "compute/core/device_mesh.h"
#include "compute/core/triangle_mesh.h"

#include <memory>
#include <vector>

namespace systole {

/// The surface of the frame that is shown. Never changed once it is passed to the scene.
struct SceneSurface {
    std::shared_ptr<const TriangleMesh> mesh; ///< null: none
    /// The ghost: what it was made from, or what lies around it, a wall; or null.
    std::shared_ptr<const TriangleMesh> original;
    /// Copies of both in the memory of a CUDA device, from where OpenGL gets them if that device
    /// draws; null: on the host only.
    std::shared_ptr<const DeviceMesh> meshOnDevice, originalOnDevice;
    bool walled = false; ///< the ghost is a wall, whose contour counts as much as the surface's
    /// Values at the points of `mesh`, one each; empty: unknown.
    std::vector<float> curvature; ///< mean curvature, 1/mm, positive where it is convex
    std::vector<float> distance;  ///< distance from the original, mm
};

} // namespace systole
