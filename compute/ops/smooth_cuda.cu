#include "compute/core/error.h"
#include "compute/cuda/early_launch.cuh"
#include "compute/ops/smooth_cuda.cuh"
#include "compute/ops/smooth_variants.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

/// More than these are smoothed sooner by marching: measured on an H100.
constexpr std::size_t fewValues = std::size_t{6} << 20;

/// Smooths with taps in device memory along one axis; a plain kernel, since it runs rarely. No
/// axis or every axis has radius 0.
__global__ void smoothByDeviceTaps(const float* in, float* out, Size3 size, int axis,
                                   const DeviceTaps* taps) {
    waitForKernelBefore();
    const int radius = taps->radius;
    if (radius == 0)
        return;
    const int planes = size.z * static_cast<int>(gridDim.z);
    const Column c = columnOf({size.x, size.y, planes}, size.z);
    if (!c.inGrid)
        return;
    for (int plane = c.begin; plane < c.end; ++plane) {
        const int z = plane - c.begin;
        const std::size_t volume = static_cast<std::size_t>(blockIdx.z) * size.voxels();
        const VolumeView<const float> v(in + volume, size);
        float sum = 0;
        for (int k = -radius; k <= radius; ++k) {
            const int x = axis == 0 ? clampedIndex(c.x + k, size.x) : c.x;
            const int y = axis == 1 ? clampedIndex(c.y + k, size.y) : c.y;
            const int s = axis == 2 ? clampedIndex(z + k, size.z) : z;
            sum = fmaf(taps->weight[k + radius], v(x, y, s), sum);
        }
        out[volume + v.offset(c.x, c.y, z)] = sum;
    }
}

/// Smooths in three passes through two scratch slots per volume.
template <PassAlongAxis Along>
void threePasses(const VolumeStack& v, const AxisTaps& taps, float* scratch, const int* skip,
                 LaunchLog& log) {
    float* const first = scratch;
    float* const second = scratch + static_cast<std::size_t>(v.count) * v.volume();
    Along({v.data, first, v.count, v.size, 0, skip}, taps.along[0], log);
    Along({first, second, v.count, v.size, 1, skip}, taps.along[1], log);
    Along({second, v.data, v.count, v.size, 2, skip}, taps.along[2], log);
}

/// Smooths along x and y in one kernel, then along z.
void fusedPasses(const VolumeStack& v, const AxisTaps& taps, float* scratch, const int* skip,
                 LaunchLog& log) {
    smoothPlanes({v.data, scratch, v.count, v.size, 0, skip}, taps.along[0], log);
    alongRegister({scratch, v.data, v.count, v.size, 2, skip}, taps.along[2], log);
}

/// The variants' functions, in the order of smoothVariants.
struct SmoothKernels {
    void (*smooth)(const VolumeStack& volumes, const AxisTaps& taps, float* scratch,
                   const int* skip, LaunchLog& log);
    std::size_t slots; ///< scratch volumes needed per volume
};
constexpr SmoothKernels smoothKernels[] = {
    {threePasses<alongDirect>, 2},
    {threePasses<alongShared>, 2},
    {threePasses<alongL2Only>, 2},
    {threePasses<alongRegister>, 2},
    {fusedPasses, 1},
};
static_assert(std::size(smoothKernels) == std::size(smoothVariants));

/// Variant `fused` has one set of weights for x and y; with two, the passes are those of
/// `register`.
const SmoothKernels& kernelsFor(int variant, const AxisTaps& taps) {
    const bool alike = taps.along[0] == taps.along[1];
    return smoothKernels[alike || variant != smoothFamily.named("fused")
                             ? variant
                             : smoothFamily.named("register")];
}

} // namespace

bool Taps::operator==(const Taps& other) const {
    return radius == other.radius && std::equal(weight, weight + 2 * radius + 1, other.weight);
}

Taps tapsFor(const std::vector<float>& weights) {
    Taps taps;
    taps.radius = static_cast<int>(weights.size() / 2);
    if (taps.radius > Taps::widest)
        throw ComputeError("smoothing on the device reaches " + std::to_string(Taps::widest) +
                           " voxels; " + std::to_string(taps.radius) + " were requested");
    std::copy(weights.begin(), weights.end(), taps.weight);
    return taps;
}

Taps gaussianTapsFor(double sigma) { return tapsFor(gaussianTaps(sigma, gaussianRadius(sigma))); }

AxisTaps gaussianTapsFor(Vec3 sigma) { return tapsOfAxes(sigma); }

void smoothStack(int variant, const VolumeStack& volumes, const AxisTaps& taps,
                 const Scratch& scratch, LaunchLog& log, const int* skip) {
    if (taps.along[0].radius == 0 && taps.along[1].radius == 0 && taps.along[2].radius == 0)
        return;
    const SmoothKernels& kernels = kernelsFor(variant, taps);
    const std::size_t slots = scratch.floats / volumes.volume() / kernels.slots;
    if (slots == 0)
        throw ComputeError("smoothing on the device was given too little scratch");
    const int most = static_cast<int>(std::min<std::size_t>(slots, 64));
    for (int first = 0; first < volumes.count; first += most) {
        const VolumeStack part = volumes.part(first, std::min(most, volumes.count - first));
        kernels.smooth(part, taps, scratch.data, skip, log);
    }
}

void smoothSoonest(int variant, const VolumeStack& volumes, const AxisTaps& taps,
                   const Scratch& scratch, LaunchLog& log, const int* skip) {
    const std::size_t values = static_cast<std::size_t>(volumes.count) * volumes.volume();
    if (variant == smoothFamily.named("fused") && values <= fewValues && fitsStretches(taps) &&
        scratch.floats >= values)
        return smoothStretches(volumes, taps, scratch.data, skip, log);
    smoothStack(variant, volumes, taps, scratch, log, skip);
}

float* smoothedStack(int variant, const VolumeStack& volumes, const AxisTaps& taps,
                     const Scratch& scratch, LaunchLog& log) {
    const std::size_t values = static_cast<std::size_t>(volumes.count) * volumes.volume();
    if (variant == smoothFamily.named("fused") && worthTiles(volumes.size) &&
        fitsTiles(log.cuda(), taps) && scratch.floats >= values) {
        smoothTiles(volumes, scratch.data, taps, log);
        return scratch.data;
    }
    smoothSoonest(variant, volumes, taps, scratch, log);
    return volumes.data;
}

std::vector<CompiledCost> compiledSmoothCosts() {
    std::vector<CompiledCost> all = compiledPasses();
    all.push_back(compiledPlanes());
    return all;
}

void smoothStackBy(const DeviceTaps* taps, const VolumeStack& volumes, const Scratch& scratch,
                   LaunchLog& log) {
    const std::size_t stack = static_cast<std::size_t>(volumes.count) * volumes.volume();
    if (scratch.floats < 2 * stack)
        throw ComputeError("smoothing on the device was given too little scratch");
    float* const slots[4] = {volumes.data, scratch.data, scratch.data + stack, volumes.data};
    LaunchShape shape = columnsOver(volumes.size, volumes.size.z);
    shape.grid.z = static_cast<unsigned>(volumes.count);
    for (int axis = 0; axis < 3; ++axis)
        // Only the device knows whether there is work: none is declared.
        launchEarly(log, {"prefilter"}, smoothByDeviceTaps, shape, slots[axis], slots[axis + 1],
                    volumes.size, axis, taps + axis);
}

} // namespace systole::gpu
