// One CUDA device in use: its streams, its memory and what went over the bus. Includable from any
// C++ file; what needs the CUDA runtime's types is in launch.cuh.
//
// A context is a lane of its own: whoever estimates has one, whoever uploads and shows has another.
// All contexts of one device share its memory's addresses, so a buffer of one may be read on
// a stream of another once its `ready` event is waited for there.
#pragma once

#include "compute/core/buffer.h"
#include "compute/cuda/device.h"

#include <cstddef>
#include <memory>
#include <string>

namespace systole {

/// Work of a context is done in order within a stream and in parallel between them.
enum class CudaStream {
    Compute, ///< estimation
    Copy,    ///< host ↔ device, beside the estimation
    Display  ///< into OpenGL's objects
};

/// A point in a stream's work that others can wait for.
class CudaEvent {
public:
    virtual ~CudaEvent() = default;
    /// Whether the work before it is done; never waits.
    virtual bool done() const = 0;
    virtual void wait() const = 0; ///< blocks the calling thread
};

/// What was copied between host and device since the context was made.
struct TransferCounters {
    std::size_t toDeviceBytes = 0;
    std::size_t toHostBytes = 0;
};

class CudaContext {
public:
    struct Options {
        int device = 0;               ///< index in cudaStatus().devices
        std::size_t deviceBudget = 0; ///< bytes for the device pool; 0: by `share`
        double share = 0.9;           ///< of what is free now
        std::size_t pinnedBudget = std::size_t{4} << 30;
    };
    /// Throws ComputeError with one sentence when the device can't be used: no driver, none of that
    /// index, too old, busy (exclusive mode) or out of memory.
    explicit CudaContext(const Options& options);
    CudaContext() : CudaContext(Options{}) {}
    ~CudaContext(); ///< waits for its streams; its buffers may outlive it
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    const CudaDevice& device() const;
    /// Blocks on the device, in stream order: a block that is given back may be handed out again
    /// at once and must only be used by Compute work enqueued later. Whoever uses a block on
    /// another stream keeps it until an event there is done.
    BufferPool& devicePool();
    BufferPool& pinnedPool(); ///< host memory from which copies overlap with computing
    /// Bytes free on the device now, the driver's answer, and of all its memory.
    std::size_t freeBytes() const;

    /// Enqueue a counted copy. The host side must stay alive until the stream has passed it; a copy
    /// from or to memory that isn't pinned makes the caller wait.
    void upload(const void* host, void* device, std::size_t bytes, CudaStream stream);
    void download(const void* device, void* host, std::size_t bytes, CudaStream stream);
    void copyOnDevice(const void* from, void* to, std::size_t bytes, CudaStream stream);
    void zero(void* device, std::size_t bytes, CudaStream stream);

    /// Marks the point that the stream has come to.
    std::shared_ptr<const CudaEvent> record(CudaStream stream);
    /// Later work of the stream waits on the device for the event; null: nothing to wait for.
    void waitFor(CudaStream stream, const std::shared_ptr<const CudaEvent>& event);
    /// The calling thread waits. Throws ComputeError for what went wrong in the stream.
    void synchronize(CudaStream stream);

    TransferCounters transfers() const;

    /// The runtime's own type, for streamOf() in launch.cuh.
    void* handle(CudaStream stream) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
