// One CUDA device in use: its streams, its memory and the bytes copied over the bus. Any C++ file
// can include it; code that needs the CUDA runtime's types is in launch.cuh.
//
// Contexts work independently: the estimation has one, uploading and display have another. All
// contexts of one device share its address space, so a stream of one context may read another's
// buffer after waiting for its `ready` event.
#pragma once

#include "compute/core/buffer.h"
#include "compute/cuda/device.h"

#include <cstddef>
#include <memory>
#include <string>

namespace systole {

class DenseSolver;

/// The work of a context runs in order within a stream and in parallel between streams.
enum class CudaStream {
    Compute, ///< estimation
    Copy,    ///< copies host ↔ device, parallel to the estimation
    Display  ///< writes into OpenGL objects
};

/// A point in a stream's work that other streams and threads can wait for.
class CudaEvent {
public:
    virtual ~CudaEvent() = default;
    /// Whether the work before the event is done; never waits.
    virtual bool done() const = 0;
    virtual void wait() const = 0; ///< blocks the calling thread
};

/// Bytes copied between host and device since the context was created.
struct TransferCounters {
    std::size_t toDeviceBytes = 0;
    std::size_t toHostBytes = 0;
};

class CudaContext {
public:
    struct Options {
        int device = 0;               ///< index in cudaStatus().devices
        std::size_t deviceBudget = 0; ///< bytes for the device pool; 0: determined by `share`
        double share = 0.9;           ///< fraction of the free memory
        std::size_t pinnedBudget = std::size_t{4} << 30;
    };
    /// Throws ComputeError with one sentence when the device can't be used: no driver, no device
    /// with that index, too old, busy (exclusive mode) or out of memory.
    explicit CudaContext(const Options& options);
    CudaContext() : CudaContext(Options{}) {}
    ~CudaContext(); ///< waits for its streams; its buffers may outlive it
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    const CudaDevice& device() const;
    /// Device memory in stream order: a returned block may be handed out again at once, for use by
    /// Compute work enqueued later only. Code that uses a block on another stream must keep it
    /// until an event of that stream is done.
    BufferPool& devicePool();
    BufferPool& pinnedPool(); ///< host memory whose copies overlap with computation
    /// Bytes free now in the whole memory of the device, as the driver reports them.
    std::size_t freeBytes() const;

    /// Enqueue a counted copy. The host memory must stay alive until the stream has completed the
    /// copy; a copy from or to memory that isn't pinned makes the caller wait.
    void upload(const void* host, void* device, std::size_t bytes, CudaStream stream);
    void download(const void* device, void* host, std::size_t bytes, CudaStream stream);
    void copyOnDevice(const void* from, void* to, std::size_t bytes, CudaStream stream);
    void zero(void* device, std::size_t bytes, CudaStream stream);

    /// Records an event at the end of the work enqueued so far.
    std::shared_ptr<const CudaEvent> record(CudaStream stream);
    /// Makes later work of the stream wait on the device for the event; null: no wait.
    void waitFor(CudaStream stream, const std::shared_ptr<const CudaEvent>& event);
    /// Blocks the calling thread. Throws ComputeError for errors in the stream.
    void synchronize(CudaStream stream);

    TransferCounters transfers() const;

    /// compute/cuda/dense_solver.h, loaded by the first call; null where it isn't available, with
    /// the reason.
    const DenseSolver* denseSolver(std::string* reason = nullptr);

    /// The stream as the runtime's type, for streamOf() in launch.cuh.
    void* handle(CudaStream stream) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
