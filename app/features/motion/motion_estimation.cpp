#include "app/features/motion/motion_estimation.h"

#include "compute/core/elapsed.h"
#include "compute/cuda/device_frames.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace systole {
namespace {

/// Frames get half of the device's memory, the estimation what it needs of the other half.
constexpr std::size_t framesPartOfDevice = 2;

/// Holds the semaphore while it lives; a null one is not held.
class Turn {
public:
    /// Adds the time of waiting to `waited`, s.
    Turn(std::counting_semaphore<>* of, double& waited) : of_(of) {
        if (!of_)
            return;
        const auto asked = std::chrono::steady_clock::now();
        of_->acquire();
        waited += secondsSince(asked);
    }
    ~Turn() {
        if (of_)
            of_->release();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    std::counting_semaphore<>* of_;
};

int estimationsOf(const MotionJob& job) {
    return (job.lastFrame - job.firstFrame) * (job.estimatesSinceFirst() ? 2 : 1) +
           (job.closeCycle ? 1 : 0);
}

} // namespace

MotionEstimation::MotionEstimation(const MotionJob& job, const ExecContext& ctx,
                                   const IntensityScale& scale)
    : job_(job)
    , ctx_(ctx)
    , pairs_({.openDevice = [&job](const FramePair&) { return job.device; },
              .releaseResults =
                  [this] {
                      if (filter_)
                          filter_->releaseDeviceCopies();
                  }})
    , count_(estimationsOf(job)) {
    if (job.device)
        onDevice_ = std::make_shared<DeviceFrames>(
            job.device, job.sequence.geometry.voxels() * sizeof(float),
            job.device->devicePool().usage().budgetBytes / framesPartOfDevice);
    if (job.window > 0)
        filter_.emplace(job.window);
    // Stages follow later: behind the filter, and without a turn on the device.
    PairSettings settings{.make = estimatorMaker(*job.method, job.parameters),
                          .refine = refinerMaker(*job.method, job.parameters),
                          .backend = job.backend.backend,
                          .mayUseCpu = job.backend.mayChange,
                          .reference = job.reference,
                          .startError = job.method->startError,
                          .scale = scale,
                          .incompressibility = job.incompressibility,
                          .stages = {},
                          .errors =
                              job.certainty ? errorsOf(*job.method, job.parameters) : DrawErrors{}};
    pairs_.begin(settings);
    pairSettings_ = settings;
    if (job.estimatesSinceFirst()) {
        settings.reference = ReferenceMode::First;
        settings.errors = {};
        sinceFirst_.emplace(
            PairEstimator::Hooks{.openDevice = [&job](const FramePair&) { return job.device; }});
        sinceFirst_->begin(std::move(settings));
    }
    ctx_.progress = [this, outer = ctx.progress](const std::string& phase, double fraction) {
        if (outer)
            outer(fmt::format("estimate {} of {}, {}", done_ + 1, count_, phase),
                  (done_ + fraction) / count_);
    };
}

std::vector<EstimatedPair> MotionEstimation::estimate(const std::shared_ptr<const Volume>& fixed,
                                                      int fixedFrame,
                                                      const std::shared_ptr<const Volume>& moving,
                                                      int movingFrame, double readSeconds) {
    EstimatedPair made =
        estimateWith(pairs_, {fixed, moving, fixedFrame, movingFrame, onDevice_}, readSeconds);
    if (sinceFirst_)
        lastPair_ = made.result;
    std::vector<EstimatedPair> finished;
    if (!filter_) {
        finished.push_back(std::move(made));
        return finished;
    }
    filtered_.push_back(std::move(*made.facts));
    return withFacts(
        filter_->add(std::move(made.result), secondsSinceFirst(movingFrame), contextOfDevice()));
}

EstimatedPair MotionEstimation::takeOver(SpreadPairs::Estimated made) {
    ++done_;
    ctx_.report("starting", 0);
    if (sinceFirst_)
        lastPair_ = onThisDevice(made.result);
    return {std::move(made.result), EstimationFacts{std::move(made.report), 0, 0}};
}

EstimatedPair MotionEstimation::estimateSinceFirst(const std::shared_ptr<const Volume>& first,
                                                   const std::shared_ptr<const Volume>& moving,
                                                   int movingFrame) {
    if (lastPair_.fixedFrame == job_.firstFrame && sinceFirst_->adopt(lastPair_)) {
        ++done_;
        return {lastPair_, std::nullopt};
    }
    return estimateWith(*sinceFirst_, {first, moving, job_.firstFrame, movingFrame, onDevice_}, 0,
                        &lastPair_);
}

std::vector<EstimatedPair> MotionEstimation::finish() {
    if (!filter_)
        return {};
    std::vector<EstimatedPair> finished = withFacts(filter_->finish(contextOfDevice()));
    filter_.reset();
    return finished;
}

void MotionEstimation::prefetch(int frame, const std::shared_ptr<const Volume>& volume) {
    if (onDevice_ && volume && pairs_.path() == EstimationPath::Device)
        onDevice_->prefetch(frame, volume);
}

EstimatedPair MotionEstimation::estimateWith(PairEstimator& estimator, const FramePair& pair,
                                             double readSeconds, const FrameResult* step) {
    ctx_.throwIfCancelled();
    ctx_.report("starting", 0);
    FrameResult result = [&] {
        const Turn turn(job_.turn, waitedSeconds_);
        return estimator.estimate(pair, ctx_, {.step = step});
    }();
    if (!estimator.fallbackReason().empty())
        fallback_ = estimator.fallbackReason();
    EstimationFacts facts{estimator.report(), readSeconds, uploadedFrameBytes()};
    ++done_;
    return {std::move(result), std::move(facts)};
}

/// Pairs leave the filter in the order in which they were added.
std::vector<EstimatedPair> MotionEstimation::withFacts(std::vector<FrameResult> smooth) {
    std::vector<EstimatedPair> pairs;
    for (FrameResult& result : smooth) {
        pairs.push_back({std::move(result), std::move(filtered_.front())});
        filtered_.pop_front();
    }
    return pairs;
}

/// The result of a worker with its field also on the device on which the motion since the first
/// frame is estimated.
FrameResult MotionEstimation::onThisDevice(const FrameResult& host) {
    FrameResult result = host;
    if (!sinceFirst_->device())
        return result;
    CudaContext& cuda = *sinceFirst_->device();
    auto field = std::make_shared<VectorField>(host.field->geometry, cuda.devicePool(), "step");
    const auto& from = host.field->components;
    cuda.upload(from.data(), field->components.data(), from.size() * sizeof(float),
                CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    auto device = std::make_shared<DeviceResult>();
    device->field = std::move(field);
    result.device = std::move(device);
    return result;
}

/// Bytes since the last pair; the estimation itself doesn't count concurrent uploads.
std::size_t MotionEstimation::uploadedFrameBytes() {
    const std::size_t now = onDevice_ ? onDevice_->counters().uploadedBytes : 0;
    return now - std::exchange(uploadedBytes_, now);
}

/// The context of work on results, with the device that they may lie on.
ExecContext MotionEstimation::contextOfDevice() const {
    ExecContext ctx = ctx_;
    ctx.cuda = pairs_.device();
    ctx.blockSizes = &job_.blockSizes;
    return ctx;
}

/// The frame's number if its time is unknown, which suffices for a window.
double MotionEstimation::secondsSinceFirst(int frame) const {
    return job_.sequence.timeKnown()
               ? job_.sequence.timeOf(frame) - job_.sequence.timeOf(job_.firstFrame)
               : frame - job_.firstFrame;
}

} // namespace systole
