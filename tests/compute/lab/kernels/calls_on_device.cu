#include "compute/lab/kernels/interpolate.h"
#include "compute/lab/kernels/interpolate_cuda.cuh"
#include "compute/lab/kernels/similarity_gradient_cuda.cuh"
#include "compute/lab/kernels/spatial_gradient_cuda.cuh"
#include "compute/lab/kernels/variant_texture.cuh"
#include "tests/compute/lab/kernels/calls_on_device.h"

namespace systole::lab {

void interpolateOnDevice(int variant, VolumeView<const float> volume,
                         FieldView<const float> positions, VolumeView<float> out,
                         const ExecContext& ctx) {
    checkInterpolation(volume, positions, out);
    VariantTexture texture; // must outlive the kernel
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        texture = {textureOfInterpolation(variant), volume.size, volume.data, log};
        interpolate(variant, volume, texture.object(), positions, out, log);
    });
    ctx.cuda->synchronize(CudaStream::Compute);
}

void spatialGradientOnDevice(int variant, VolumeView<const float> moving,
                             FieldView<const float> motion, FieldView<float> gradient,
                             const ExecContext& ctx) {
    checkSpatialGradient(moving, motion, gradient);
    std::unique_ptr<GradientTextures> textures; // must outlive the kernel
    loggedCall(ctx, "gradient", [&](LaunchLog& log) {
        textures = std::make_unique<GradientTextures>(variant, moving, motion, log);
        spatialGradient(variant, textures->source(), gradient, log);
    });
    ctx.cuda->synchronize(CudaStream::Compute);
}

void similarityGradientOnDevice(int variant, const NmiSlope& slope, FieldView<float> out,
                                const ExecContext& ctx) {
    checkSimilarityGradient(slope, out);
    std::unique_ptr<NmiTextures> textures; // must outlive the kernel
    loggedCall(ctx, "gradient", [&](LaunchLog& log) {
        textures = std::make_unique<NmiTextures>(variant, slope, log);
        similarityGradient(variant, textures->source(), out, log);
    });
    ctx.cuda->synchronize(CudaStream::Compute);
}

} // namespace systole::lab
