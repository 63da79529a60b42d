// The live view's CUDA device: holds the frames of the open sequence, for both scene and
// estimations. Without a device the view is only slower.
#pragma once

#include "compute/core/sequence.h"
#include "compute/cuda/device_frames.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace systole {

class LiveDevice {
public:
    /// `framesShare`: fraction of the device memory free when it is opened. `pinnedBytes`: maximum
    /// size of hostPool().
    LiveDevice(double framesShare, std::size_t pinnedBytes)
        : framesShare_(framesShare), pinnedBytes_(pinnedBytes) {}

    /// Opens the device unless one is open; false if unavailable; tried only once. An estimation
    /// meets the same failure, and reports it.
    bool take(int device);
    /// Index in cudaStatus().devices.
    int index() const { return cuda_ ? cuda_->device().index : 0; }
    /// Frames of this sequence are copied to the device on request.
    void open(const Sequence& sequence);
    /// Forgets the frames.
    void close();

    /// Pinned memory to decode frames into; null without a device.
    BufferPool* hostPool() const { return cuda_ ? &cuda_->pinnedPool() : nullptr; }
    /// Null without a device or a sequence.
    const std::shared_ptr<DeviceFrames>& frames() const { return frames_; }
    /// Returns the frame on the device, null on failure: it is then shown from the host.
    std::shared_ptr<const Volume> frame(int index, const std::shared_ptr<const Volume>& host);
    /// Uploads a frame that is needed next; null: it isn't decoded yet.
    void prefetch(int index, const std::shared_ptr<const Volume>& host);

    struct Memory {
        BufferPool::Usage onDevice, pinned;
        int residentFrames = 0;
    };
    /// Memory held by the frames; nothing without an open device.
    std::optional<Memory> memory() const;

    /// Uploaded bytes of frames since the last call.
    std::size_t takeUploadedBytes();

private:
    double framesShare_;
    std::size_t pinnedBytes_;
    bool tried_ = false;
    std::shared_ptr<CudaContext> cuda_;
    std::shared_ptr<DeviceFrames> frames_;
    std::size_t uploadedBytes_ = 0;
};

} // namespace systole
