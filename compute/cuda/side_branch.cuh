// Work that runs beside the one enqueued after it; for .cu files only.
#pragma once

#include "compute/cuda/launch.cuh"

#include <utility>

namespace systole {

/// A second stream beside a log's own: run() enqueues onto it what depends on the work so far,
/// join() makes what follows wait for it. Captured into a graph, a parallel branch. Where kernels
/// are timed one by one, all run in order. Memory that a branch writes is free again only after
/// join(); sums over a grid in it need memory of their own (GridSum).
class SideBranch {
public:
    explicit SideBranch(const CudaContext& cuda) {
        int priority = 0;
        cudaCheck(cudaStreamGetPriority(streamOf(cuda), &priority), "asking for a priority");
        cudaCheck(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority),
                  "making a stream");
        for (cudaEvent_t* event : {&begin_, &end_})
            cudaCheck(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "making an event");
    }
    ~SideBranch() {
        cudaStreamSynchronize(stream_);
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
        cudaStreamDestroy(stream_);
    }
    SideBranch(const SideBranch&) = delete;
    SideBranch& operator=(const SideBranch&) = delete;

    /// Calls enqueue(), whose launches by `log` go onto the branch.
    template <typename Enqueue>
    void run(LaunchLog& log, const Enqueue& enqueue) {
        if (log.timing() == LaunchLog::Timing::Kernels)
            return enqueue();
        cudaCheck(cudaEventRecord(begin_, log.stream()), "beginning a branch");
        cudaCheck(cudaStreamWaitEvent(stream_, begin_, 0), "beginning a branch");
        const LaunchLog::OnStream onBranch(log, stream_);
        open_ = true;
        enqueue();
    }
    void join(const LaunchLog& log) {
        if (!std::exchange(open_, false))
            return;
        cudaCheck(cudaEventRecord(end_, stream_), "joining a branch");
        cudaCheck(cudaStreamWaitEvent(log.stream(), end_, 0), "joining a branch");
    }
    /// Replaces join() where enqueuing was cut short: the host waits for the branch.
    void abandon() {
        if (std::exchange(open_, false))
            cudaStreamSynchronize(stream_);
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
    bool open_ = false; ///< a run() has not been joined yet
};

} // namespace systole
