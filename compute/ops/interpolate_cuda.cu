#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/texture.cuh"
#include "compute/ops/interpolate_check.h"
#include "compute/ops/interpolate_costs.h"
#include "compute/ops/interpolate_cuda.cuh"
#include "compute/ops/sample_texture.cuh"

#include <optional>

namespace systole {
namespace {

struct Sampled {
    VolumeView<const float> volume;
    cudaTextureObject_t texture;
};

template <InterpolateVariant Variant>
__device__ float valueAt(const Sampled& s, float x, float y, float z) {
    if constexpr (Variant == InterpolateVariant::TextureFilter) {
        return gpu::textureAt(s.texture, x, y, z);
    } else if constexpr (Variant == InterpolateVariant::Texture) {
        return gpu::fetchedSample(s.texture, s.volume.size, x, y, z);
    } else {
        const float* const voxels = s.volume.data;
        return TrilinearSample(s.volume.size, x, y, z).of([=](std::size_t i) {
            return gpu::load<Variant == InterpolateVariant::L2Only>(voxels + i);
        });
    }
}

/// A thread for each position, in the order in which they lie.
template <InterpolateVariant Variant>
__global__ void __launch_bounds__(1024)
    interpolateKernel(const __grid_constant__ Sampled s, FieldView<const float> positions,
                      std::size_t count, float* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = valueAt<Variant>(s, positions.u[i], positions.v[i], positions.w[i]);
}

template <InterpolateVariant Variant>
void launchInterpolation(const Sampled& s, FieldView<const float> positions, VolumeView<float> out,
                         LaunchLog& log) {
    const char* const kernel = interpolateKernels[static_cast<int>(Variant)];
    const auto count = static_cast<double>(out.voxels());
    // Each array once: the volume, three coordinates, the result. Seven interpolations of three
    // operations and three parts; what the texture unit does itself doesn't count.
    const double bytes = 4 * (static_cast<double>(s.volume.voxels()) + 4 * count);
    const double flops = Variant == InterpolateVariant::TextureFilter ? 3 * count : 24 * count;
    log.launch({kernel, bytes, flops, cost::interpolate(Variant)}, interpolateKernel<Variant>,
               gpu::threadsOver(out.voxels(), log, kernel), s, positions, out.voxels(), out.data);
}

} // namespace

void gpu::interpolate(InterpolateVariant variant, VolumeView<const float> volume,
                      cudaTextureObject_t texture, FieldView<const float> positions,
                      VolumeView<float> out, LaunchLog& log) {
    const Sampled s{volume, texture};
    switch (variant) {
    case InterpolateVariant::Direct:
        return launchInterpolation<InterpolateVariant::Direct>(s, positions, out, log);
    case InterpolateVariant::L2Only:
        return launchInterpolation<InterpolateVariant::L2Only>(s, positions, out, log);
    case InterpolateVariant::Texture:
        return launchInterpolation<InterpolateVariant::Texture>(s, positions, out, log);
    case InterpolateVariant::TextureFilter:
        return launchInterpolation<InterpolateVariant::TextureFilter>(s, positions, out, log);
    }
}

void interpolateOnDevice(InterpolateVariant variant, VolumeView<const float> volume,
                         FieldView<const float> positions, VolumeView<float> out,
                         const ExecContext& ctx) {
    checkInterpolation(volume, positions, out);
    std::optional<gpu::DeviceTexture> texture;
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        if (gpu::wantsTexture(variant)) {
            texture.emplace(volume.size, gpu::wantsFilter(variant));
            texture->copyFrom(volume.data, log);
        }
        gpu::interpolate(variant, volume, texture ? texture->object() : 0, positions, out, log);
    });
    if (texture) // it must outlive the kernel
        ctx.cuda->synchronize(CudaStream::Compute);
}

} // namespace systole
