#include "compute/methods/unbiased/force_device.cuh"
#include "compute/methods/unbiased/mask_cuda.cuh"

namespace systole::unbiased {
namespace {

constexpr int planesPerThread = 4;

__global__ void comparedKernel(const __grid_constant__ ForceStep s, FrameMasks masks,
                               VolumeView<float> compared) {
    if (isIdle(s))
        return;
    const Size3 size = compared.size;
    const FieldView<const float> motion = motionOf(s);
    const gpu::Column c = gpu::columnOf(size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t i = compared.offset(c.x, c.y, z);
        const Position at = displaced(motion, i, c.x, c.y, z);
        const float warped = TrilinearSample(size, at).of(s.frames.moving.data);
        compared.data[i] = masked(warped, s.frames.fixed.data[i], masks.weight(i, at, size));
    }
}

} // namespace

void enqueueCompared(const ForceStep& step, const FrameMasks& masks, VolumeView<float> compared,
                     LaunchLog& log) {
    log.launch({"masked fixed frame", 32 * static_cast<double>(compared.voxels())}, comparedKernel,
               gpu::columnsOver(compared.size, planesPerThread), step, masks, compared);
}

} // namespace systole::unbiased
