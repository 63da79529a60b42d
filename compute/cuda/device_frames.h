// The frames of one sequence on a device: uploaded once, kept as long as they fit.
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

/// Keeps the whole sequence on the device when it fits the budget; else a ring, from which goes
/// what was used longest ago. A frame that somebody holds is neither overwritten nor freed: whoever
/// works on one holds it until the device has done that work. Thread-safe; never waits for the
/// device unless a frame's host memory isn't pinned.
class DeviceFrames {
public:
    /// `frameBytes`: of one frame. `budgetBytes` bounds the frames kept, but a pair and the frame
    /// after it are always kept.
    DeviceFrames(std::shared_ptr<CudaContext> cuda, std::size_t frameBytes,
                 std::size_t budgetBytes);
    ~DeviceFrames(); ///< waits for uploads under way; frames handed out stay good
    DeviceFrames(const DeviceFrames&) = delete;
    DeviceFrames& operator=(const DeviceFrames&) = delete;

    /// The frame on the device; `host` has its voxels and is read only when they aren't there yet.
    /// Its upload is then under way on the Copy stream: wait for the frame's `ready` on the stream
    /// that reads it. One index is one frame of one sequence. Throws OutOfMemory when the device
    /// has no room left although all that nobody holds was given up.
    std::shared_ptr<const Volume> frame(int index, const std::shared_ptr<const Volume>& host);

    /// Starts the upload of a frame that will be asked for soon. Does nothing where memory is so
    /// short that it would have to give up one of a pair.
    void prefetch(int index, const std::shared_ptr<const Volume>& host);

    /// Gives up what nobody holds, and keeps no more than a pair from now on.
    void shrink();

    int device() const { return cuda_->device().index; } ///< index in cudaStatus().devices

    struct Counters {
        std::uint64_t uploads = 0; ///< frames
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
    std::size_t capacity_; ///< frames
    std::map<int, Entry> entries_;
    std::uint64_t clock_ = 0;
    std::array<Staging, 2> staging_;
    std::size_t nextStaging_ = 0;
    std::vector<Upload> uploads_; ///< under way, with what they read
    std::uint64_t uploadCount_ = 0;
    std::size_t uploadedBytes_ = 0;
};

} // namespace systole
