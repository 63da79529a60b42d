#include "compute/core/median.h"
#include "compute/cuda/launch.cuh"
#include "compute/lab/bench.h"
#include "compute/lab/kernels/kernels.cuh"

#include <algorithm>
#include <chrono>
#include <optional>

namespace systole::lab {
namespace {

/// Cycles for which the device is delayed while the host enqueues the timed work: otherwise the
/// times of short kernels would be their launch times.
constexpr long long heldCycles = 2'000'000;

__global__ void holdStream(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

class TimedEvent {
public:
    TimedEvent() { cudaCheck(cudaEventCreate(&event_), "making an event"); }
    ~TimedEvent() { cudaEventDestroy(event_); }
    TimedEvent(TimedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    TimedEvent& operator=(TimedEvent&&) = delete;

    void record(cudaStream_t stream) {
        cudaCheck(cudaEventRecord(event_, stream), "recording an event");
    }
    double secondsSince(const TimedEvent& begin) const {
        float milliseconds = 0;
        cudaCheck(cudaEventElapsedTime(&milliseconds, begin.event_, event_),
                  "reading an event's time");
        return 1e-3 * static_cast<double>(milliseconds);
    }

private:
    cudaEvent_t event_ = nullptr;
};

/// Number of runs that fit into the budget, given the time of one.
int repeatsFor(const LabTiming& timing, double seconds) {
    const int least = std::min(3, timing.repeats);
    if (seconds * timing.repeats <= timing.budgetSeconds)
        return timing.repeats;
    return std::clamp(static_cast<int>(timing.budgetSeconds / seconds), least, timing.repeats);
}

KernelTask makeTask(const std::string& task, CudaContext& cuda, int side) {
    for (const FamilyOnDevice& one : familiesOnDevice)
        if (task == one.family->task)
            return one.makeTask(cuda, side);
    throw ComputeError("the laboratory can't run '" + task + "'");
}

void resetTask(const KernelTask& task, CudaContext& cuda) {
    if (task.reset)
        task.reset(cuda);
}

} // namespace

struct LabBench::Impl {
    CudaContext& cuda;
    std::optional<KernelTask> task;
    std::string taskName;
    int side = 0;

    const KernelTask& prepared(const LabKernel& kernel, int wantedSide) {
        if (wantedSide < 1)
            throw ComputeError("a side of " + std::to_string(wantedSide) + " can't be measured");
        if (!task || taskName != kernel.task || side != wantedSide) {
            task.reset(); // first, since there may not be memory for both
            task = makeTask(kernel.task, cuda, wantedSide);
            taskName = kernel.task;
            side = wantedSide;
        }
        return *task;
    }

    void checkAsked(const LabKernel& kernel, int threads, int paddingBytes) const {
        if (!kernel.takes(threads))
            throw ComputeError(kernel.name() + " can't be launched with blocks of " +
                               std::to_string(threads) + " threads");
        int available = 0;
        cudaCheck(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                         cuda.device().index),
                  "reading the shared memory per block");
        if (paddingBytes < 0 || paddingBytes > available)
            throw ComputeError("this device has " + std::to_string(available) +
                               " bytes of shared memory per block; " +
                               std::to_string(paddingBytes) + " of padding can't be added");
    }
};

LabBench::LabBench(CudaContext& cuda) : impl_(new Impl{cuda, std::nullopt, {}, 0}) {}
LabBench::~LabBench() = default;

LabPoint LabBench::measure(const LabKernel& kernel, int side, int threads, int paddingBytes,
                           const LabTiming& timing) {
    CudaContext& cuda = impl_->cuda;
    impl_->checkAsked(kernel, threads, paddingBytes);
    const KernelTask& task = impl_->prepared(kernel, side);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    log.setBlockSizes(BlockSizes({{kernel.name(), threads}}));
    log.setPadding(static_cast<std::size_t>(paddingBytes));
    const auto run = [&](TimedEvent& begin, TimedEvent& end) {
        resetTask(task, cuda);
        log.clear();
        begin.record(log.stream());
        task.launch(kernel.index, log);
        end.record(log.stream());
    };
    cuda.zero(task.output, task.outputFloats * sizeof(float), CudaStream::Compute);
    TimedEvent begin, end;
    for (int i = 0; i < std::max(1, timing.warmUps); ++i)
        run(begin, end);
    cuda.synchronize(CudaStream::Compute);
    const int repeats = repeatsFor(timing, end.secondsSince(begin));

    std::vector<TimedEvent> begins(static_cast<std::size_t>(repeats)),
        ends(static_cast<std::size_t>(repeats));
    holdStream<<<1, 1, 0, log.stream()>>>(heldCycles);
    cudaCheck(cudaGetLastError(), "holding the device");
    for (std::size_t i = 0; i < begins.size(); ++i)
        run(begins[i], ends[i]);
    cuda.synchronize(CudaStream::Compute);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < begins.size(); ++i)
        seconds.push_back(ends[i].secondsSince(begins[i]));

    LabPoint point;
    point.kernel = kernel.name();
    point.side = side;
    point.threads = threads;
    point.paddingBytes = paddingBytes;
    point.seconds = median(std::move(seconds));
    point.uploadBytes = static_cast<double>(task.uploadBytes);
    point.downloadBytes = static_cast<double>(task.downloadBytes);
    point.launches = log.resolveLaunches();
    return point;
}

double LabBench::measureWithTransfers(const LabKernel& kernel, int side, int threads, bool pinned,
                                      const LabTiming& timing) {
    CudaContext& cuda = impl_->cuda;
    impl_->checkAsked(kernel, threads, 0);
    const KernelTask& task = impl_->prepared(kernel, side);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    log.setBlockSizes(BlockSizes({{kernel.name(), threads}}));
    // The task's data aren't copied: the copies have the same size and use other memory.
    const std::size_t up = task.uploadBytes, down = task.downloadBytes;
    const std::size_t most = std::max(up, down);
    Buffer<std::byte> onDevice = cuda.devicePool().acquire<std::byte>(most, "laboratory, transfer");
    BufferPool pageable;
    Buffer<std::byte> onHost =
        (pinned ? cuda.pinnedPool() : pageable).acquire<std::byte>(most, "laboratory, transfer");
    std::fill_n(onHost.data(), most, std::byte{0}); // makes the pages exist before the copies
    const auto run = [&] {
        resetTask(task, cuda);
        log.clear();
        cuda.synchronize(CudaStream::Compute);
        const auto begin = std::chrono::steady_clock::now();
        cuda.upload(onHost.data(), onDevice.data(), up, CudaStream::Compute);
        task.launch(kernel.index, log);
        cuda.download(onDevice.data(), onHost.data(), down, CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    double last = 0;
    for (int i = 0; i < std::max(1, timing.warmUps); ++i)
        last = run();
    std::vector<double> seconds;
    for (int i = repeatsFor(timing, last); i > 0; --i)
        seconds.push_back(run());
    return median(std::move(seconds));
}

std::vector<float> LabBench::output() const {
    if (!impl_->task)
        throw ComputeError("nothing has been measured yet");
    const KernelTask& task = *impl_->task;
    if (task.gather)
        task.gather(impl_->cuda);
    return valuesOf(impl_->cuda, task.output, task.outputFloats);
}

std::vector<float> LabBench::onHost(const ExecContext& ctx) const {
    if (!impl_->task)
        throw ComputeError("nothing has been measured yet");
    return impl_->task->onHost(ctx);
}

std::vector<CompiledCost> compiledCosts() {
    std::vector<CompiledCost> all;
    for (const FamilyOnDevice& one : familiesOnDevice)
        if (one.compiledCosts)
            for (CompiledCost& cost : one.compiledCosts())
                all.push_back(std::move(cost));
    return all;
}

} // namespace systole::lab
