// One estimation of the compute thread: with which estimator, on what, from which start, and with
// what memory.
#include "app/estimation/pipeline_impl.h"
#include "compute/motion/slabs.h"

#include <algorithm>
#include <chrono>

namespace systole {

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

} // namespace systole
