#include "compute/cuda/check.cuh"
#include "compute/cuda/context.h"
#include "compute/cuda/dense_solver.h"
#include "compute/cuda/waiting.h"

#include <array>
#include <atomic>
#include <mutex>

namespace systole {
namespace {

constexpr std::array allStreams{CudaStream::Compute, CudaStream::Copy, CudaStream::Display};

/// Stream-ordered device memory: freeing waits only for earlier work of the same stream.
class DeviceAllocator : public Allocator {
public:
    DeviceAllocator(int device, std::shared_ptr<CUstream_st> stream)
        : device_(device), stream_(std::move(stream)) {}

    void* allocate(std::size_t bytes) override {
        void* block = nullptr;
        if (cudaSetDevice(device_) != cudaSuccess ||
            cudaMallocAsync(&block, bytes, stream_.get()) != cudaSuccess) {
            cudaGetLastError();
            return nullptr;
        }
        // Other streams may get this block: it must exist before they run.
        if (cudaStreamSynchronize(stream_.get()) != cudaSuccess)
            return nullptr;
        return block;
    }
    void release(void* block, std::size_t) noexcept override {
        cudaFreeAsync(block, stream_.get());
        cudaGetLastError();
    }
    MemorySpace space() const override { return MemorySpace::Device; }

private:
    int device_;
    std::shared_ptr<CUstream_st> stream_;
};

class PinnedAllocator : public Allocator {
public:
    explicit PinnedAllocator(int device) : device_(device) {}
    void* allocate(std::size_t bytes) override {
        void* block = nullptr;
        if (cudaSetDevice(device_) != cudaSuccess ||
            cudaHostAlloc(&block, bytes, cudaHostAllocPortable) != cudaSuccess) {
            cudaGetLastError();
            return nullptr;
        }
        return block;
    }
    void release(void* block, std::size_t) noexcept override {
        cudaFreeHost(block);
        cudaGetLastError();
    }
    MemorySpace space() const override { return MemorySpace::Pinned; }

private:
    int device_;
};

/// Who waits for an event does so as for a stream, see sleepWhileWaiting().
unsigned eventFlags() {
    return cudaEventDisableTiming | (sleepsWhileWaiting() ? cudaEventBlockingSync : 0);
}

class Event : public CudaEvent {
public:
    explicit Event(cudaStream_t stream) {
        cudaCheck(cudaEventCreateWithFlags(&event_, eventFlags()), "making an event");
        if (const cudaError_t answer = cudaEventRecord(event_, stream); answer != cudaSuccess) {
            cudaEventDestroy(event_);
            cudaCheck(answer, "recording an event");
        }
    }
    ~Event() override { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    bool done() const override {
        const cudaError_t answer = cudaEventQuery(event_);
        if (answer != cudaSuccess)
            cudaGetLastError();
        return answer != cudaErrorNotReady;
    }
    void wait() const override { cudaCheck(cudaEventSynchronize(event_), "waiting for an event"); }
    cudaEvent_t get() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

/// Blocks of what copies and draws are taken before those of estimations, and these before those of
/// contexts that give way (priority.h).
std::shared_ptr<CUstream_st> makeStream(CudaStream which) {
    int last = 0, first = 0; // the smaller the sooner
    cudaCheck(cudaDeviceGetStreamPriorityRange(&last, &first),
              "asking for the streams' priorities");
    const int priority = which == CudaStream::Compute ? (last + first) / 2 : first;
    cudaStream_t stream = nullptr;
    cudaCheck(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority),
              "making a stream");
    return {stream, [](cudaStream_t s) { cudaStreamDestroy(s); }};
}

CudaDevice usableDevice(int index) {
    const CudaStatus status = cudaStatus();
    if (!status.usable())
        throw ComputeError(status.reason);
    if (index < 0 || index >= static_cast<int>(status.devices.size()))
        throw ComputeError("there is no CUDA device " + std::to_string(index) +
                           "; this machine has " + std::to_string(status.devices.size()));
    const CudaDevice& device = status.devices[static_cast<std::size_t>(index)];
    if (!device.usable)
        throw ComputeError("the device " + device.name + " is older than this build's CUDA code");
    cudaCheck(cudaSetDevice(index), "taking the device into use");
    return device;
}

std::size_t freeOnDevice() {
    std::size_t free = 0, total = 0;
    cudaCheck(cudaMemGetInfo(&free, &total), "asking for free device memory");
    return free;
}

std::size_t shareOfFree(double share) {
    return static_cast<std::size_t>(share * static_cast<double>(freeOnDevice()));
}

} // namespace

struct CudaContext::Impl {
    explicit Impl(const Options& options)
        : device(usableDevice(options.device))
        , streams{makeStream(allStreams[0]), makeStream(allStreams[1]), makeStream(allStreams[2])}
        , devicePool(options.deviceBudget > 0 ? options.deviceBudget : shareOfFree(options.share),
                     std::make_unique<DeviceAllocator>(device.index, streams[0]))
        , pinnedPool(options.pinnedBudget, std::make_unique<PinnedAllocator>(device.index)) {}

    cudaStream_t stream(CudaStream which) const {
        return streams[static_cast<std::size_t>(which)].get();
    }
    /// Selects the device for the calling thread: CUDA keeps this setting per thread.
    void use() const { cudaCheck(cudaSetDevice(device.index), "turning to the device"); }
    void copy(const void* from, void* to, std::size_t bytes, cudaMemcpyKind kind,
              CudaStream which) const {
        use();
        cudaCheck(cudaMemcpyAsync(to, from, bytes, kind, stream(which)), "copying");
    }

    CudaDevice device;
    std::array<std::shared_ptr<CUstream_st>, 3> streams;
    BufferPool devicePool, pinnedPool;
    std::atomic<std::size_t> toDevice{0}, toHost{0};
    std::mutex loading;
    std::unique_ptr<DenseSolver> solver;
    std::string noSolver; ///< why there is none
};

CudaContext::CudaContext(const Options& options) : impl_(std::make_unique<Impl>(options)) {}

CudaContext::~CudaContext() {
    for (const CudaStream which : allStreams)
        cudaStreamSynchronize(impl_->stream(which));
    cudaGetLastError();
}

const CudaDevice& CudaContext::device() const { return impl_->device; }
BufferPool& CudaContext::devicePool() { return impl_->devicePool; }
BufferPool& CudaContext::pinnedPool() { return impl_->pinnedPool; }

std::size_t CudaContext::freeBytes() const {
    impl_->use();
    return freeOnDevice();
}

void CudaContext::upload(const void* host, void* device, std::size_t bytes, CudaStream stream) {
    impl_->copy(host, device, bytes, cudaMemcpyHostToDevice, stream);
    impl_->toDevice += bytes;
}

void CudaContext::download(const void* device, void* host, std::size_t bytes, CudaStream stream) {
    impl_->copy(device, host, bytes, cudaMemcpyDeviceToHost, stream);
    impl_->toHost += bytes;
}

void CudaContext::copyOnDevice(const void* from, void* to, std::size_t bytes, CudaStream stream) {
    impl_->copy(from, to, bytes, cudaMemcpyDeviceToDevice, stream);
}

void CudaContext::zero(void* device, std::size_t bytes, CudaStream stream) {
    impl_->use();
    cudaCheck(cudaMemsetAsync(device, 0, bytes, impl_->stream(stream)), "clearing device memory");
}

std::shared_ptr<const CudaEvent> CudaContext::record(CudaStream stream) {
    impl_->use();
    return std::make_shared<const Event>(impl_->stream(stream));
}

void CudaContext::waitFor(CudaStream stream, const std::shared_ptr<const CudaEvent>& event) {
    if (!event)
        return;
    impl_->use();
    const auto& own = static_cast<const Event&>(*event);
    cudaCheck(cudaStreamWaitEvent(impl_->stream(stream), own.get()), "waiting for an event");
}

void CudaContext::synchronize(CudaStream stream) {
    impl_->use();
    cudaCheck(cudaStreamSynchronize(impl_->stream(stream)), "waiting for a stream");
}

const DenseSolver* CudaContext::denseSolver(std::string* reason) {
    const std::scoped_lock lock(impl_->loading);
    if (!impl_->solver && impl_->noSolver.empty()) {
        impl_->use();
        impl_->solver = DenseSolver::load(impl_->noSolver);
    }
    if (reason)
        *reason = impl_->noSolver;
    return impl_->solver.get();
}

TransferCounters CudaContext::transfers() const { return {impl_->toDevice, impl_->toHost}; }

void* CudaContext::handle(CudaStream stream) const {
    impl_->use();
    return impl_->stream(stream);
}

} // namespace systole
