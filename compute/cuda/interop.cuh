// The CUDA side of a mapped OpenGL object, for code that writes into it; for .cu files only.
#pragma once

#include "compute/cuda/interop.h"
#include "compute/cuda/launch.cuh"

#include <memory>
#include <vector>

namespace systole {

struct InteropTarget {
    CudaContext& cuda;
    LaunchLog& log;                                 ///< launches on the Display stream
    cudaArray_t array = nullptr;                    ///< storage of a texture
    void* memory = nullptr;                         ///< address of a buffer
    std::size_t bytes = 0;                          ///< size of a buffer
    std::vector<std::shared_ptr<const void>>& kept; ///< kept alive until the device is done

    /// A surface through which a kernel writes voxels of the texture.
    cudaSurfaceObject_t surface() const;
    /// Whether the texture has one component of half floats instead of single floats.
    bool halfFloat() const;
};

/// Launch shape with one thread per voxel, x fastest.
inline LaunchShape overVoxels(Size3 size) {
    constexpr unsigned x = 32, y = 4, z = 2;
    const auto blocks = [](int count, unsigned side) {
        return (static_cast<unsigned>(count) + side - 1) / side;
    };
    return {dim3(blocks(size.x, x), blocks(size.y, y), blocks(size.z, z)), dim3(x, y, z), 0};
}

} // namespace systole
