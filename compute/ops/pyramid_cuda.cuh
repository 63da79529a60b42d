// The pyramid of a pair in device memory: the CUDA counterpart of Pyramid in compute/ops/pyramid.h.
#pragma once

#include "compute/cuda/workspace.h"
#include "compute/ops/pyramid.h"
#include "compute/ops/smooth_cuda.cuh"

namespace systole::gpu {

class DevicePyramid {
public:
    /// Adds its memory to `space`, which must be acquired before any other call and outlive the
    /// pyramid.
    DevicePyramid(std::vector<PyramidLevel> levels, bool weighted, Workspace& space);

    const std::vector<PyramidLevel>& levels() const { return levels_; }
    /// Fixed and moving frame of a level.
    VolumeStack images(std::size_t level) const;
    float* weight(std::size_t level) const; ///< null without a weight

    /// Enqueues the finest level: frames mapped to 0 … pyramidGrayRange, the weight copied. If a
    /// frame has a value that is not finite, notFinite[0] (fixed) or [1] (moving) becomes 1.
    void begin(const MotionInput& onDevice, int* notFinite, LaunchLog& log) const;
    /// Enqueues the coarser levels. `scratch`: see decimateStack().
    void decimate(const Scratch& scratch, LaunchLog& log) const;

private:
    std::vector<PyramidLevel> levels_;
    Workspace& space_;
    Workspace::Block<float> images_, weights_;
    std::vector<std::size_t> finerVoxels_; ///< voxels of all finer levels
    bool weighted_;
};

} // namespace systole::gpu
