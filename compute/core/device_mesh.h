// A surface of triangles in the memory of a CUDA device.
#pragma once

#include "compute/core/buffer.h"

#include <cstdint>
#include <memory>

namespace systole {

class CudaEvent;

/// As TriangleMesh on the host: three floats per point and per normal, three numbers per triangle.
struct DeviceMesh {
    Buffer<float> points, normals;
    Buffer<std::uint32_t> triangles;
    std::shared_ptr<const CudaEvent> ready; ///< other streams wait for it; null: no need to
};

} // namespace systole
