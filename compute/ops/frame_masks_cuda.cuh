// Masks of a pair in device memory: the counterpart of frame_masks.h.
#pragma once

#include "compute/ops/frame_masks_math.h"
#include "compute/ops/pyramid_cuda.cuh"

#include <vector>

namespace systole::gpu {

class DeviceMaskPyramid {
public:
    /// Adds its memory to `space`, none for a mask that there isn't.
    DeviceMaskPyramid(const std::vector<PyramidLevel>& levels, bool fixed, bool moving,
                      Workspace& space);

    bool empty() const { return !fixed_ && !moving_; }
    /// Enqueues the copy of the finest level.
    void begin(const MotionInput& onDevice, LaunchLog& log) const;
    /// Enqueues the coarser levels. `scratch`: see decimateStack().
    void decimate(const Scratch& scratch, LaunchLog& log) const;
    FrameMasks at(std::size_t level) const;

private:
    float* data(std::size_t level, bool moving) const;

    std::vector<PyramidLevel> levels_;
    Workspace& space_;
    bool fixed_, moving_;
    std::vector<Workspace::Block<float>> masks_; ///< of each level, the fixed one first
};

/// mixByMasks() on the device.
void mixByMasks(const FrameMasks& masks, FieldView<const float> field, VolumeView<const float> a,
                VolumeView<const float> b, VolumeView<float> out, LaunchLog& log);

} // namespace systole::gpu
