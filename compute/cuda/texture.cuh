// Volumes that the texture units read; for .cu files only.
#pragma once

#include "compute/core/geometry.h"
#include "compute/cuda/launch.cuh"

namespace systole::gpu {

/// Enqueues the copy of a volume in device memory into an array; `name` in the log.
void copyToArray(const float* voxels, Size3 size, cudaArray_t array, const char* name,
                 LaunchLog& log);

/// How a kernel reads a volume.
enum class TextureUse {
    None,     ///< reads from memory, without a texture
    Points,   ///< point fetches
    Filtered, ///< fetches that the texture unit interpolates
    Linear    ///< fetches by index from memory, through the texture unit's cache
};

/// A volume that the texture units read: a copy in their own layout. Not allocated from the pool.
class DeviceTexture {
public:
    /// Hardware interpolation (with 8-bit weights) if `filter`, else point fetches. Throws
    /// OutOfMemory.
    DeviceTexture(Size3 size, bool filter);
    ~DeviceTexture();
    DeviceTexture(const DeviceTexture&) = delete;
    DeviceTexture& operator=(const DeviceTexture&) = delete;

    void copyFrom(const float* voxels, LaunchLog& log) {
        copyToArray(voxels, size_, array_, "copy to texture", log);
    }
    cudaTextureObject_t object() const { return texture_; }

private:
    Size3 size_;
    cudaArray_t array_ = nullptr;
    cudaTextureObject_t texture_ = 0;
};

/// Floats in device memory that tex1Dfetch reads where they are; the memory must outlive it. An
/// address that textures can't begin at (textureAlignment) is read from a copy instead, enqueued
/// when the texture is made.
class LinearTexture {
public:
    /// Throws ComputeError, also for more floats than a linear texture takes (2^27 at least).
    LinearTexture(CudaContext& cuda, const float* values, std::size_t count);
    ~LinearTexture();
    LinearTexture(const LinearTexture&) = delete;
    LinearTexture& operator=(const LinearTexture&) = delete;

    cudaTextureObject_t object() const { return texture_; }

private:
    Buffer<float> copy_;
    cudaTextureObject_t texture_ = 0;
};

} // namespace systole::gpu
