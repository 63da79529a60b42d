#include "app/pipeline.h"

#include "app/device_fallback.h"
#include "app/rate_meter.h"
#include "compute/core/error.h"
#include "compute/motion/slabs.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace systole {

int estimationThreads() {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
}

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

/// When something is wanted the tuner holds nothing of the device.
void Pipeline::Impl::waitForWork(std::unique_lock<std::mutex>& lock) {
    using Clock = std::chrono::steady_clock;
    const auto idleFrom = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(options.idleSeconds));
    while (!awaited() || tunerAtWork) {
        if (awaited()) {
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
    } catch (const ComputeError&) {
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

FrameResult Pipeline::Impl::estimate(const Job& job) {
    if (fallbackGeneration != job.generation)
        fallback.reset();
    fallbackGeneration = job.generation;
    if (job.settings.backend != Backend::Cuda)
        return estimateAs(EstimationForm::Cpu, job);
    return fallback.run({[&](EstimationForm form) { return estimateAs(form, job); },
                         [&] { releaseDeviceMemory(job); }});
}

FrameResult Pipeline::Impl::estimateAs(EstimationForm form, const Job& job) {
    prepareDriver(form, job);
    const FramePair& pair = job.pair;
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = team.get();
    ctx.profile = &profile;
    ctx.profileKernels = job.settings.profileKernels;
    ctx.cancel = job.cancel;
    ctx.cuda = cuda.get();
    ctx.backend = form != EstimationForm::Cpu             ? Backend::Cuda
                  : job.settings.backend == Backend::Cuda ? Backend::Cpu
                                                          : job.settings.backend;
    if (ctx.cuda && options.tuner && job.settings.tuning != BlockTuning::Standard)
        ctx.blockSizes = &options.tuner->blockSizes(cuda->device(), pair.fixed->geometry.voxels());
    DevicePair onDevice;
    if (form == EstimationForm::Device && pair.onDevice)
        onDevice = {pair.onDevice->frame(pair.fixedFrame, pair.fixed),
                    pair.onDevice->frame(pair.movingFrame, pair.moving)};
    driver->setBringToHost(job.settings.downloadFields);
    FrameResult result =
        driver->estimate(pair.fixed, pair.fixedFrame, pair.moving, pair.movingFrame, ctx, onDevice);
    noteMemory();
    return result;
}

void Pipeline::Impl::prepareDriver(EstimationForm form, const Job& job) {
    const int threads = job.settings.threads > 0 ? job.settings.threads : options.threads;
    if (team->threads() != threads)
        team = std::make_unique<ThreadTeam>(threads);
    if (driver && driverGeneration == job.generation && driverForm == form) {
        if (lastMovingFrame != job.pair.fixedFrame || !job.settings.warmStart)
            driver->reset(); // the last field is no start for a pair elsewhere in time
        return;
    }
    const bool fellBack = driver && driverGeneration == job.generation;
    driver.reset();
    if (fellBack)
        forgetResults(); // a device that failed may have taken them with it
    if (form == EstimationForm::Cpu)
        cuda.reset();
    else if (!cuda)
        takeDevice(job);
    driver = std::make_unique<SequenceDriver>(makeEstimator(form, job), ReferenceMode::Previous,
                                              job.scale);
    driver->setHostInput(form == EstimationForm::Slabs);
    driverForm = form;
    driverGeneration = job.generation;
}

std::unique_ptr<MotionEstimator> Pipeline::Impl::makeEstimator(EstimationForm form,
                                                               const Job& job) {
    if (form == EstimationForm::Cpu)
        return job.settings.make(job.settings.backend == Backend::Cuda ? Backend::Cpu
                                                                       : job.settings.backend);
    std::unique_ptr<MotionEstimator> estimator = job.settings.make(Backend::Cuda);
    if (form == EstimationForm::Device)
        return estimator;
    return std::make_unique<SlabEstimator>(std::move(estimator), slabBudget(*cuda));
}

void Pipeline::Impl::takeDevice(const Job& job) {
    CudaContext::Options device;
    if (job.pair.onDevice)
        device.device = job.pair.onDevice->device();
    device.share = options.deviceShare;
    cuda = std::make_shared<CudaContext>(device);
    const auto budget = static_cast<double>(cuda->devicePool().usage().budgetBytes);
    const std::lock_guard lock(mutex);
    cache.setBudget(
        {options.cacheBytes, static_cast<std::size_t>(options.cachedDeviceShare * budget)});
}

/// From now on half as much is kept.
void Pipeline::Impl::releaseDeviceMemory(const Job& job) {
    driver.reset();
    {
        const std::lock_guard lock(mutex);
        const ResidentBytes budget = cache.budget();
        cache.setBudget({budget.host, std::min(budget.device, cache.bytes().device) / 2});
    }
    if (job.pair.onDevice)
        job.pair.onDevice->shrink();
    if (cuda)
        cuda->devicePool().trim();
}

void Pipeline::Impl::forgetResults() {
    const std::lock_guard lock(mutex);
    cache.clear();
    newest.reset();
}

/// The driver takes its time to answer: it is asked now and then, and before a rest.
void Pipeline::Impl::noteMemory() {
    constexpr auto noteEvery = std::chrono::milliseconds(250);
    const auto now = RateMeter::Clock::now();
    {
        const std::lock_guard lock(mutex);
        if (wanted && now - memoryNoted < noteEvery)
            return;
    }
    memoryNoted = now;
    EstimationMemory note;
    if (cuda) {
        note.device = cuda->device();
        note.onDevice = cuda->devicePool().usage();
        note.pinned = cuda->pinnedPool().usage();
        note.freeBytes = cuda->freeBytes();
    }
    const std::lock_guard lock(mutex);
    memory = std::move(note);
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
