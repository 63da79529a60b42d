#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/frame_masks_cuda.cuh"

namespace systole::gpu {
namespace {

constexpr int planesPerThread = 4;

__global__ void mixKernel(FrameMasks masks, FieldView<const float> field, VolumeView<const float> a,
                          VolumeView<const float> b, VolumeView<float> out) {
    const Column c = columnOf(out.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t i = out.offset(c.x, c.y, z);
        const Position at = displaced(field, i, c.x, c.y, z);
        out.data[i] = masked(a.data[i], b.data[i], masks.weight(i, at, out.size));
    }
}

} // namespace

void DeviceMaskPyramid::begin(const MotionInput& onDevice, LaunchLog& log) const {
    const auto copy = [&](VolumeView<const float> from, bool moving) {
        log.cuda().copyOnDevice(from.data, view(0, moving).data, sizeof(float) * from.voxels(),
                                CudaStream::Compute);
    };
    if (fixed_)
        copy(onDevice.fixedMask, false);
    if (moving_)
        copy(onDevice.movingMask, true);
}

void mixByMasks(const FrameMasks& masks, FieldView<const float> field, VolumeView<const float> a,
                VolumeView<const float> b, VolumeView<float> out, LaunchLog& log) {
    log.launch({"mix by masks", 32 * static_cast<double>(out.voxels())}, mixKernel,
               columnsOver(out.size, planesPerThread), masks, field, a, b, out);
}

} // namespace systole::gpu
