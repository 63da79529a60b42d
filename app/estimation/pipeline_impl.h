// What a pipeline is made of; for its own sources alone.
#pragma once

#include "app/estimation/device_fallback.h"
#include "app/estimation/pipeline.h"
#include "app/estimation/rate_meter.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace systole {

struct Pipeline::Impl {
    explicit Impl(PipelineOptions given)
        : options(std::move(given))
        , pool(options.poolBytes)
        , cache({options.cacheBytes, 0})
        , team(std::make_unique<ThreadTeam>(options.threads)) {
        worker = std::thread([this] { work(); });
    }

    ~Impl() {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
            running.cancel();
        }
        wake.notify_all();
        worker.join();
    }

    /// One estimation: everything that it needs, taken under the lock.
    struct Job {
        FramePair pair;
        EstimationSettings settings;
        IntensityScale scale;
        std::uint64_t generation = 0; ///< of settings and sequence
        CancelToken cancel;
    };

    void work();
    std::unique_ptr<Job> nextJob(); ///< null: the pipeline ends
    void waitForWork(std::unique_lock<std::mutex>& lock);
    void tune(std::unique_lock<std::mutex>& lock);
    void noteTuning();
    FrameResult estimate(const Job& job);
    FrameResult estimateAs(EstimationForm form, const Job& job);
    void prepareDriver(EstimationForm form, const Job& job);
    std::unique_ptr<MotionEstimator> makeEstimator(EstimationForm form, const Job& job);
    void takeDevice(const Job& job);
    void releaseDeviceMemory(const Job& job);
    void forgetResults();
    void noteMemory();
    void finish(const Job& job, FrameResult result);
    void fail(const Job& job, const std::string& message);
    void newGeneration();
    bool wantsWork() const {
        return wanted && settings.enabled && settings.make &&
               (settings.keepEstimating || lacksKernelTimes() ||
                !complete(cache.peek(wanted->fixedFrame)));
    }
    bool lacksKernelTimes() const {
        return settings.profileKernels && newest && newest->backend == Backend::Cuda &&
               !newestHasKernelTimes;
    }
    bool awaited() const { return stopping || wantsWork(); }
    bool mayTune() const {
        return tunerHasWork && settings.enabled && settings.tuning == BlockTuning::Search;
    }
    /// It is there, where it is wanted.
    bool complete(const FrameResult* result) const {
        return result && (result->field || !settings.downloadFields);
    }

    const PipelineOptions options;
    BufferPool pool;
    KernelProfile profile;

    mutable std::mutex mutex;
    std::condition_variable wake;
    bool stopping = false;
    EstimationSettings settings;
    IntensityScale scale;
    std::uint64_t generation = 1;
    std::optional<FramePair> wanted;
    int estimatingFrame = -1;
    CancelToken running;
    FieldCache cache;
    std::shared_ptr<const FrameResult> newest;
    bool newestHasKernelTimes = false;
    std::uint64_t estimated = 0, dropped = 0, cancelled = 0;
    RateMeter rate;
    std::string message, fallbackReason;
    bool tunerHasWork = false;
    std::vector<std::string> tuningText;
    EstimationMemory memory; ///< but for the host's, which is asked when it is wanted

    // Of the compute thread alone.
    std::unique_ptr<ThreadTeam> team;
    std::unique_ptr<SequenceDriver> driver;
    std::uint64_t driverGeneration = 0;
    EstimationForm driverForm = EstimationForm::Cpu;
    int lastMovingFrame = -1;
    std::shared_ptr<CudaContext> cuda; ///< null until it is needed
    DeviceFallback fallback;
    std::uint64_t fallbackGeneration = 0;
    RateMeter::Clock::time_point memoryNoted{};
    bool tunerAtWork = false; ///< it may hold device memory

    std::thread worker; ///< last: it uses all of the above
};

} // namespace systole
