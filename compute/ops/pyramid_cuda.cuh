// The pyramid of a pair in device memory: the CUDA counterpart of Pyramid in compute/ops/pyramid.h.
#pragma once

#include "compute/cuda/workspace.h"
#include "compute/ops/pyramid.h"
#include "compute/ops/smooth_cuda.cuh"

namespace systole::gpu {

/// All volumes of a level.
inline VolumeStack stackAt(const LevelVolumes& volumes, std::size_t level) {
    return {volumes.at(level).data, volumes.count(), volumes.levels()[level].size};
}
/// Enqueues the coarser levels, from the finest. `scratch`: see decimateStack().
void decimate(const LevelVolumes& volumes, const Scratch& scratch, LaunchLog& log);

class DevicePyramid : public PyramidMemory {
public:
    using PyramidMemory::PyramidMemory;

    /// Fixed and moving frame of a level.
    VolumeStack images(std::size_t level) const { return stackAt(images_, level); }

    /// Enqueues the finest level: frames mapped to 0 … pyramidGrayRange, the weight copied. If a
    /// frame has a value that is not finite, notFinite[0] (fixed) or [1] (moving) becomes 1.
    void begin(const MotionInput& onDevice, int* notFinite, LaunchLog& log) const;
    /// Enqueues the coarser levels. `scratch`: see decimateStack().
    void decimate(const Scratch& scratch, LaunchLog& log) const;
};

} // namespace systole::gpu
