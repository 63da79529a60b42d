#include "compute/ops/pyramid_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

namespace systole::gpu {

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
    for (std::size_t level = 1; level < levels().size(); ++level) {
        const PyramidLevel &fine = levels()[level - 1], &coarse = levels()[level];
        decimateStack(images(level - 1), coarse.factor, images(level), scratch, log);
        if (!weight(level).empty())
            decimateStack({weight(level - 1).data, 1, fine.size}, coarse.factor,
                          {weight(level).data, 1, coarse.size}, scratch, log);
    }
}

} // namespace systole::gpu
