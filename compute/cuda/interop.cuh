// What those who write into a mapped OpenGL object need of the CUDA runtime; for .cu files alone.
#pragma once

#include "compute/cuda/interop.h"
#include "compute/cuda/launch.cuh"

#include <memory>
#include <vector>

namespace systole {

struct InteropTarget {
    CudaContext& cuda;
    LaunchLog& log;                                 ///< launches on the Display stream
    cudaArray_t array = nullptr;                    ///< of a texture
    void* memory = nullptr;                         ///< of a buffer
    std::size_t bytes = 0;                          ///< of a buffer
    std::vector<std::shared_ptr<const void>>& kept; ///< lives until the device is done

    /// For writing voxels of the texture from a kernel.
    cudaSurfaceObject_t surface() const;
    /// One component in half floats instead of single ones.
    bool halfFloat() const;
};

/// Shape of a launch with one thread for each voxel, x fastest.
inline LaunchShape overVoxels(Size3 size) {
    constexpr unsigned x = 32, y = 4, z = 2;
    const auto blocks = [](int count, unsigned side) {
        return (static_cast<unsigned>(count) + side - 1) / side;
    };
    return {dim3(blocks(size.x, x), blocks(size.y, y), blocks(size.z, z)), dim3(x, y, z), 0};
}

} // namespace systole
