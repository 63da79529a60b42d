#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/ffd/affine_decimate_cuda.cuh"
#include "compute/ops/decimation.h"
#include "compute/ops/resample.h"

namespace systole::gpu {
namespace {

constexpr int planesPerThread = 4;

constexpr KernelCost tapsCost{.add = 3,
                              .multiply = 1,
                              .fusedMultiplyAdd = 3,
                              .integer = 60,
                              .globalLoads = 7,
                              .globalStores = 1};

/// One axis: the taps' values from both sides are added before they are weighted, as in the rows of
/// the CPU. `between`: the mean of two smoothed voxels.
__global__ void decimateAxis(VolumeView<const float> in, VolumeView<float> out, int axis,
                             bool between, const __grid_constant__ Taps taps) {
    const Column c = columnOf(out.size, planesPerThread);
    if (!c.inGrid)
        return;
    const int last = in.size[axis] - 1;
    for (int z = c.begin; z < c.end; ++z) {
        const auto at = [&](int offset) {
            const int place[3] = {c.x, c.y, z};
            const int i = min(max(2 * place[axis] + offset, 0), last);
            return in(axis == 0 ? i : c.x, axis == 1 ? i : c.y, axis == 2 ? i : z);
        };
        const auto smoothed = [&](int center) {
            float sum = taps.weight[taps.radius] * at(center);
            for (int k = 0; k < taps.radius; ++k)
                sum = fmaf(taps.weight[k],
                           at(center + k - taps.radius) + at(center + taps.radius - k), sum);
            return sum;
        };
        out(c.x, c.y, z) = between ? 0.5f * (smoothed(0) + smoothed(1)) : smoothed(0);
    }
}

} // namespace

void decimateExactly(VolumeView<const float> in, std::array<int, 3> factor, VolumeView<float> out,
                     const Scratch& scratch, LaunchLog& log) {
    if (scratch.floats < in.voxels())
        throw ComputeError("decimation on the device was given too little scratch");
    int left = 0;
    for (const int f : factor)
        left += f > 1 ? 1 : 0;
    float* next = scratch.data;
    // In the order of the CPU's passes: y, x, z.
    for (const int axis : {1, 0, 2}) {
        if (factor[static_cast<std::size_t>(axis)] == 1)
            continue;
        const int shift = decimationShiftInHalves(in.size[axis], 2);
        const Taps taps = gaussianTapsFor(decimationSigma(shift));
        Size3 size = in.size;
        (axis == 0 ? size.x : axis == 1 ? size.y : size.z) = out.size[axis];
        const VolumeView<float> to = --left == 0 ? out : VolumeView<float>{next, size};
        const auto voxels = static_cast<double>(to.voxels());
        const LaunchShape shape = columnsOver(size, planesPerThread);
        log.launch({"decimate exactly", 4 * (voxels + static_cast<double>(in.voxels())), 0,
                    perThread(shape, voxels, tapsCost)},
                   decimateAxis, shape, in, to, axis, shift > 0, taps);
        next += to.voxels();
        in = to;
    }
}

} // namespace systole::gpu
