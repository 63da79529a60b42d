// The motion that a view shows, and where it lies: what maps, arrows and probe read from.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/cuda/interop.h"

#include <memory>

namespace systole {

struct MotionSource {
    /// On the host. Null: no motion, or on the device alone.
    std::shared_ptr<const VectorField> field;
    std::shared_ptr<const Volume> fixed;
    /// The same on the device that draws; null without `interop`.
    std::shared_ptr<const VectorField> deviceField;
    std::shared_ptr<const Volume> deviceFixed;
    CudaInterop* interop = nullptr; ///< null: what is on the device can't be reached from here

    MotionSource() = default;
    /// `drawing` is the interop of the context that draws, null where there is none.
    MotionSource(const FrameResult* result, CudaInterop* drawing) {
        if (!result)
            return;
        field = result->field;
        fixed = result->fixed;
        const DeviceResult* device = result->device.get();
        if (!drawing || !device || !device->field ||
            !drawing->reaches(device->field->components.data()))
            return;
        interop = drawing;
        deviceField = device->field;
        if (device->fixed && drawing->reaches(device->fixed->voxels.data()))
            deviceFixed = device->fixed;
    }

    explicit operator bool() const { return field || deviceField; }
    bool onDevice() const { return deviceField != nullptr; }
    /// Of the field; only where there is one.
    const Geometry& geometry() const { return (deviceField ? deviceField : field)->geometry; }
};

} // namespace systole
