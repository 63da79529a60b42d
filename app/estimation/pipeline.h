// The compute thread behind the window: takes the newest wanted pair of frames, estimates its
// motion, publishes what is finished. The window never waits for it.
#pragma once

#include "app/estimation/estimation_settings.h"
#include "app/estimation/field_cache.h"
#include "app/tuning/block_tuner.h"
#include "compute/core/frame_result.h"
#include "compute/motion/pair_estimator.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct PipelineOptions {
    int threads = 1; ///< leave a core to the window: machineThreads − 1
    std::size_t cacheBytes = std::size_t{1} << 30;
    std::size_t poolBytes = BufferPool::unlimited; ///< fields and scratch together
    double deviceShare = 0.5;                      ///< of the device memory that is free
    double cachedDeviceShare = 0.5;                ///< of that, for finished fields
    /// Used on the compute thread alone; null: block sizes are the kernels' own.
    std::shared_ptr<BlockTuner> tuner{};
    double idleSeconds = 0.5; ///< without anything wanted before the tuner may go on
    /// Called on the compute thread after each result, each error and each change of what the tuner
    /// says; must not wait.
    std::function<void()> notify;
};

/// What the estimation holds.
struct EstimationMemory {
    BufferPool::Usage host;
    // On a device, as of a moment after one of the last estimations.
    std::optional<CudaDevice> device; ///< that is in use; none: the rest is empty
    BufferPool::Usage onDevice, pinned;
    std::size_t freeBytes = 0; ///< of the device, the driver's answer
};

struct PipelineStatus {
    std::uint64_t generation = 0;    ///< of the settings in force
    std::uint64_t estimated = 0;     ///< finished since open()
    std::uint64_t dropped = 0;       ///< pairs wanted while playing that gave way to a newer one
    std::uint64_t cancelled = 0;     ///< estimations broken off half way
    double estimationsPerSecond = 0; ///< over the last finished ones, as long as they are recent
    int estimatingFrame = -1;        ///< fixed frame of the one under way; −1: idle
    std::vector<int> cachedFrames;   ///< whose finished field is at hand, ascending
    ResidentBytes cacheBytes, cacheBudget;
    std::string message; ///< of the last failure; empty once a later estimation succeeded
    /// Of the newest result, and why it isn't the one asked for or not as it was meant to be, one
    /// sentence; empty: it is.
    Backend backend = Backend::Cpu;
    std::string fallback;
    std::vector<std::string> tuning; ///< what the tuner says
    EstimationMemory memory;
};

/// Threads that the estimation may use when one core is left to the window.
int estimationThreads();

/// An estimation on CUDA takes the device into use and keeps it until the settings change; where
/// the device fails or has too little memory it goes on as DeviceFallback says, and status() says
/// so.
class Pipeline {
public:
    explicit Pipeline(PipelineOptions options);
    ~Pipeline(); ///< cancels and joins: a running estimation answers within 0.2 s

    /// A new sequence: forgets results and counters. Volumes given later must be of this sequence.
    void open(IntensityScale scale);
    /// Other settings. True when they make finished fields outdated (keepsFieldsOf()): those are
    /// forgotten and a running estimation is cancelled, as it is when estimation is switched off.
    bool setSettings(EstimationSettings settings);

    /// Asks for the motion of a pair; a pair asked for earlier that nobody began is dropped. With
    /// `jump` (stepping, not playing) a running estimation of another pair is cancelled too, and
    /// nothing counts as dropped. Returns at once.
    void request(FramePair pair, bool jump);

    /// The finished result of this frame, else the newest finished one, else null. Never waits
    /// for an estimation. Nothing while estimation is off.
    std::shared_ptr<const FrameResult> resultFor(int fixedFrame) const;
    /// The newest finished result itself, for the Timing panel.
    std::shared_ptr<const FrameResult> newest() const;

    PipelineStatus status() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
