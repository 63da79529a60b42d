// The implementation of Pipeline; for its own sources only.
#pragma once

#include "app/base/rate_meter.h"
#include "app/estimation/pipeline.h"
#include "compute/core/newest_job_thread.h"
#include "compute/motion/frame_stages.h"
#include "compute/motion/trajectory_filter.h"

#include <optional>
#include <utility>

namespace systole {

struct Pipeline::Impl {
    /// The members of a WindowStep except its pair.
    struct Step {
        double seconds = 0;
        bool last = false;
    };
    /// One estimation: the requested pair, and what else is needed when it is taken.
    struct Job {
        FramePair pair;
        FieldStart start = FieldStart::LastPair;
        std::optional<Step> step{};
        EstimationSettings settings{};
        IntensityScale scale{};
        std::uint64_t generation = 0; ///< generation of settings and sequence
        int frame() const { return step ? pair.movingFrame : pair.fixedFrame; }
    };
    using Thread = NewestJobThread<Job>;

    explicit Impl(PipelineOptions given)
        : options(std::move(given))
        , pool(options.poolBytes)
        , cache({options.cacheBytes, 0})
        , team(std::make_unique<ThreadTeam>(options.threads))
        , pairs(pairHooks())
        , jobs(threadHooks()) {}

    static PipelineStatus first() {
        PipelineStatus status;
        status.generation = 1; // `pairs` has settings of none yet
        return status;
    }
    PairEstimator::Hooks pairHooks();
    Thread::Hooks threadHooks();
    void take(Job& job);
    void run(const Job& job, const CancelToken& cancel);
    void measureHost(const Job& job, const CancelToken& cancel);
    void waitForWork(Thread::Lock& lock);
    void tune(Thread::Lock& lock);
    void noteTuning();
    ExecContext context(const Job& job, const CancelToken& cancel);
    FrameResult estimate(const Job& job, const CancelToken& cancel);
    void prepare(const Job& job);
    void runStep(const Job& job, const CancelToken& cancel);
    void smooth(const Job& job, FrameResult estimate, const ExecContext& ctx);
    void advance(const Job& job);
    void keepSmoothed(const Job& job, FrameResult result);
    void restartWindow();
    std::shared_ptr<CudaContext> openDevice(const FramePair& pair);
    void halveDeviceCache();
    void forgetResults();
    void noteMemory();
    void finish(const Job& job, FrameResult result);
    void fail(const Job& job, const std::string& message);
    void newGeneration();
    bool needsWork(const Job& job) const {
        if (!settings.enabled || !settings.make || job.step.has_value() != usesWindow())
            return false;
        if (job.step)
            return job.frame() == 1 || job.frame() == told.window.nextStep;
        return settings.keepEstimating || lacksKernelTimes() ||
               !complete(cache.peek(job.frame(), shown()));
    }
    bool usesWindow() const { return settings.window > 0; }
    bool isSmoothed(int frame) const {
        const FrameResult* kept = cache.peek(frame, shown());
        return complete(kept) && kept->window > 0;
    }
    /// The start of the cached fields that the settings show.
    FieldStart shown() const {
        return settings.warmStart && !usesWindow() ? FieldStart::LastPair : FieldStart::Zero;
    }
    bool lacksKernelTimes() const {
        return settings.profileKernels && newest && newest->backend == Backend::Cuda &&
               !newestHasKernelTimes;
    }
    bool mayTune() const {
        return tunerHasWork && settings.enabled && settings.tuning == BlockTuning::Search;
    }
    /// True if the field is present where it is needed.
    bool complete(const FrameResult* result) const {
        return result && (result->field || !settings.downloadFields) &&
               (result->standardError || !settings.standardErrors || !result->errors);
    }

    const PipelineOptions options;
    BufferPool pool;
    KernelProfile profile;

    // Guarded by the thread's lock.
    EstimationSettings settings;
    IntensityScale scale;
    /// The status that status() returns, except rate, waiting request, cache, backend and host
    /// memory, which status() fills in.
    PipelineStatus told = first();
    FieldCache cache;
    std::shared_ptr<const FrameResult> newest;
    FieldStart newestStart = FieldStart::Zero;
    bool newestHasKernelTimes = false;
    RateMeter rate;
    bool tunerHasWork = false;

    // Used only by the compute thread.
    std::unique_ptr<ThreadTeam> team;
    PairEstimator pairs;
    std::uint64_t pairsGeneration = 0; ///< generation of the settings in `pairs`
    std::vector<ChosenStage> stages; ///< stages after the filter; without a filter `pairs` has them
    std::optional<TrajectoryFilter> filter;
    bool stepsLost = false; ///< the device failed: the estimates before are gone
    RateMeter::Clock::time_point memoryNoted{};
    bool tunerAtWork = false; ///< it may hold device memory

    Thread jobs; ///< last: it uses all of the above
};

} // namespace systole
