// The pyramid of a pair in device memory: the CUDA counterpart of Pyramid in compute/ops/pyramid.h.
#pragma once

#include "compute/cuda/workspace.h"
#include "compute/ops/pyramid.h"
#include "compute/ops/smooth_cuda.cuh"

namespace systole::gpu {

class DevicePyramid {
public:
    /// Lists its memory in `space`, which must be acquired before any other call and outlive the
    /// pyramid.
    DevicePyramid(std::vector<PyramidLevel> levels, bool weighted, Workspace& space);

    const std::vector<PyramidLevel>& levels() const { return levels_; }
    /// Fixed and moving frame of a level.
    VolumeStack images(std::size_t level) const;
    float* weight(std::size_t level) const; ///< null where there is none

    /// Enqueues the finest level: frames brought to 0 … pyramidGrayRange, the weight copied. Where
    /// a frame holds a value that is not finite, notFinite[0] (fixed) or [1] (moving) becomes 1.
    void begin(const MotionInput& onDevice, int* notFinite, LaunchLog& log) const;
    /// Enqueues the coarser levels. `scratch` as for decimateStack().
    void decimate(const Scratch& scratch, LaunchLog& log) const;

private:
    std::vector<PyramidLevel> levels_;
    Workspace& space_;
    Workspace::Block<float> images_, weights_;
    std::vector<std::size_t> finerVoxels_; ///< in all levels before this one
    bool weighted_;
};

} // namespace systole::gpu
