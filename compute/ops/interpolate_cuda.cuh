// Trilinear interpolation on the device: the CUDA form of compute/ops/interpolate.h, without its
// checks. All pointers are to device memory.
#pragma once

#include "compute/cuda/kernel_task.h"
#include "compute/cuda/launch.cuh"
#include "compute/ops/interpolate.h"

namespace systole::gpu {

/// `texture` is of the volume, and filters where the variant does; 0 for those that need none.
void interpolate(InterpolateVariant variant, VolumeView<const float> volume,
                 cudaTextureObject_t texture, FieldView<const float> positions,
                 VolumeView<float> out, LaunchLog& log);

/// Whether the variant reads through a texture, and whether that filters.
constexpr bool wantsTexture(InterpolateVariant variant) {
    return variant == InterpolateVariant::Texture || variant == InterpolateVariant::TextureFilter;
}
constexpr bool wantsFilter(InterpolateVariant variant) {
    return variant == InterpolateVariant::TextureFilter;
}

/// side³ positions in a cube, for the laboratory.
std::unique_ptr<lab::LabTask> makeTrilinearTask(CudaContext& cuda, int side);

} // namespace systole::gpu
