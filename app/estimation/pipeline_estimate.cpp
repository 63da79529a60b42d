// One estimation of the compute thread: its settings, device and memory.
#include "app/estimation/pipeline_impl.h"

#include <algorithm>
#include <chrono>

namespace systole {

PairEstimator::Hooks Pipeline::Impl::pairHooks() {
    return {[this](const FramePair& pair) { return openDevice(pair); },
            [this] {
                halveDeviceCache();
                if (filter)
                    filter->releaseDeviceCopies();
            },
            [this] { forgetResults(); }};
}

/// Follows the settings.
void Pipeline::Impl::prepare(const Job& job) {
    const EstimationSettings& with = job.settings;
    const int threads = with.threads > 0 ? with.threads : options.threads;
    if (team->threads() != threads)
        team = std::make_unique<ThreadTeam>(threads);
    if (pairsGeneration == job.generation)
        return;
    stages = chosenStages(with.stages);
    pairs.begin({.make = with.make,
                 .refine = with.refine,
                 .backend = with.backend,
                 .reference = job.step ? ReferenceMode::First : ReferenceMode::Previous,
                 .startError = with.startError,
                 .scale = job.scale,
                 .stages = job.step ? std::vector<std::string>{} : with.stages,
                 .errors = with.errors});
    pairsGeneration = job.generation;
}

ExecContext Pipeline::Impl::context(const Job& job, const CancelToken& cancel) {
    ExecContext ctx = contextOf(pool, *team, cancel);
    ctx.profile = &profile;
    ctx.profileKernels = job.settings.profileKernels;
    return ctx;
}

FrameResult Pipeline::Impl::estimate(const Job& job, const CancelToken& cancel) {
    const EstimationSettings& with = job.settings;
    const ExecContext ctx = context(job, cancel);
    const bool follows =
        job.step ? job.frame() > 1 : with.warmStart && job.start == FieldStart::LastPair;
    const bool stagesNeedHost =
        std::ranges::any_of(stages, [](const ChosenStage& s) { return s.stage->needsHostField; });
    PairEstimator::Options how{.warmStart = follows,
                               .download =
                                   with.downloadFields || stagesNeedHost || with.standardErrors};
    if (options.tuner && with.tuning != BlockTuning::Standard)
        how.blockSizes = [&](const CudaDevice& device) {
            return &options.tuner->blockSizes(device, job.pair.fixed->geometry.voxels());
        };
    FrameResult result = pairs.estimate(job.pair, ctx, how);
    if (with.standardErrors && !job.step)
        addStandardError(result, ctx);
    noteMemory();
    return result;
}

std::shared_ptr<CudaContext> Pipeline::Impl::openDevice(const FramePair& pair) {
    CudaContext::Options device;
    if (pair.onDevice)
        device.device = pair.onDevice->device();
    device.share = options.deviceShare;
    auto opened = std::make_shared<CudaContext>(device);
    const auto budget = static_cast<double>(opened->devicePool().usage().budgetBytes);
    const Thread::Lock lock = jobs.lock();
    cache.setBudget(
        {options.cacheBytes, static_cast<std::size_t>(options.cachedDeviceShare * budget)});
    return opened;
}

/// Halves the device budget for cached fields from now on.
void Pipeline::Impl::halveDeviceCache() {
    const Thread::Lock lock = jobs.lock();
    const ResidentBytes budget = cache.budget();
    cache.setBudget({budget.host, std::min(budget.device, cache.bytes().device) / 2});
}

void Pipeline::Impl::forgetResults() {
    const Thread::Lock lock = jobs.lock();
    cache.clear();
    newest.reset();
    stepsLost = true;
}

/// The driver answers slowly: it is queried only at intervals, and before a pause.
void Pipeline::Impl::noteMemory() {
    constexpr auto noteEvery = std::chrono::milliseconds(250);
    const auto now = RateMeter::Clock::now();
    {
        const Thread::Lock lock = jobs.lock();
        if (jobs.waiting() && now - memoryNoted < noteEvery)
            return;
    }
    memoryNoted = now;
    EstimationMemory note;
    if (CudaContext* device = pairs.device()) {
        note.device = device->device();
        note.onDevice = device->devicePool().usage();
        note.pinned = device->pinnedPool().usage();
        note.freeBytes = device->freeBytes();
    }
    const Thread::Lock lock = jobs.lock();
    told.memory = std::move(note);
}

} // namespace systole
