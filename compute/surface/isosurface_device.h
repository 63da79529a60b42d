// The zero level of a signed distance that lies on a device, as triangles there: the surface of
// isosurface.h, point by point and triangle by triangle in the same order.
#pragma once

#include "compute/core/device_mesh.h"
#include "compute/cuda/context.h"
#include "compute/surface/isosurface.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace systole {

/// Finds a surface in two steps, so that its numbers are known before memory for it is taken, for
/// instance in OpenGL. Scratch memory is kept and grows with the volumes. On the Compute stream of
/// ctx.cuda. Defined in builds with CUDA (cudaIsBuilt).
class DeviceIsosurface {
public:
    struct Size {
        std::size_t points = 0, triangles = 0;
    };

    DeviceIsosurface();
    ~DeviceIsosurface();
    DeviceIsosurface(const DeviceIsosurface&) = delete;
    DeviceIsosurface& operator=(const DeviceIsosurface&) = delete;

    /// Marks the surface between negative values and others of `phi`, on the device; waits for its
    /// size. Throws ComputeError if sizes differ, or for more than 858 million voxels.
    Size find(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
              const ExecContext& ctx);
    /// Writes what find() found, from the same `phi`: three floats for each point and normal, three
    /// numbers for each triangle, as in TriangleMesh, into memory on the device.
    void write(float* points, float* normals, std::uint32_t* triangles, const ExecContext& ctx);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The whole surface, in memory of the device pool; empty buffers where there is none.
DeviceMesh deviceIsosurface(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
                            const ExecContext& ctx);

/// A copy on the host; done when it returns.
TriangleMesh toHost(const DeviceMesh& mesh, CudaContext& cuda);

} // namespace systole
