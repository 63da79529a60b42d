// Smoothing by three separable passes; beyond the border the nearest voxel is repeated.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"

#include <array>
#include <vector>

namespace systole {

/// 2·radius+1 weights of a sampled Gaussian, normalized to sum 1. sigma 0 gives {1}.
std::vector<float> gaussianTaps(double sigmaVoxels, int radius);
/// The radius used in the papers: kernel width 2·ceil(3 sigma) + 1.
int gaussianRadius(double sigmaVoxels);

/// 2·radius+1 weights of a mean that keeps cubic polynomials, where a Gaussian's keeps linear ones:
/// (c − k²) times the Gaussian, normalized to sum 1, c such that the sum of k² times the weights is
/// 0 (3 sigma² without sampling). sigma 0 gives {1}.
std::vector<float> cubicMeanTaps(double sigmaVoxels, int radius);

/// The weights along each axis.
using TapsOfAxes = std::array<std::vector<float>, 3>;
/// `taps` of each sigma, with its gaussianRadius().
TapsOfAxes tapsOfAxes(Vec3 sigmaVoxels, std::vector<float> (*taps)(double, int) = gaussianTaps);

/// out may equal in. Takes one volume from ctx.pool.
void smoothBy(const TapsOfAxes& taps, VolumeView<const float> in, VolumeView<float> out,
              const ExecContext& ctx);
/// Smooths with a Gaussian's sigma per axis in voxels; out may equal in. Takes one volume from
/// ctx.pool.
void smoothGaussian(VolumeView<const float> in, VolumeView<float> out, Vec3 sigmaVoxels,
                    const ExecContext& ctx);

/// The variants differ in how CUDA kernels read data shared by neighboring voxels.
inline constexpr KernelVariant smoothVariants[] = {
    {"direct", "Three passes, one load per tap."},
    {"shared", "Three passes, the taps' values in shared memory.", 128},
    {"l2-only", "As direct, with loads that bypass L1."},
    {"register", "Three passes, the open sums of a line in registers.", 128},
    {"fused", "x and y in one pass through shared memory and registers, then z.", 128},
};
inline constexpr KernelFamily smoothFamily{
    "smooth", smoothVariants, "smooth", "fused",
    "How the CUDA kernels of the tensor's smoothing read a pass."};

/// Bytes and flops that one call declares, for profiles and lower time bounds.
double smoothingBytes(Size3 size);
double smoothingFlops(Size3 size, Vec3 sigmaVoxels);

} // namespace systole
