// The motion from each frame of a sequence to the next, estimated by several devices at once.
#pragma once

#include "compute/cuda/context.h"
#include "compute/motion/pair_estimator.h"

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace systole {

/// Pairs come in chains of a fixed number: within one, a pair starts from the motion of the pair
/// before it, the first one from zero. Each chain is estimated by one worker, so that the motion
/// depends on the length of the chains, and not on how many workers there are or how fast.
class SpreadPairs {
public:
    struct Work {
        int firstFrame = 0, lastFrame = 0; ///< both included
        int chain = 1;                     ///< pairs in a chain
        /// Gives the frames in order, the first one first. One call at a time, from any thread;
        /// none after one that has thrown.
        std::function<std::shared_ptr<const Volume>()> next;
        /// Settings with ReferenceMode::Previous; a device that fails is an error.
        PairSettings settings;
        /// A worker each, with a thread of its own; null: it estimates on the CPU. No context is
        /// used by anything else meanwhile.
        std::vector<std::shared_ptr<CudaContext>> workers;
    };
    /// Starts the workers. `ctx`: memory, block sizes, cancellation; its threads are shared out.
    SpreadPairs(Work work, const ExecContext& ctx);
    ~SpreadPairs(); ///< cancels what is left and joins
    SpreadPairs(const SpreadPairs&) = delete;
    SpreadPairs& operator=(const SpreadPairs&) = delete;

    struct Estimated {
        FrameResult result; ///< result on the host
        MotionReport report;
    };
    /// The pairs in their order, from that of the first frame on. Waits; no more than a chain each
    /// is estimated ahead. Throws what reading or estimating has thrown.
    Estimated take();

    /// Lock for other estimations on a worker's device (null: none) meanwhile. Two estimations on
    /// one device take turns: attributes of a kernel, such as its shared memory, are set for all
    /// contexts that a process has there.
    std::unique_lock<std::mutex> turnOn(const CudaContext* device);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
