// The compute thread behind the window: takes the newest requested pair of frames, estimates its
// motion, publishes finished results. The window never waits for it.
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
    int threads = 1; ///< leaves one core to the window: machineThreads − 1
    std::size_t cacheBytes = std::size_t{1} << 30;
    std::size_t poolBytes = BufferPool::unlimited; ///< fields and scratch together
    double deviceShare = 0.5;                      ///< fraction of the free device memory
    double cachedDeviceShare = 0.5;                ///< fraction of that, for finished fields
    /// Used only on the compute thread; null: block sizes are the kernels' own.
    std::shared_ptr<BlockTuner> tuner{};
    double idleSeconds = 0.5; ///< idle time without requests before the tuner continues
    /// Called on the compute thread after each result, error, cancellation and change of the
    /// tuner's report; must not block.
    std::function<void()> notify;
};

/// The memory held by the estimation.
struct EstimationMemory {
    BufferPool::Usage host;
    // Figures of the device, measured shortly after one of the last estimations.
    std::optional<CudaDevice> device; ///< the device in use; none: the figures below are empty
    BufferPool::Usage onDevice, pinned;
    std::size_t freeBytes = 0; ///< free memory of the device, from the driver
};

/// An estimation of motion over a window of frames: from the first frame of the sequence to the
/// next one in their order.
struct WindowStep {
    FramePair pair;
    double seconds = 0; ///< time of the moving frame since the first one, in any unit
    bool last = false;  ///< the moving frame is the sequence's last one
};

/// Progress of the estimation of all steps.
struct WindowStatus {
    int nextStep = 1; ///< moving frame of the next step, or of the one being estimated
    int rounds = 0;   ///< number of times that the last step was finished with these settings
    std::vector<int> smoothedFrames; ///< frames with cached smoothed motion, ascending
};

struct PipelineStatus {
    std::uint64_t generation = 0;    ///< generation of the current settings
    std::uint64_t estimated = 0;     ///< number finished since open()
    std::uint64_t dropped = 0;       ///< pairs requested while playing that a newer one replaced
    std::uint64_t cancelled = 0;     ///< estimations stopped before they finished
    double estimationsPerSecond = 0; ///< rate of the last finished ones; 0 unless they are recent
    /// Fixed frame of the current estimation, or moving frame of a step; −1: idle.
    int estimatingFrame = -1;
    int waitingFrame = -1; ///< frame of the waiting request; −1: none
    /// Frames with a cached finished field that these settings show, ascending.
    std::vector<int> cachedFrames;
    ResidentBytes cacheBytes, cacheBudget;
    WindowStatus window;
    std::string message; ///< message of the last failure; empty once a later estimation succeeded
    /// Backend of the newest result, and why that result isn't the requested one or not as
    /// intended, one sentence; empty: it is.
    Backend backend = Backend::Cpu;
    std::string fallback;
    /// residualWarning() of the first pair since open() that has one; empty: none has.
    std::string residualWarning;
    std::vector<std::string> tuning; ///< report of the tuner
    EstimationMemory memory;
    /// Memory bandwidth of this machine, bytes per second (compute/ops/host_bandwidth.h), measured
    /// after the first estimation on the CPU while kernel times are requested; 0: not measured.
    double hostBandwidth = 0;
};

/// Number of threads for the estimation when one core is left to the window.
int estimationThreads();

/// An estimation on CUDA opens the device and keeps it until the settings change; if the device
/// fails or has too little memory, it continues as DeviceFallback specifies, and status() reports
/// it.
class Pipeline {
public:
    explicit Pipeline(PipelineOptions options);
    ~Pipeline(); ///< cancels and joins: a running estimation answers within 0.2 s

    /// Starts a new sequence: forgets results and counters. Volumes passed later must belong to it.
    void open(IntensityScale scale);
    /// Sets other settings. Returns true if they outdate finished fields (keepsFieldsOf()): those
    /// are forgotten and a running estimation is cancelled, as it is when estimation is switched
    /// off.
    bool setSettings(EstimationSettings settings);

    /// Requests the motion of a pair; an earlier request that has not started is dropped. With
    /// `jump` (stepping, not playing) a running estimation of another pair is cancelled too, and
    /// nothing counts as dropped. `start` Zero: this pair starts from zero whatever the settings.
    /// Returns at once.
    void request(FramePair pair, bool jump, FieldStart start = FieldStart::LastPair);
    /// Requests a step; needs a window. It is the next step (WindowStatus::nextStep), the one after
    /// it while that is being estimated, or 1 to begin again. Others wait for their turn. The
    /// motion is available as estimated at first, and smoothed when the window is complete. Returns
    /// at once.
    void requestStep(WindowStep step);

    /// Returns the finished result of the picture of this frame, else the newest finished one, else
    /// null. Never waits for an estimation. Null while estimation is off.
    std::shared_ptr<const FrameResult> resultFor(int frame) const;
    /// Returns the newest finished result itself, for the Timing panel.
    std::shared_ptr<const FrameResult> newest() const;

    PipelineStatus status() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
