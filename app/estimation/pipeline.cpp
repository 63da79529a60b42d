#include "app/estimation/pipeline_impl.h"
#include "compute/core/error.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <sys/resource.h>
#include <unistd.h>

namespace systole {

int estimationThreads() {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
}

namespace {

/// On Linux a thread has a niceness of its own: where cores are short the window goes first.
/// Threads that this one starts inherit it.
void giveWayToTheWindow() {
    constexpr int step = 5;
    const auto thread = static_cast<id_t>(gettid());
    setpriority(PRIO_PROCESS, thread, std::min(19, getpriority(PRIO_PROCESS, thread) + step));
}

} // namespace

void Pipeline::Impl::work() {
    giveWayToTheWindow();
    while (const std::unique_ptr<Job> job = nextJob()) {
        try {
            finish(*job, estimate(*job));
            lastMovingFrame = job->pair.movingFrame;
        } catch (const Cancelled&) {
            const std::lock_guard lock(mutex);
            ++cancelled;
            estimatingFrame = -1;
            lastMovingFrame = -1;
        } catch (const std::exception& error) {
            lastMovingFrame = -1;
            fail(*job, error.what());
        }
    }
}

std::unique_ptr<Pipeline::Impl::Job> Pipeline::Impl::nextJob() {
    std::unique_lock lock(mutex);
    waitForWork(lock);
    if (stopping)
        return nullptr;
    auto job = std::make_unique<Job>();
    job->pair = std::move(*wanted);
    wanted.reset();
    job->settings = settings;
    job->scale = scale;
    job->generation = generation;
    running = CancelToken();
    job->cancel = running;
    estimatingFrame = job->pair.fixedFrame;
    return job;
}

/// When something is wanted, or the search is over or put off, the tuner holds nothing of the
/// device.
void Pipeline::Impl::waitForWork(std::unique_lock<std::mutex>& lock) {
    using Clock = std::chrono::steady_clock;
    const auto idleFrom = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(options.idleSeconds));
    while (!awaited() || tunerAtWork) {
        if (tunerAtWork && (awaited() || !mayTune())) {
            lock.unlock();
            options.tuner->rest();
            tunerAtWork = false;
            lock.lock();
        } else if (!mayTune()) {
            wake.wait(lock, [this] { return awaited() || mayTune(); });
        } else if (!wake.wait_until(lock, idleFrom, [this] { return awaited() || !mayTune(); })) {
            tune(lock);
        }
    }
}

/// One step, without the lock.
void Pipeline::Impl::tune(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    tunerAtWork = true;
    bool more = false;
    try {
        more = options.tuner->step(cuda.get());
    } catch (const std::exception&) {
        // What ails the device ails the next estimation too, which says so and falls back.
    }
    noteTuning();
    lock.lock();
    tunerHasWork = more;
}

void Pipeline::Impl::noteTuning() {
    std::vector<std::string> text = options.tuner->text();
    {
        const std::lock_guard lock(mutex);
        if (text == tuningText)
            return;
        tuningText = std::move(text);
    }
    if (options.notify)
        options.notify();
}

void Pipeline::Impl::finish(const Job& job, FrameResult result) {
    result.generation = job.generation;
    auto shared = std::make_shared<const FrameResult>(std::move(result));
    if (options.tuner)
        options.tuner->finished(*shared);
    {
        const std::lock_guard lock(mutex);
        estimatingFrame = -1;
        if (job.generation != generation)
            return; // the settings changed in its last moments
        tunerHasWork = options.tuner != nullptr;
        cache.put(shared);
        newest = std::move(shared);
        newestHasKernelTimes = job.settings.profileKernels;
        fallbackReason = fallback.reason();
        ++estimated;
        rate.add(RateMeter::Clock::now());
        message.clear();
    }
    if (options.notify)
        options.notify();
}

void Pipeline::Impl::fail(const Job& job, const std::string& what) {
    {
        const std::lock_guard lock(mutex);
        estimatingFrame = -1;
        if (job.generation != generation)
            return;
        message = what;
    }
    if (options.notify)
        options.notify();
}

void Pipeline::Impl::newGeneration() {
    ++generation;
    cache.clear();
    newest.reset();
    rate.clear();
    message.clear();
    fallbackReason.clear();
}

Pipeline::Pipeline(PipelineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Pipeline::~Pipeline() = default;

void Pipeline::open(IntensityScale scale) {
    const std::lock_guard lock(impl_->mutex);
    impl_->running.cancel();
    impl_->wanted.reset();
    impl_->newGeneration();
    impl_->scale = scale;
    impl_->estimated = impl_->dropped = impl_->cancelled = 0;
}

void Pipeline::setSettings(EstimationSettings settings, bool sameField) {
    {
        const std::lock_guard lock(impl_->mutex);
        if (!sameField || !settings.enabled)
            impl_->running.cancel();
        if (!sameField)
            impl_->newGeneration();
        impl_->settings = std::move(settings);
    }
    impl_->wake.notify_all();
}

void Pipeline::request(FramePair pair, bool jump) {
    {
        const std::lock_guard lock(impl_->mutex);
        Impl& p = *impl_;
        if (p.estimatingFrame == pair.fixedFrame && !p.running.cancelled()) {
            if (jump)
                p.wanted.reset();
            return;
        }
        if (jump)
            p.running.cancel();
        else if (p.wantsWork() && p.wanted->fixedFrame != pair.fixedFrame)
            ++p.dropped;
        p.wanted = std::move(pair);
    }
    impl_->wake.notify_all();
}

std::shared_ptr<const FrameResult> Pipeline::resultFor(int fixedFrame) const {
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->settings.enabled)
        return nullptr;
    auto cached = impl_->cache.find(fixedFrame);
    return cached ? cached : impl_->newest;
}

std::shared_ptr<const FrameResult> Pipeline::newest() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->newest;
}

PipelineStatus Pipeline::status() const {
    const std::lock_guard lock(impl_->mutex);
    const Impl& p = *impl_;
    PipelineStatus status;
    status.generation = p.generation;
    status.estimated = p.estimated;
    status.dropped = p.dropped;
    status.cancelled = p.cancelled;
    status.estimationsPerSecond = p.rate.perSecond(RateMeter::Clock::now());
    status.estimatingFrame = p.estimatingFrame;
    status.cachedFrames = p.cache.frames();
    status.cacheBytes = p.cache.bytes();
    status.cacheBudget = p.cache.budget();
    status.message = p.message;
    status.backend = p.newest ? p.newest->backend : p.settings.backend;
    status.fallback = p.fallbackReason;
    status.tuning = p.tuningText;
    status.memory = p.memory;
    status.memory.host = p.pool.usage();
    return status;
}

} // namespace systole
