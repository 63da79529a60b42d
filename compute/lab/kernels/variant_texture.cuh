// The texture that a variant of a kernel reads an array by.
#pragma once

#include "compute/cuda/texture.cuh"

#include <memory>

namespace systole::lab {

class VariantTexture {
public:
    VariantTexture() = default; ///< none
    /// The texture of a volume in device memory, which must outlive a linear texture; none for
    /// TextureUse::None. Enqueues the copy into another texture. Throws OutOfMemory.
    VariantTexture(gpu::TextureUse use, Size3 size, const float* values, LaunchLog& log) {
        if (use == gpu::TextureUse::Linear) {
            linear_ = std::make_unique<gpu::LinearTexture>(log.cuda(), values, size.voxels());
        } else if (use != gpu::TextureUse::None) {
            copy_ = std::make_unique<gpu::DeviceTexture>(size, use == gpu::TextureUse::Filtered);
            copy_->copyFrom(values, log);
        }
    }
    /// 0: none.
    cudaTextureObject_t object() const {
        return copy_ ? copy_->object() : linear_ ? linear_->object() : 0;
    }

private:
    std::unique_ptr<gpu::DeviceTexture> copy_;
    std::unique_ptr<gpu::LinearTexture> linear_;
};

} // namespace systole::lab
