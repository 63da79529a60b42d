// Gaussian smoothing on the device: the CUDA implementation of compute/ops/smooth.h. Beyond the
// border the nearest voxel is repeated.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/launch.cuh"
#include "compute/ops/smooth.h"

namespace systole::gpu {

/// Of what a kernel smooths with; handed over by value, so that it lies in constant memory.
struct Taps {
    static constexpr int widest = 32;
    int radius = 0;
    float weight[2 * widest + 1] = {1};
};
/// gaussianTaps(sigma, gaussianRadius(sigma)); throws ComputeError beyond `widest`.
Taps gaussianTapsFor(double sigmaVoxels);

/// Volumes of one size, one behind the other in device memory.
struct VolumeStack {
    float* data = nullptr;
    int count = 0;
    Size3 size;

    std::size_t volume() const { return size.voxels(); }
    VolumeStack part(int first, int volumes) const {
        return {data + static_cast<std::size_t>(first) * volume(), volumes, size};
    }
};

/// Device memory of so many floats, whose contents are used up.
struct Scratch {
    float* data = nullptr;
    std::size_t floats = 0;
};

/// Smooths each volume in place along all axes, by a variant of smoothFamily: they give the same
/// numbers but for the order of their sums. `scratch` has room for one volume in variant `fused`,
/// for two in the others; with more, more volumes are worked on at once.
void smoothStack(int variant, const VolumeStack& volumes, const Taps& taps, const Scratch& scratch,
                 LaunchLog& log);

std::vector<CompiledCost> compiledSmoothCosts();

/// Taps that a kernel has chosen; radius 0: nothing is to be smoothed.
struct DeviceTaps {
    static constexpr int widest = 15;
    float sigma;
    int radius;
    float weight[2 * widest + 1];
};
/// Smooths in place with taps in device memory. `scratch` has room for two stacks.
void smoothStackBy(const DeviceTaps* taps, const VolumeStack& volumes, const Scratch& scratch,
                   LaunchLog& log);

} // namespace systole::gpu
