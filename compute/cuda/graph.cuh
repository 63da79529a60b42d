// A sequence of launches as a CUDA graph, and step-by-step launching without running far ahead of
// the device; for .cu files only.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/launch.cuh"

#include <deque>
#include <memory>

namespace systole {

/// A captured sequence of launches, ready to be replayed.
class Graph {
public:
    /// Captures what enqueue() puts onto the stream; nothing runs before launch().
    template <typename Enqueue>
    Graph(cudaStream_t stream, const Enqueue& enqueue) {
        cudaGraph_t graph = nullptr;
        cudaCheck(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed),
                  "beginning a graph");
        try {
            enqueue();
        } catch (...) {
            cudaStreamEndCapture(stream, &graph);
            cudaGraphDestroy(graph);
            cudaGetLastError();
            throw;
        }
        cudaCheck(cudaStreamEndCapture(stream, &graph), "ending a graph");
        const cudaError_t answer = cudaGraphInstantiate(&executable_, graph, 0);
        cudaGraphDestroy(graph);
        cudaCheck(answer, "instantiating a graph");
    }
    ~Graph() { cudaGraphExecDestroy(executable_); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch(cudaStream_t stream) const {
        cudaCheck(cudaGraphLaunch(executable_, stream), "launching a graph");
    }

private:
    cudaGraphExec_t executable_ = nullptr;
};

/// Called after each step that was enqueued on the Compute stream: reports the progress and waits
/// while more than two steps are pending, so that a cancellation waits for few steps.
class Throttle {
public:
    explicit Throttle(const ExecContext& ctx) : ctx_(ctx) {}

    /// `done`: fraction of all steps, 0–1. Throws Cancelled.
    void operator()(double done) {
        ctx_.report("motion estimation", done);
        ctx_.throwIfCancelled();
        underWay_.push_back(ctx_.cuda->record(CudaStream::Compute));
        if (underWay_.size() > stepsAhead) {
            underWay_.front()->wait();
            underWay_.pop_front();
        }
        ctx_.throwIfCancelled();
    }

private:
    static constexpr std::size_t stepsAhead = 2;

    const ExecContext& ctx_;
    std::deque<std::shared_ptr<const CudaEvent>> underWay_;
};

} // namespace systole
