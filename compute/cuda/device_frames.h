// The frames of one sequence on a device: uploaded once and cached as long as they fit.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/context.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace systole {

/// Keeps the whole sequence on the device if it fits the budget; otherwise evicts the least
/// recently used frames. A frame in use is neither overwritten nor freed: its user holds the
/// pointer until the device has finished its work. Thread-safe; never waits for the device unless a
/// frame's host memory isn't pinned.
class DeviceFrames {
public:
    /// `frameBytes`: size of one frame. `budgetBytes` limits the cached frames, but a pair and the
    /// frame after it are always kept.
    DeviceFrames(std::shared_ptr<CudaContext> cuda, std::size_t frameBytes,
                 std::size_t budgetBytes);
    ~DeviceFrames(); ///< waits for pending uploads; frames handed out stay valid
    DeviceFrames(const DeviceFrames&) = delete;
    DeviceFrames& operator=(const DeviceFrames&) = delete;

    /// The frame on the device; `host` has its voxels and is read only if they must be uploaded.
    /// The upload then runs on the Copy stream: wait for the frame's `ready` on the stream that
    /// reads it. An index always means the same frame of one sequence. Throws OutOfMemory if the
    /// device has no room even after all unused frames were released.
    std::shared_ptr<const Volume> frame(int index, const std::shared_ptr<const Volume>& host);

    /// Starts the upload of a frame that will be requested soon. Does nothing if memory is so short
    /// that a frame of a pair would have to be released.
    void prefetch(int index, const std::shared_ptr<const Volume>& host);

    /// Releases unused frames, and caches at most a pair from now on.
    void shrink();

    int device() const { return cuda_->device().index; } ///< index in cudaStatus().devices

    struct Counters {
        std::uint64_t uploads = 0; ///< number of uploaded frames
        std::size_t uploadedBytes = 0;
        int residentFrames = 0;
        std::size_t residentBytes = 0, budgetBytes = 0;
    };
    Counters counters() const;

private:
    struct Entry {
        std::shared_ptr<const Volume> volume;
        std::uint64_t lastUse = 0;
    };
    struct Staging {
        Buffer<float> buffer;
        std::shared_ptr<const CudaEvent> passed;
    };
    struct Upload {
        std::shared_ptr<const CudaEvent> done;
        std::shared_ptr<const Volume> host;
    };

    std::shared_ptr<const Volume> resident(int index, const std::shared_ptr<const Volume>& host);
    std::shared_ptr<Volume> acquire(const Geometry& geometry);
    const float* pinnedSource(const Volume& host, Staging*& slot);
    void makeRoom(std::size_t frames);

    const std::shared_ptr<CudaContext> cuda_;
    const std::size_t frameBytes_;
    mutable std::mutex mutex_;
    std::size_t capacity_; ///< maximum number of cached frames
    std::map<int, Entry> entries_;
    std::uint64_t clock_ = 0;
    std::array<Staging, 2> staging_;
    std::size_t nextStaging_ = 0;
    std::vector<Upload> uploads_; ///< pending uploads with their sources
    std::uint64_t uploadCount_ = 0;
    std::size_t uploadedBytes_ = 0;
};

} // namespace systole
