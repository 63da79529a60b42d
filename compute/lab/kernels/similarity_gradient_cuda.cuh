// The similarity gradient on the device: the CUDA implementation of similarity_gradient.h, without
// its checks. All pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/lab/kernels/similarity_gradient.h"
#include "compute/lab/kernels/variant_texture.cuh"

#include <vector>

namespace systole::lab {

/// The arrays that a voxel reads, in the order of NmiSource::textures.
enum class NmiArray { Fixed, Warped, Weight, GradientX, GradientY, GradientZ, Table };
inline constexpr int nmiArrays = 7;

/// Input of the variants of similarityGradientFamily: 0 for textures that a variant doesn't need.
struct NmiSource {
    NmiSlope slope;
    cudaTextureObject_t textures[nmiArrays] = {};
};

/// A source and the textures that one variant needs. The arrays must outlive it.
class NmiTextures {
public:
    /// Enqueues the copies of the images if they are 3D textures. Throws OutOfMemory.
    NmiTextures(int variant, const NmiSlope& slope, LaunchLog& log);
    const NmiSource& source() const { return source_; }

private:
    NmiSource source_;
    std::vector<VariantTexture> textures_;
};

void similarityGradient(int variant, const NmiSource& source, FieldView<float> out, LaunchLog& log);

std::vector<CompiledCost> compiledSimilarityGradientCosts();

} // namespace systole::lab
