// Gaussian smoothing on the device: the CUDA implementation of compute/ops/smooth.h. Beyond the
// border the nearest voxel is repeated.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/launch.cuh"
#include "compute/ops/smooth.h"

namespace systole::gpu {

/// The filter weights of a kernel; passed by value, so that they lie in constant memory.
struct Taps {
    static constexpr int widest = 32;
    int radius = 0;
    float weight[2 * widest + 1] = {1};

    bool operator==(const Taps& other) const;
};
/// Throws ComputeError beyond `widest`.
Taps tapsFor(const std::vector<float>& weights);
/// gaussianTaps(sigma, gaussianRadius(sigma))
Taps gaussianTapsFor(double sigmaVoxels);

/// The weights along each axis.
struct AxisTaps {
    Taps along[3];

    AxisTaps(const Taps& everyAxis) : along{everyAxis, everyAxis, everyAxis} {}
    AxisTaps(const Taps& x, const Taps& y, const Taps& z) : along{x, y, z} {}
    AxisTaps(const TapsOfAxes& taps)
        : along{tapsFor(taps[0]), tapsFor(taps[1]), tapsFor(taps[2])} {}
};
AxisTaps gaussianTapsFor(Vec3 sigmaVoxels);

/// Volumes of one size, contiguous in device memory.
struct VolumeStack {
    float* data = nullptr;
    int count = 0;
    Size3 size;

    constexpr std::size_t volume() const { return size.voxels(); }
    VolumeStack part(int first, int volumes) const {
        return {data + static_cast<std::size_t>(first) * volume(), volumes, size};
    }
};

/// Device memory as scratch, in floats; its contents are overwritten.
struct Scratch {
    float* data = nullptr;
    std::size_t floats = 0;
};

/// Smooths each volume in place along all axes with a variant of smoothFamily; the variants differ
/// only in summation order. `scratch` holds at least one volume for variant `fused`, two for the
/// others and where x and y have different taps; with more, more volumes are processed at once.
/// `skip`: in device memory; where it isn't 0, the volumes are left as they are. May be null.
void smoothStack(int variant, const VolumeStack& volumes, const AxisTaps& taps,
                 const Scratch& scratch, LaunchLog& log, const int* skip = nullptr);

/// smoothHalved() (compute/ops/smooth_halved.h) of each volume, the Gaussian by a variant of
/// smoothFamily. `scratch` holds at least three volumes; `skip` as above.
void smoothStackHalved(int variant, const VolumeStack& volumes, Vec3 sigmaVoxels,
                       const Scratch& scratch, LaunchLog& log, const int* skip = nullptr);

/// smoothStack() with the same bits, where it costs least.
void smoothSoonest(int variant, const VolumeStack& volumes, const AxisTaps& taps,
                   const Scratch& scratch, LaunchLog& log, const int* skip = nullptr);

/// smoothSoonest() without a copy of the result, whose address it returns: volumes.data, or the
/// beginning of the scratch.
float* smoothedStack(int variant, const VolumeStack& volumes, const AxisTaps& taps,
                     const Scratch& scratch, LaunchLog& log);
std::vector<CompiledCost> compiledSmoothCosts();

/// Taps chosen by a kernel; radius 0: no smoothing.
struct DeviceTaps {
    static constexpr int widest = 15;
    float sigma;
    int radius;
    float weight[2 * widest + 1];
};
/// Smooths in place with taps in device memory, one for each axis. `scratch` holds two stacks.
void smoothStackBy(const DeviceTaps* taps, const VolumeStack& volumes, const Scratch& scratch,
                   LaunchLog& log);

} // namespace systole::gpu
