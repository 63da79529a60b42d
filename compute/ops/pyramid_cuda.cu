#include "compute/ops/pyramid_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

namespace systole::gpu {
namespace {

/// A level, from the next finer one.
void decimateTo(std::size_t level, const LevelVolumes& volumes, const Scratch& scratch,
                LaunchLog& log) {
    if (!volumes.empty())
        decimateStack(stackAt(volumes, level - 1), volumes.levels()[level].factor,
                      stackAt(volumes, level), scratch, log);
}

} // namespace

void DevicePyramid::begin(const MotionInput& onDevice, int* notFinite, LaunchLog& log) const {
    const std::size_t n = onDevice.fixed.voxels();
    const GrayMapping gray = grayMapping(onDevice.scale);
    const VolumeStack finest = images(0);
    scaleGray(onDevice.fixed.data, finest.data, n, gray.scale, gray.offset, notFinite, log);
    scaleGray(onDevice.moving.data, finest.data + n, n, gray.scale, gray.offset, notFinite + 1,
              log);
    if (!weight(0).empty())
        log.cuda().copyOnDevice(onDevice.incompressibility.data, weight(0).data, sizeof(float) * n,
                                CudaStream::Compute);
}

void DevicePyramid::decimate(const Scratch& scratch, LaunchLog& log) const {
    for (std::size_t level = 1; level < levels().size(); ++level)
        for (const LevelVolumes* volumes : {&images_, &weights_})
            decimateTo(level, *volumes, scratch, log);
}

void decimate(const LevelVolumes& volumes, const Scratch& scratch, LaunchLog& log) {
    for (std::size_t level = 1; level < volumes.levels().size(); ++level)
        decimateTo(level, volumes, scratch, log);
}

} // namespace systole::gpu
