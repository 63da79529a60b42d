// The live view's hold on a CUDA device: the frames of the open sequence, for the scene and for the
// estimations alike. A machine without a device has none, and nothing is lost but speed.
#pragma once

#include "compute/core/sequence.h"
#include "compute/cuda/device_frames.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace systole {

class LiveDevice {
public:
    /// `framesShare`: part of the device memory that is free when it is taken into use.
    /// `pinnedBytes`: most that hostPool() hands out.
    LiveDevice(double framesShare, std::size_t pinnedBytes)
        : framesShare_(framesShare), pinnedBytes_(pinnedBytes) {}

    /// Takes the device into use, unless one is; false if unavailable; tried only once.
    /// An estimation meets the same, and says so.
    bool take(int device);
    int index() const { return cuda_ ? cuda_->device().index : 0; } ///< in cudaStatus().devices
    /// The frames of this sequence come to the device as they are asked for.
    void open(const Sequence& sequence);
    /// Forgets the frames.
    void close();

    /// Pinned memory to decode frames into; null without a device.
    BufferPool* hostPool() const { return cuda_ ? &cuda_->pinnedPool() : nullptr; }
    /// Null without a device or a sequence.
    const std::shared_ptr<DeviceFrames>& frames() const { return frames_; }
    /// The frame on the device, null where that fails: it is shown from the host then.
    std::shared_ptr<const Volume> frame(int index, const std::shared_ptr<const Volume>& host);
    /// Of a frame that comes next; null: it isn't decoded yet.
    void prefetch(int index, const std::shared_ptr<const Volume>& host);

    struct Memory {
        BufferPool::Usage onDevice, pinned;
        int residentFrames = 0;
    };
    /// What the frames hold; nothing without a device in use.
    std::optional<Memory> memory() const;

    /// Of frames, since the last call.
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
