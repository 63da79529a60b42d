// The one way to launch a kernel: its shape, registers, shared and local bytes, declared bytes and
// flops, and its time go into the profile that panels, laboratory and benchmark read.
#pragma once

#include "compute/core/block_sizes.h"
#include "compute/core/exec.h"
#include "compute/cuda/check.cuh"
#include "compute/cuda/context.h"
#include "compute/cuda/kernel_family.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace systole {

inline cudaStream_t streamOf(const CudaContext& cuda, CudaStream stream = CudaStream::Compute) {
    return static_cast<cudaStream_t>(cuda.handle(stream));
}

struct LaunchShape {
    dim3 grid;
    dim3 block;
    std::size_t sharedBytes = 0; ///< dynamic
};

/// What a launch says of its work: bytes read plus written, each array once.
struct KernelNote {
    std::string kernel; ///< with its variant: "jacobi/register"
    double bytes = 0;
    double flops = 0;     ///< 0: as the cost of its threads says
    KernelCost cost = {}; ///< of one thread of this launch
};

/// Launches onto one stream and writes down what was launched. The log of a sequence of launches
/// that was captured into a CUDA graph stays good for every replay: the events are part of the
/// graph.
///
/// Use: stage scopes around launches, then (stream done) resolve(). clear() before the next
/// sequence of other launches.
class LaunchLog {
public:
    enum class Timing {
        None,   ///< launches are written down, no events at all
        Stages, ///< two events a stage
        Kernels ///< and two a kernel: for benchmarks, it costs microseconds each
    };

    LaunchLog(CudaContext& cuda, Timing timing, CudaStream stream = CudaStream::Compute);
    ~LaunchLog();
    LaunchLog(const LaunchLog&) = delete;
    LaunchLog& operator=(const LaunchLog&) = delete;

    CudaContext& cuda() const { return cuda_; }
    cudaStream_t stream() const { return stream_; }
    Timing timing() const { return timing_; }

    /// Blocks of other sizes than the kernels' own, from now on.
    void setBlockSizes(BlockSizes sizes) { blockSizes_ = std::move(sizes); }
    /// What whoever launches this kernel asks for the threads of its blocks; `standard` unless
    /// something else was set.
    int threadsFor(const std::string& kernel, int standard) const {
        return blockSizes_.threadsFor(kernel, standard);
    }
    /// The same for a variant of a family, whose table has the standard.
    int threadsFor(const KernelFamily& family, int variant) const {
        return threadsFor(family.kernel(variant), family.at(variant).standardThreads);
    }
    /// Dynamic shared memory that every launch() is given on top and that nobody uses: it lowers
    /// the occupancy and changes nothing else.
    void setBallast(std::size_t bytes) { ballast_ = bytes; }

    /// Marks a stretch of a stage ("gradient", "smooth", "solve", "warp", "pyramid", "upload").
    class Stage {
    public:
        Stage(LaunchLog& log, const char* stage);
        ~Stage();
        Stage(const Stage&) = delete;
        Stage& operator=(const Stage&) = delete;

    private:
        LaunchLog& log_;
    };

    /// Launches kernel(arguments...) and checks the launch.
    template <typename... Parameters, typename... Arguments>
    void launch(const KernelNote& note, void (*kernel)(Parameters...), LaunchShape shape,
                Arguments&&... arguments) {
        if (ballast_ > 0)
            addBallast(reinterpret_cast<const void*>(kernel), shape);
        begin(note, reinterpret_cast<const void*>(kernel), shape);
        kernel<<<shape.grid, shape.block, shape.sharedBytes, stream_>>>(
            static_cast<Parameters>(std::forward<Arguments>(arguments))...);
        cudaCheck(cudaGetLastError(), note.kernel.c_str());
        end();
    }

    /// For launches that go another way (cooperative, CUB): the note between the two calls.
    void begin(const KernelNote& note, const void* kernel, const LaunchShape& shape);
    void end();

    /// The stream must have passed all launches. Adds a span for each stage (its time summed over
    /// its stretches, its bytes and flops over its launches) and, inside, one for each kernel
    /// (`launches` of them summed; its time 0 unless Timing::Kernels).
    void resolve(KernelProfile& profile) const;
    /// The same, a span for each launch in the order of launching, whatever its stage.
    std::vector<ProfileSpan> resolveLaunches() const;
    void clear();

private:
    struct Stretch;
    struct Record;
    static ProfileSpan sum(const std::vector<const Record*>& records);
    cudaEvent_t mark();
    void addBallast(const void* kernel, LaunchShape& shape);
    int activeBlocks(const void* kernel, const LaunchShape& shape);

    CudaContext& cuda_;
    Timing timing_;
    cudaStream_t stream_;
    std::vector<Stretch> stretches_;
    std::vector<Record> records_;
    std::map<const void*, cudaFuncAttributes> attributes_;
    /// By kernel, threads and dynamic shared memory.
    std::map<std::tuple<const void*, unsigned, std::size_t>, int> activeBlocks_;
    BlockSizes blockSizes_;
    std::size_t ballast_ = 0;
    std::vector<cudaEvent_t> events_; ///< all made so far; the first usedEvents_ are in use
    std::size_t usedEvents_ = 0;
};

/// What the context's profile asks for.
inline LaunchLog::Timing timingOf(const ExecContext& ctx) {
    return !ctx.profile         ? LaunchLog::Timing::None
           : ctx.profileKernels ? LaunchLog::Timing::Kernels
                                : LaunchLog::Timing::Stages;
}

/// body(log) within one stage, on the context's Compute stream with its block sizes. Where the
/// context has a profile, waits for the device and adds what was launched; else only enqueues.
template <typename Body>
void loggedCall(const ExecContext& ctx, const char* stage, const Body& body) {
    LaunchLog log(*ctx.cuda, timingOf(ctx));
    if (ctx.blockSizes)
        log.setBlockSizes(*ctx.blockSizes);
    {
        const LaunchLog::Stage marked(log, stage);
        body(log);
    }
    if (ctx.profile) {
        ctx.cuda->synchronize(CudaStream::Compute);
        log.resolve(*ctx.profile);
    }
}

} // namespace systole
