// Volumes that the texture units read; for .cu files alone.
#pragma once

#include "compute/core/geometry.h"
#include "compute/cuda/launch.cuh"

namespace systole::gpu {

/// How a kernel reads a volume.
enum class TextureUse {
    None,    ///< from memory: it needs no texture
    Points,  ///< by point fetches
    Filtered ///< by fetches that the texture unit interpolates
};

/// A volume that the texture units read: a copy in their own layout. Its bytes lie beside the pool.
class DeviceTexture {
public:
    /// Throws OutOfMemory. Hardware interpolation (of 8-bit weights) if `filter`, else point
    /// fetches.
    DeviceTexture(Size3 size, bool filter);
    ~DeviceTexture();
    DeviceTexture(const DeviceTexture&) = delete;
    DeviceTexture& operator=(const DeviceTexture&) = delete;

    void copyFrom(const float* voxels, LaunchLog& log);
    cudaTextureObject_t object() const { return texture_; }

private:
    Size3 size_;
    cudaArray_t array_ = nullptr;
    cudaTextureObject_t texture_ = 0;
};

} // namespace systole::gpu
