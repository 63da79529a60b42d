// The Gaussian's passes in all variants, for compute/ops/smooth_cuda.cu only.
#pragma once

#include "compute/core/voxel.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/smooth_cuda.cuh"

#include <algorithm>

namespace systole::gpu {

/// One pass over contiguous volumes; `out` must differ from `in`.
struct SmoothingPass {
    const float* in;
    float* out;
    int count;
    Size3 size;
    int axis;
    const int* skip = nullptr; ///< see smoothStack()
};

using PassAlongAxis = void (*)(const SmoothingPass& pass, const Taps& taps, LaunchLog& log);
void alongDirect(const SmoothingPass& pass, const Taps& taps, LaunchLog& log);
void alongL2Only(const SmoothingPass& pass, const Taps& taps, LaunchLog& log);
void alongShared(const SmoothingPass& pass, const Taps& taps, LaunchLog& log);
void alongRegister(const SmoothingPass& pass, const Taps& taps, LaunchLog& log);
/// Smooths along x and y in one kernel.
void smoothPlanes(const SmoothingPass& pass, const Taps& taps, LaunchLog& log);

/// All axes in one kernel, by tiles with a halo in shared memory: for few voxels, which take longer
/// to launch and to march through than to add up.
bool fitsTiles(const CudaContext& cuda, const AxisTaps& taps);
bool worthTiles(Size3 size);
void smoothTiles(const VolumeStack& in, float* out, const AxisTaps& taps, LaunchLog& log);

/// Smooths in place, x and y in one kernel and z in another, with a thread for eight adjacent
/// voxels: for more voxels than tiles are worth, but too few rows to fill a device by marching
/// along them. `scratch` holds as many volumes.
bool fitsStretches(const AxisTaps& taps);
void smoothStretches(const VolumeStack& volumes, const AxisTaps& taps, float* scratch,
                     const int* skip, LaunchLog& log);

inline int largestRadius(const AxisTaps& taps) {
    return std::max({taps.along[0].radius, taps.along[1].radius, taps.along[2].radius});
}

#ifdef __CUDACC__
__device__ inline bool isSet(const int* flag) { return flag && *flag; }

/// Reads values −R … N + R − 1 and writes N smoothed ones, in the order of additions of the other
/// variants: x adds from a sum of zero with ascending taps, y and z begin with the last tap
/// (OpenSums).
template <int R, int N, bool AlongX, typename Read, typename Write>
__device__ inline void smoothStretch(const Taps& taps, const Read& read, const Write& write) {
    float sum[N];
#pragma unroll
    for (int i = 0; i < N + 2 * R; ++i) {
        const float value = read(i - R);
#pragma unroll
        for (int n = 0; n < N; ++n) {
            const int k = i - n; // the tap
            if (k < 0 || k > 2 * R)
                continue;
            if (k == 0)
                sum[n] = AlongX ? fmaf(taps.weight[0], value, 0.0f) : taps.weight[2 * R] * value;
            else
                sum[n] = fmaf(taps.weight[AlongX ? k : 2 * R - k], value, sum[n]);
        }
    }
#pragma unroll
    for (int n = 0; n < N; ++n)
        write(n, sum[n]);
}
#endif

constexpr double tapsOf(int radius) { return 2 * radius + 1; }
/// Radius with default parameters, for which compiled kernels are checked.
inline constexpr int checkedRadius = 12;
std::vector<CompiledCost> compiledPasses();
CompiledCost compiledPlanes();

/// Kernels with a register per tap are built for these radii; taps are zero-padded to the next one.
inline constexpr int builtRadii[] = {4, 8, 12, 20, Taps::widest};

/// Taps with zeros on both sides, up to `radius`.
inline Taps paddedTo(int radius, const Taps& taps) {
    Taps wide;
    wide.radius = radius;
    wide.weight[0] = 0;
    for (int k = -taps.radius; k <= taps.radius; ++k)
        wide.weight[k + radius] = taps.weight[k + taps.radius];
    return wide;
}

/// Calls body(std::integral_constant<int, R>{}, taps padded to R).
template <typename Body>
void withBuiltRadius(const Taps& taps, const Body& body) {
    const auto padded = [&](int radius) { return paddedTo(radius, taps); };
    if (taps.radius <= builtRadii[0])
        body(std::integral_constant<int, builtRadii[0]>{}, padded(builtRadii[0]));
    else if (taps.radius <= builtRadii[1])
        body(std::integral_constant<int, builtRadii[1]>{}, padded(builtRadii[1]));
    else if (taps.radius <= builtRadii[2])
        body(std::integral_constant<int, builtRadii[2]>{}, padded(builtRadii[2]));
    else if (taps.radius <= builtRadii[3])
        body(std::integral_constant<int, builtRadii[3]>{}, padded(builtRadii[3]));
    else
        body(std::integral_constant<int, builtRadii[4]>{}, padded(builtRadii[4]));
}

/// Allows blocks with more shared memory than the default of 48 KB.
template <typename Kernel>
void allowShared(Kernel kernel, const std::string& name, const LaunchShape& shape) {
    constexpr std::size_t unasked = 48 << 10;
    if (shape.sharedBytes > unasked)
        cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shape.sharedBytes)),
                  name.c_str());
}

/// A filter that takes its input value by value and holds the incomplete outputs: each input is
/// added to all of them, which completes the oldest. The sums move down by one in the additions, so
/// that nothing is copied.
template <int R>
struct OpenSums {
    float sum[2 * R + 1] = {};

    /// Returns the output for the value R inputs back.
    __device__ float feed(float value, const Taps& taps) {
#pragma unroll
        for (int k = 0; k < 2 * R; ++k)
            sum[k] = fmaf(taps.weight[k], value, sum[k + 1]);
        sum[2 * R] = taps.weight[2 * R] * value;
        return sum[0];
    }
};

} // namespace systole::gpu
