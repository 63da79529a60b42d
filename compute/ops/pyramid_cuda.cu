#include "compute/ops/pyramid_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

namespace systole::gpu {

DevicePyramid::DevicePyramid(std::vector<PyramidLevel> levels, bool weighted, Workspace& space)
    : levels_(std::move(levels)), space_(space), weighted_(weighted) {
    std::size_t voxels = 0;
    for (const PyramidLevel& level : levels_) {
        finerVoxels_.push_back(voxels);
        voxels += level.size.voxels();
    }
    images_ = space.add<float>("pyramid images", 2 * voxels);
    weights_ = space.add<float>("volume-preservation weight", weighted ? voxels : 0);
}

VolumeStack DevicePyramid::images(std::size_t level) const {
    return {space_.data(images_) + 2 * finerVoxels_[level], 2, levels_[level].size};
}

float* DevicePyramid::weight(std::size_t level) const {
    return weighted_ ? space_.data(weights_) + finerVoxels_[level] : nullptr;
}

void DevicePyramid::begin(const MotionInput& onDevice, int* notFinite, LaunchLog& log) const {
    const std::size_t n = onDevice.fixed.voxels();
    const GrayMapping gray = grayMapping(onDevice.scale);
    const VolumeStack finest = images(0);
    scaleGray(onDevice.fixed.data, finest.data, n, gray.scale, gray.offset, notFinite, log);
    scaleGray(onDevice.moving.data, finest.data + n, n, gray.scale, gray.offset, notFinite + 1,
              log);
    if (weighted_)
        log.cuda().copyOnDevice(onDevice.incompressibility.data, weight(0), sizeof(float) * n,
                                CudaStream::Compute);
}

void DevicePyramid::decimate(const Scratch& scratch, LaunchLog& log) const {
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        decimateStack(images(level - 1), levels_[level].factor, images(level), scratch, log);
        if (weighted_)
            decimateStack({weight(level - 1), 1, levels_[level - 1].size}, levels_[level].factor,
                          {weight(level), 1, levels_[level].size}, scratch, log);
    }
}

} // namespace systole::gpu
