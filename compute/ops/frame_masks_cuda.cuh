// Masks of a pair in device memory: the counterpart of frame_masks.h.
#pragma once

#include "compute/ops/frame_masks.h"
#include "compute/ops/pyramid_cuda.cuh"

namespace systole::gpu {

class DeviceMaskPyramid : public MaskMemory {
public:
    using MaskMemory::MaskMemory;
    /// Enqueues the copy of the finest level.
    void begin(const MotionInput& onDevice, LaunchLog& log) const;
};

/// mixByMasks() on the device.
void mixByMasks(const FrameMasks& masks, FieldView<const float> field, VolumeView<const float> a,
                VolumeView<const float> b, VolumeView<float> out, LaunchLog& log);

} // namespace systole::gpu
