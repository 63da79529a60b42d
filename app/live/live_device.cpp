#include "app/live/live_device.h"

#include "compute/core/error.h"

#include <utility>

namespace systole {

bool LiveDevice::take(int device) {
    if (std::exchange(tried_, true))
        return cuda_ != nullptr;
    try {
        CudaContext::Options options;
        options.device = device;
        options.share = framesShare_;
        options.pinnedBudget = pinnedBytes_;
        cuda_ = std::make_shared<CudaContext>(options);
    } catch (const ComputeError&) {
        return false;
    }
    return true;
}

void LiveDevice::close() {
    if (!frames_)
        return;
    frames_.reset();
    uploadedBytes_ = 0;
    cuda_->devicePool().trim();
    cuda_->pinnedPool().trim();
}

void LiveDevice::open(const Sequence& sequence) {
    close();
    if (!cuda_)
        return;
    frames_ = std::make_shared<DeviceFrames>(cuda_, sequence.geometry.voxels() * sizeof(float),
                                             cuda_->devicePool().usage().budgetBytes);
}

std::shared_ptr<const Volume> LiveDevice::frame(int index,
                                                const std::shared_ptr<const Volume>& host) {
    if (!frames_)
        return nullptr;
    try {
        return frames_->frame(index, host);
    } catch (const ComputeError&) {
        return nullptr;
    }
}

void LiveDevice::prefetch(int index, const std::shared_ptr<const Volume>& host) {
    if (!frames_ || !host)
        return;
    try {
        frames_->prefetch(index, host);
    } catch (const ComputeError&) {
        // Code that needs the frame requests it again, and gets the error.
    }
}

std::optional<LiveDevice::Memory> LiveDevice::memory() const {
    if (!cuda_)
        return std::nullopt;
    Memory memory{cuda_->devicePool().usage(), cuda_->pinnedPool().usage()};
    memory.residentFrames = frames_ ? frames_->counters().residentFrames : 0;
    return memory;
}

std::size_t LiveDevice::takeUploadedBytes() {
    if (!frames_)
        return 0;
    const std::size_t now = frames_->counters().uploadedBytes;
    return now - std::exchange(uploadedBytes_, now);
}

} // namespace systole
