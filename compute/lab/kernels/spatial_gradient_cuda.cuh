// The spatial gradient on the device: the CUDA implementation of spatial_gradient.h, without its
// checks. All pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/lab/kernels/spatial_gradient.h"
#include "compute/lab/kernels/variant_texture.cuh"

#include <array>

namespace systole::lab {

/// Input of the variants of spatialGradientFamily: 0 for textures that a variant doesn't need.
struct GradientSource {
    VolumeView<const float> moving;
    FieldView<const float> motion;
    cudaTextureObject_t image = 0;
    cudaTextureObject_t motionOf[3] = {0, 0, 0};
};

/// A source and the textures that one variant needs. The arrays must outlive it.
class GradientTextures {
public:
    /// Enqueues the copy of the image if it is a 3D texture. Throws OutOfMemory.
    GradientTextures(int variant, VolumeView<const float> moving, FieldView<const float> motion,
                     LaunchLog& log);
    const GradientSource& source() const { return source_; }

private:
    GradientSource source_;
    std::array<VariantTexture, 4> textures_;
};

void spatialGradient(int variant, const GradientSource& source, FieldView<float> gradient,
                     LaunchLog& log);

std::vector<CompiledCost> compiledSpatialGradientCosts();

} // namespace systole::lab
