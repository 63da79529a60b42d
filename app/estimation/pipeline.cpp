#include "app/estimation/pipeline_impl.h"
#include "compute/motion/residual_warning.h"
#include "compute/ops/host_bandwidth.h"

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

/// Linux threads have their own niceness: the window gets priority when cores are scarce. Threads
/// started by this one inherit it.
void giveWayToTheWindow() {
    constexpr int step = 5;
    const auto thread = static_cast<id_t>(gettid());
    setpriority(PRIO_PROCESS, thread, std::min(19, getpriority(PRIO_PROCESS, thread) + step));
}

} // namespace

Pipeline::Impl::Thread::Hooks Pipeline::Impl::threadHooks() {
    return {.run = [this](Job& job, const CancelToken& cancel) { run(job, cancel); },
            .begin = giveWayToTheWindow,
            .ready = [this](const Job& job) { return needsWork(job); },
            .taken = [this](Job& job) { take(job); },
            .idle = [this](Thread::Lock& lock) { waitForWork(lock); }};
}

void Pipeline::Impl::take(Job& job) {
    job.settings = settings;
    job.scale = scale;
    job.generation = told.generation;
    told.estimatingFrame = job.frame();
    if (job.step)
        told.window.nextStep = job.frame();
}

void Pipeline::Impl::run(const Job& job, const CancelToken& cancel) {
    const JobEnd end = endOf([&] {
        prepare(job);
        if (job.step)
            runStep(job, cancel);
        else
            finish(job, estimate(job, cancel));
    });
    if (!end.failure.empty())
        return fail(job, end.failure);
    if (!end.stopped)
        return measureHost(job, cancel);
    {
        const Thread::Lock lock = jobs.lock();
        ++told.cancelled;
        told.estimatingFrame = -1;
    }
    if (options.notify) // nothing may follow that would
        options.notify();
}

/// Measures the bandwidth of the host once, between estimations so that none disturbs it.
void Pipeline::Impl::measureHost(const Job& job, const CancelToken& cancel) {
    {
        const Thread::Lock lock = jobs.lock();
        if (!job.settings.profileKernels || told.hostBandwidth > 0 || !newest ||
            newest->backend == Backend::Cuda)
            return;
    }
    double measured = 0;
    const JobEnd end = endOf([&] {
        BufferPool own; // a separate pool, so that its memory goes back to the system
        measured = triadBandwidth(contextOf(own, *team, cancel));
    });
    if (end.stopped || !end.failure.empty())
        return; // another estimation tries again
    {
        const Thread::Lock lock = jobs.lock();
        told.hostBandwidth = measured;
    }
    if (options.notify)
        options.notify();
}

/// Waits for a request; meanwhile the tuner works. The tuner releases all its device memory before
/// a request is taken and when its search is over or postponed.
void Pipeline::Impl::waitForWork(Thread::Lock& lock) {
    using Clock = std::chrono::steady_clock;
    const auto idleFrom = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(options.idleSeconds));
    while (!jobs.awaited() || tunerAtWork) {
        if (tunerAtWork && (jobs.awaited() || !mayTune())) {
            lock.unlock();
            options.tuner->rest();
            tunerAtWork = false;
            lock.lock();
        } else if (!mayTune()) {
            jobs.wait(lock, [this] { return jobs.awaited() || mayTune(); });
        } else if (!jobs.waitUntil(lock, idleFrom,
                                   [this] { return jobs.awaited() || !mayTune(); })) {
            tune(lock);
        }
    }
}

/// Runs one step, without the lock.
void Pipeline::Impl::tune(Thread::Lock& lock) {
    lock.unlock();
    tunerAtWork = true;
    bool more = false;
    try {
        more = options.tuner->step(pairs.device());
    } catch (const std::exception&) {
        // A device failure also affects the next estimation, which reports it and falls back.
    }
    noteTuning();
    lock.lock();
    tunerHasWork = more;
}

void Pipeline::Impl::noteTuning() {
    std::vector<std::string> text = options.tuner->text();
    {
        const Thread::Lock lock = jobs.lock();
        if (text == told.tuning)
            return;
        told.tuning = std::move(text);
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
        const Thread::Lock lock = jobs.lock();
        told.estimatingFrame = -1;
        if (job.generation != told.generation)
            return; // the settings changed just before it finished
        tunerHasWork = options.tuner != nullptr;
        // The steps' order is fixed: their fields don't depend on what else was estimated.
        newestStart = job.step || pairs.startedFromZero() ? FieldStart::Zero : FieldStart::LastPair;
        if (!job.step || !isSmoothed(job.frame()))
            cache.put(shared, newestStart);
        if (job.step)
            advance(job);
        newest = std::move(shared);
        newestHasKernelTimes = job.settings.profileKernels;
        told.fallback = pairs.fallbackReason();
        if (told.residualWarning.empty())
            told.residualWarning = residualWarning(
                *newest, scale, job.settings.parameters ? &*job.settings.parameters : nullptr);
        ++told.estimated;
        rate.add(RateMeter::Clock::now());
        told.message.clear();
    }
    if (options.notify)
        options.notify();
}

void Pipeline::Impl::fail(const Job& job, const std::string& what) {
    {
        const Thread::Lock lock = jobs.lock();
        told.estimatingFrame = -1;
        if (job.generation != told.generation)
            return;
        told.message = what;
    }
    if (options.notify)
        options.notify();
}

void Pipeline::Impl::newGeneration() {
    ++told.generation;
    told.window = {};
    cache.clear();
    newest.reset();
    rate.clear();
    told.message.clear();
    told.fallback.clear();
}

Pipeline::Pipeline(PipelineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Pipeline::~Pipeline() = default;

void Pipeline::open(IntensityScale scale) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    impl_->jobs.drop();
    impl_->newGeneration();
    impl_->scale = scale;
    impl_->told.estimated = impl_->told.dropped = impl_->told.cancelled = 0;
    impl_->told.residualWarning.clear();
}

bool Pipeline::setSettings(EstimationSettings settings) {
    const auto lock = impl_->jobs.lock();
    const bool outdated = !settings.keepsFieldsOf(impl_->settings);
    const bool fromZeroOnly = impl_->settings.warmStart && !settings.warmStart;
    const bool steps = impl_->usesWindow() || settings.window > 0;
    if (outdated || !settings.enabled || (fromZeroOnly && !steps))
        impl_->jobs.cancelRunning();
    if (outdated)
        impl_->newGeneration();
    if (outdated && steps) // the waiting request is one of the other kind, or not the first step
        impl_->jobs.drop();
    if (steps && settings.downloadFields && !impl_->settings.downloadFields)
        impl_->told.window = {}; // the estimates so far lie on the device alone
    impl_->settings = std::move(settings);
    impl_->jobs.wake();
    return outdated;
}

void Pipeline::request(FramePair pair, bool jump, FieldStart start) {
    Impl& p = *impl_;
    const auto lock = p.jobs.lock();
    if (p.told.estimatingFrame == pair.fixedFrame && !p.jobs.runningCancelled()) {
        if (jump)
            p.jobs.drop();
        return;
    }
    if (jump)
        p.jobs.cancelRunning();
    else if (p.jobs.hasReady() && p.jobs.waiting()->pair.fixedFrame != pair.fixedFrame)
        ++p.told.dropped;
    p.jobs.put({std::move(pair), start});
}

void Pipeline::requestStep(WindowStep step) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.put({std::move(step.pair), FieldStart::LastPair, {{step.seconds, step.last}}});
}

std::shared_ptr<const FrameResult> Pipeline::resultFor(int frame) const {
    const auto lock = impl_->jobs.lock();
    if (!impl_->settings.enabled)
        return nullptr;
    auto cached = impl_->cache.find(frame, impl_->shown());
    const bool fits = impl_->settings.warmStart || impl_->newestStart == FieldStart::Zero;
    return cached || !fits ? cached : impl_->newest;
}

std::shared_ptr<const FrameResult> Pipeline::newest() const {
    const auto lock = impl_->jobs.lock();
    return impl_->newest;
}

PipelineStatus Pipeline::status() const {
    const auto lock = impl_->jobs.lock();
    const Impl& p = *impl_;
    PipelineStatus status = p.told;
    status.estimationsPerSecond = p.rate.perSecond(RateMeter::Clock::now());
    status.waitingFrame = p.jobs.waiting() ? p.jobs.waiting()->frame() : -1;
    status.cachedFrames = p.cache.frames(p.shown());
    for (const int frame : status.cachedFrames)
        if (p.isSmoothed(frame))
            status.window.smoothedFrames.push_back(frame);
    status.cacheBytes = p.cache.bytes();
    status.cacheBudget = p.cache.budget();
    status.backend = p.newest ? p.newest->backend : p.settings.backend;
    status.memory.host = p.pool.usage();
    return status;
}

} // namespace systole
