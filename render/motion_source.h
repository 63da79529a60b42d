// The motion that a view shows, and where it is stored: the source of maps, arrows and probe.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/cuda/interop.h"

#include <memory>

namespace systole {

struct MotionSource {
    /// Field and fixed frame on the host. Null: no motion, or on the device only.
    std::shared_ptr<const VectorField> field;
    std::shared_ptr<const Volume> fixed;
    /// Copies of these data on the device that draws; null without `interop`.
    std::shared_ptr<const VectorField> deviceField;
    std::shared_ptr<const Volume> deviceFixed;
    CudaInterop* interop = nullptr; ///< null: data on the device is unreachable from here

    MotionSource() = default;
    /// `drawing` is the interop of the drawing context, null if there is none.
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
    /// Geometry of the field; requires a field.
    const Geometry& geometry() const { return (deviceField ? deviceField : field)->geometry; }
};

} // namespace systole
