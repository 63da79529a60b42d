// The convergence monitor of a solve on the device: the current sweep, its change, whether it was
// the last. All in DeviceState, so that the host enqueues every sweep without waiting for any.
#pragma once

#include "compute/methods/clg/solver/convergence.h"
#include "compute/methods/clg/solver/solver_cuda.cuh"

namespace systole::clg {

/// Kernel argument that describes a launch of a whole or partial sweep.
struct SweepMark {
    DeviceState* state;
    double tolerance;
    int sweep;      ///< counted from 1: the last sweep of the launch
    bool gathers;   ///< its change is measured
    bool concludes; ///< the launch ends the sweep
    bool away;      ///< the launch leaves the field in the solver's second buffer
};

/// Creates the SweepMark of each launch in a solve.
class SweepCourse {
public:
    SweepCourse(DeviceState* state, const SolveOptions& options)
        : state_(state), tolerance_(options.tolerance), sweeps_(options.sweeps) {}

    /// How many of the next sweeps can share one launch of at most `most`: the change in each sweep
    /// that the tolerance requests must be that of a launch's last sweep.
    int together(int sweep, int maxCount) const;
    SweepMark mark(int sweep, bool concludes = true, bool away = false) const;

    /// `stop`: in device memory, not 0 to do nothing; may be null.
    void begin(LaunchLog& log, const int* stop = nullptr) const;
    /// `away`: whether the very last launch left the field in the second buffer.
    void end(LaunchLog& log, bool away = false) const;

private:
    DeviceState* state_;
    double tolerance_;
    int sweeps_;
};

/// Tests convergence after a sweep whose change has been gathered; called by one thread.
__device__ inline void concludeSweep(const SweepMark& mark, float change) {
    DeviceState& state = *mark.state;
    state.changeBefore = state.change;
    state.change = change;
    if (mark.tolerance > 0 && mark.sweep % changeCheckInterval == 0 &&
        converged(change, state.changeBefore, mark.tolerance)) {
        state.done = 1;
        state.sweepsOfSolve = mark.sweep;
        state.away = mark.away;
    }
}

/// Reduces the block's largest change into blockChange, its own shared word; called by all its
/// threads, and returns when all have arrived.
__device__ inline void gatherChange(float change, unsigned& blockChange) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (thread == 0)
        blockChange = 0;
    __syncthreads();
    // The bits of non-negative floats are ordered as the floats are.
    unsigned bits = __float_as_uint(change);
    for (int lane = warpSize / 2; lane > 0; lane /= 2)
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, lane));
    if (thread % static_cast<unsigned>(warpSize) == 0)
        atomicMax(&blockChange, bits);
    __syncthreads();
}

/// The sweeps of a solve in a single launch, whose threads all reach the same decisions.
struct SweepsOfLaunch {
    int maxSweeps;
    double tolerance;
    int sweep = 0;
    bool done = false;
    float change = 0, before = 0;

    /// Begins the next sweep; false when there is none.
    __device__ bool next() {
        if (done || sweep == maxSweeps)
            return false;
        ++sweep;
        return true;
    }
    /// Whether this sweep's change is measured: as ConvergenceTest::wants(), and in the last one.
    __device__ bool measures() const {
        const int phase = sweep % changeCheckInterval;
        return sweep == maxSweeps ||
               (tolerance > 0 && (phase == 0 || phase == changeCheckInterval - 1));
    }
    /// Takes the largest change of a sweep that measures().
    __device__ void take(float largest) {
        before = change;
        change = largest;
        done = tolerance > 0 && sweep % changeCheckInterval == 0 &&
               converged(change, before, tolerance);
    }
    /// Writes the result of the solve; one thread calls it when no sweep is left.
    __device__ void write(DeviceState& state) const {
        state.done = done;
        state.sweepsOfSolve = sweep;
        state.sweeps += sweep;
        state.change = change;
        state.changeBefore = before;
        state.away = 0;
    }
};

/// Called by all threads of all blocks at the end of the launch: `change` is the thread's own
/// change, `blockChange` the block's own shared word.
__device__ inline void takeChange(const SweepMark& mark, float change, unsigned& blockChange) {
    if (!mark.gathers)
        return;
    gatherChange(change, blockChange);
    if (threadIdx.x + threadIdx.y + threadIdx.z != 0)
        return;
    DeviceState& state = *mark.state;
    atomicMax(&state.gathered, blockChange);
    __threadfence();
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    if (atomicAdd(&state.blocksFinished, 1u) + 1 < blocks)
        return;
    state.blocksFinished = 0;
    if (!mark.concludes)
        return;
    __threadfence();
    concludeSweep(mark, __uint_as_float(atomicExch(&state.gathered, 0u)));
}

} // namespace systole::clg
