// The execution context passed to every call of compute/: backend, memory, threads, profile,
// progress, cancellation. There are no singletons.
#pragma once

#include "compute/core/buffer.h"
#include "compute/core/control_grid.h"
#include "compute/core/profile.h"
#include "compute/core/volume.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace systole {

class BlockSizes;
class CudaContext;

enum class Backend { CpuReference, Cpu, Cuda };
const char* name(Backend backend); ///< "cpu-reference", "cpu", "cuda"

/// Shared flag between the code that cancels and the code that checks.
class CancelToken {
public:
    CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
    void cancel() { flag_->store(true, std::memory_order_relaxed); }
    void reset() { flag_->store(false, std::memory_order_relaxed); }
    bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> flag_;
};

/// A fixed number of worker threads (oneTBB). Work is split into chunks that depend only on the
/// problem, so results are bitwise equal for any number of threads.
class ThreadTeam {
public:
    /// 0: all hardware threads.
    explicit ThreadTeam(int threads = 0);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    int threads() const;
    /// Calls body(chunk) for each chunk in [0, chunks), in any order, in parallel.
    void run(int chunks, const std::function<void(int)>& body);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// State of an estimation after an iteration.
struct IterationState {
    int level = 0;     ///< level of the pyramid; 0 is the finest
    int iteration = 0; ///< iteration of this level, from 1
    double energy = 0; ///< energy that the method minimizes
    /// The displacement so far on the grid of this level or on half of it, in the grid's voxels, on
    /// the host; valid during the call.
    FieldView<const float> field;
    /// The method's own storage of the field, if it is smaller: the control points of a B-spline,
    /// on the host; valid during the call. Empty: none is smaller.
    ControlPointsView<const float> controlPoints{};
};

struct ExecContext {
    BufferPool* pool = nullptr;       ///< host memory for results and scratch; never null
    ThreadTeam* threads = nullptr;    ///< never null
    KernelProfile* profile = nullptr; ///< null: no profiling
    /// Time every CUDA kernel, not only every stage; costs microseconds per kernel.
    bool profileKernels = false;
    CudaContext* cuda = nullptr; ///< not null if backend is Cuda
    /// Block sizes of CUDA kernels that differ from their defaults; null: none.
    const BlockSizes* blockSizes = nullptr;
    Backend backend = Backend::Cpu;
    CancelToken cancel;
    /// Called occasionally on the calling thread with the current phase and the fraction done, 0–1.
    std::function<void(const std::string& phase, double fraction)> progress;

    /// Called from the calling thread after each outer iteration. Null: no observer. Observing
    /// costs time (energies, and with CUDA copies of the field), and changes no result.
    std::function<void(const IterationState&)> iteration;

    /// Throws Cancelled when the token is set.
    void throwIfCancelled() const;
    void report(const std::string& phase, double fraction) const {
        if (progress)
            progress(phase, fraction);
    }
};

/// Owns the objects that a context points to, for commands, tests and benchmarks.
class ExecResources {
public:
    explicit ExecResources(int threads = 0, std::size_t budgetBytes = BufferPool::unlimited)
        : pool_(budgetBytes), threads_(threads) {}
    ExecContext context() {
        ExecContext ctx;
        ctx.pool = &pool_;
        ctx.threads = &threads_;
        return ctx;
    }
    BufferPool& pool() { return pool_; }
    ThreadTeam& threads() { return threads_; }

private:
    BufferPool pool_;
    ThreadTeam threads_;
};

/// Calls body(begin, end) over [0, count) in chunks of `chunk` items, in parallel.
void parallelFor(const ExecContext& ctx, int count, int chunk,
                 const std::function<void(int begin, int end)>& body);

/// Sum of body(begin, end) over the chunks, added in chunk order.
double parallelSum(const ExecContext& ctx, int count, int chunk,
                   const std::function<double(int begin, int end)>& body);
double parallelMax(const ExecContext& ctx, int count, int chunk,
                   const std::function<double(int begin, int end)>& body);

} // namespace systole
