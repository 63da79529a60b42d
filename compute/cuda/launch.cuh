// Launches every kernel and records its shape, registers, shared and local bytes, declared bytes
// and flops, and time in the profile that panels, laboratory and benchmarks read.
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
    std::size_t sharedBytes = 0; ///< dynamic shared memory
};

/// The work that a launch declares: bytes read plus written, each array once.
struct KernelNote {
    std::string kernel; ///< name with its variant, such as "jacobi/register"
    double bytes = 0;
    double flops = 0;     ///< 0: computed from the cost of its threads
    KernelCost cost = {}; ///< cost of one thread of this launch
};

/// Launches onto one stream and records the launches. The log of launches captured into a CUDA
/// graph stays valid for every replay: the events are part of the graph.
///
/// Usage: open stage scopes around launches, then call resolve() when the stream is done. Call
/// clear() before a different sequence of launches.
class LaunchLog {
public:
    enum class Timing {
        None,   ///< launches are recorded without events
        Stages, ///< two events per stage
        Kernels ///< also two events per kernel, for benchmarks: microseconds each
    };

    LaunchLog(CudaContext& cuda, Timing timing, CudaStream stream = CudaStream::Compute);
    ~LaunchLog();
    LaunchLog(const LaunchLog&) = delete;
    LaunchLog& operator=(const LaunchLog&) = delete;

    CudaContext& cuda() const { return cuda_; }
    cudaStream_t stream() const { return stream_; }
    Timing timing() const { return timing_; }

    /// Overrides the kernels' default block sizes from now on.
    void setBlockSizes(BlockSizes sizes) { blockSizes_ = std::move(sizes); }
    /// Threads per block to launch this kernel with; the default `standard` unless overridden.
    int threadsFor(const std::string& kernel, int standard) const {
        return blockSizes_.threadsFor(kernel, standard);
    }
    /// Overload for a variant of a family, with the default of its table.
    int threadsFor(const KernelFamily& family, int variant) const {
        return threadsFor(family.kernel(variant), family.at(variant).standardThreads);
    }
    /// Padding shared memory: unused dynamic shared memory added to every launch(). It only lowers
    /// the occupancy.
    void setPadding(std::size_t bytes) { padding_ = bytes; }

    /// Scope of the launches that belong to a stage ("gradient", "smooth", "solve", "warp",
    /// "pyramid", "upload").
    class Stage {
    public:
        Stage(LaunchLog& log, const char* stage);
        ~Stage();
        Stage(const Stage&) = delete;
        Stage& operator=(const Stage&) = delete;

    private:
        LaunchLog& log_;
    };

    /// Scope of launches onto another stream (SideBranch).
    class OnStream {
    public:
        OnStream(LaunchLog& log, cudaStream_t stream)
            : log_(log), before_(std::exchange(log.stream_, stream)) {}
        ~OnStream() { log_.stream_ = before_; }
        OnStream(const OnStream&) = delete;
        OnStream& operator=(const OnStream&) = delete;

    private:
        LaunchLog& log_;
        cudaStream_t before_;
    };

    /// Launches kernel(arguments...) and checks the launch.
    template <typename... Parameters, typename... Arguments>
    void launch(const KernelNote& note, void (*kernel)(Parameters...), LaunchShape shape,
                Arguments&&... arguments) {
        if (padding_ > 0)
            addPadding(reinterpret_cast<const void*>(kernel), shape);
        begin(note, reinterpret_cast<const void*>(kernel), shape);
        kernel<<<shape.grid, shape.block, shape.sharedBytes, stream_>>>(
            static_cast<Parameters>(std::forward<Arguments>(arguments))...);
        cudaCheck(cudaGetLastError(), note.kernel.c_str());
        end();
    }

    /// begin() and end() enclose a launch by other means (cooperative, CUB), to record its note.
    void begin(const KernelNote& note, const void* kernel, const LaunchShape& shape);
    void end();

    /// The stream must have completed all launches. Adds a span per stage (its time summed over its
    /// scopes, its bytes and flops over its launches) and, inside, one per kernel (summed over
    /// `launches` launches; time 0 unless Timing::Kernels).
    void resolve(KernelProfile& profile) const;
    /// One span per launch, in launch order, regardless of stages.
    std::vector<ProfileSpan> resolveLaunches() const;
    void clear();

private:
    struct Stretch;
    struct Record;
    static ProfileSpan sum(const std::vector<const Record*>& records);
    cudaEvent_t mark();
    void addPadding(const void* kernel, LaunchShape& shape);
    int activeBlocks(const void* kernel, const LaunchShape& shape);

    CudaContext& cuda_;
    Timing timing_;
    cudaStream_t stream_;
    std::vector<Stretch> stretches_;
    std::vector<Record> records_;
    std::map<const void*, cudaFuncAttributes> attributes_;
    /// Active blocks by kernel, threads and dynamic shared memory.
    std::map<std::tuple<const void*, unsigned, std::size_t>, int> activeBlocks_;
    BlockSizes blockSizes_;
    std::size_t padding_ = 0;
    std::vector<cudaEvent_t> events_; ///< all created so far; the first usedEvents_ are in use
    std::size_t usedEvents_ = 0;
};

/// The timing that the context's profile requests.
inline LaunchLog::Timing timingOf(const ExecContext& ctx) {
    return !ctx.profile         ? LaunchLog::Timing::None
           : ctx.profileKernels ? LaunchLog::Timing::Kernels
                                : LaunchLog::Timing::Stages;
}

/// Calls body(log) within one stage, on the context's Compute stream with its block sizes. If the
/// context has a profile, waits for the device and adds the launches; else only enqueues.
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
