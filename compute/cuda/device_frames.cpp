#include "compute/cuda/device_frames.h"

#include "compute/core/error.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

constexpr std::size_t pair = 2, pairAndNext = 3;

} // namespace

DeviceFrames::DeviceFrames(std::shared_ptr<CudaContext> cuda, std::size_t frameBytes,
                           std::size_t budgetBytes)
    : cuda_(std::move(cuda))
    , frameBytes_(std::max<std::size_t>(1, frameBytes))
    , capacity_(std::max(pairAndNext, budgetBytes / frameBytes_)) {}

DeviceFrames::~DeviceFrames() {
    try {
        cuda_->synchronize(CudaStream::Copy);
    } catch (const ComputeError&) {
        // The device is lost, and its copies with it.
    }
}

std::shared_ptr<const Volume> DeviceFrames::frame(int index,
                                                  const std::shared_ptr<const Volume>& host) {
    const std::scoped_lock lock(mutex_);
    return resident(index, host);
}

void DeviceFrames::prefetch(int index, const std::shared_ptr<const Volume>& host) {
    const std::scoped_lock lock(mutex_);
    if (capacity_ < pairAndNext || entries_.count(index) > 0)
        return;
    try {
        resident(index, host);
    } catch (const OutOfMemory&) {
        // frame() uploads it when it is needed, and reports the error then.
    }
}

std::shared_ptr<const Volume> DeviceFrames::resident(int index,
                                                     const std::shared_ptr<const Volume>& host) {
    if (const auto found = entries_.find(index); found != entries_.end()) {
        found->second.lastUse = ++clock_;
        return found->second.volume;
    }
    std::erase_if(uploads_, [](const Upload& upload) { return upload.done->done(); });
    makeRoom(capacity_ - 1);
    const std::shared_ptr<Volume> volume = acquire(host->geometry);
    volume->timeSeconds = host->timeSeconds;
    // The block may have been another frame or scratch whose last readers are still running.
    for (const CudaStream reader : {CudaStream::Compute, CudaStream::Display})
        cuda_->waitFor(CudaStream::Copy, cuda_->record(reader));
    Staging* slot = nullptr;
    const float* source = pinnedSource(*host, slot);
    const std::size_t bytes = host->voxels.size() * sizeof(float);
    cuda_->upload(source, volume->voxels.data(), bytes, CudaStream::Copy);
    volume->ready = cuda_->record(CudaStream::Copy);
    if (slot)
        slot->passed = volume->ready;
    else
        uploads_.push_back({volume->ready, host});
    ++uploadCount_;
    uploadedBytes_ += bytes;
    entries_[index] = {volume, ++clock_};
    return volume;
}

std::shared_ptr<Volume> DeviceFrames::acquire(const Geometry& geometry) {
    constexpr const char* purpose = "frames on the device";
    try {
        return std::make_shared<Volume>(geometry, cuda_->devicePool(), purpose);
    } catch (const OutOfMemory&) {
        makeRoom(0);
        cuda_->devicePool().trim();
        return std::make_shared<Volume>(geometry, cuda_->devicePool(), purpose);
    }
}

/// Only copies from pinned memory run in parallel to the estimation.
const float* DeviceFrames::pinnedSource(const Volume& host, Staging*& slot) {
    if (host.voxels.space() == MemorySpace::Pinned)
        return host.voxels.data();
    Staging& staging = staging_[nextStaging_];
    nextStaging_ = (nextStaging_ + 1) % staging_.size();
    if (staging.passed)
        staging.passed->wait();
    staging.passed.reset();
    if (staging.buffer.size() != host.voxels.size()) {
        staging.buffer = Buffer<float>();
        staging.buffer = cuda_->pinnedPool().acquire<float>(host.voxels.size(), "upload");
    }
    std::copy_n(host.voxels.data(), host.voxels.size(), staging.buffer.data());
    slot = &staging;
    return staging.buffer.data();
}

/// Releases unused frames, least recently used first, until `frames` are left.
void DeviceFrames::makeRoom(std::size_t frames) {
    while (entries_.size() > frames) {
        auto oldest = entries_.end();
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            const auto& [volume, lastUse] = entry->second;
            // The block of a frame that is still being written must not be reused.
            if (volume.use_count() == 1 && volume->ready->done() &&
                (oldest == entries_.end() || lastUse < oldest->second.lastUse))
                oldest = entry;
        }
        if (oldest == entries_.end())
            return;
        entries_.erase(oldest);
    }
}

void DeviceFrames::shrink() {
    const std::scoped_lock lock(mutex_);
    capacity_ = pair;
    makeRoom(0);
    cuda_->devicePool().trim();
}

DeviceFrames::Counters DeviceFrames::counters() const {
    const std::scoped_lock lock(mutex_);
    Counters counters;
    counters.uploads = uploadCount_;
    counters.uploadedBytes = uploadedBytes_;
    counters.residentFrames = static_cast<int>(entries_.size());
    counters.residentBytes = entries_.size() * frameBytes_;
    counters.budgetBytes = capacity_ * frameBytes_;
    return counters;
}

} // namespace systole
