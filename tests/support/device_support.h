// Copies of volumes, fields and results on a CUDA device, for tests that need them there.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/cuda/context.h"

#include <memory>

namespace systole {

inline void copyToDevice(const Buffer<float>& from, Buffer<float>& to, CudaContext& cuda) {
    cuda.upload(from.data(), to.data(), from.size() * sizeof(float), CudaStream::Compute);
}

inline std::shared_ptr<const Volume> deviceCopy(const Volume& host, CudaContext& cuda) {
    auto device = std::make_shared<Volume>(host.geometry, cuda.devicePool(), "device volume");
    copyToDevice(host.voxels, device->voxels, cuda);
    device->ready = cuda.record(CudaStream::Compute);
    return device;
}

inline std::shared_ptr<const VectorField> deviceCopy(const VectorField& host, CudaContext& cuda) {
    auto device = std::make_shared<VectorField>(host.geometry, cuda.devicePool(), "device field");
    copyToDevice(host.components, device->components, cuda);
    device->ready = cuda.record(CudaStream::Compute);
    return device;
}

/// The result as an estimation on the device leaves it: the host has frames, but no field.
inline std::shared_ptr<const FrameResult> deviceCopy(const FrameResult& host, CudaContext& cuda) {
    auto device = std::make_shared<DeviceResult>();
    device->fixed = deviceCopy(*host.fixed, cuda);
    device->field = deviceCopy(*host.field, cuda);
    auto result = std::make_shared<FrameResult>(host);
    result->field = nullptr;
    result->device = device;
    return result;
}

} // namespace systole
