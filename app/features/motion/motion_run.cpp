#include "app/features/motion/motion_run.h"

#include "app/base/frame_range.h"
#include "app/features/motion/field_queue.h"
#include "app/features/motion/motion_memory.h"
#include "app/features/motion/motion_stages.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/cuda/device_frames.h"
#include "compute/measures/outcome.h"
#include "compute/motion/composed_motion.h"
#include "compute/motion/pair_estimator.h"
#include "compute/motion/residual_warning.h"
#include "compute/motion/spread_pairs.h"
#include "compute/motion/trajectory_filter.h"
#include "io/base/stream.h"

#include <fmt/format.h>

#include <chrono>
#include <deque>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

/// Frames get half of the device's memory, the estimation what it needs of the other half.
constexpr std::size_t framesPartOfDevice = 2;

/// Estimates, composes and writes the pairs of one run in turn.
class MotionWriter {
public:
    MotionWriter(const MotionJob& job, const ExecContext& ctx, RunFolder& folder,
                 MotionRecord& record)
        : job_(job)
        , ctx_(ctx)
        , record_(record)
        , stages_(job.stages)
        , pairs_({.openDevice = [&job](const FramePair&) { return job.device; },
                  .releaseResults =
                      [this] {
                          if (filter_)
                              filter_->releaseDeviceCopies();
                      }})
        , count_((job.lastFrame - job.firstFrame) * (job.estimatesSinceFirst() ? 2 : 1) +
                 (job.closeCycle ? 1 : 0))
        , files_(folder, job.format) {
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
                              .scale = record.scale,
                              .incompressibility = job.incompressibility,
                              .stages = {},
                              .errors = job.certainty ? errorsOf(*job.method, job.parameters)
                                                      : DrawErrors{}};
        pairs_.begin(settings);
        spreadSettings_ = settings;
        if (job.estimatesSinceFirst()) {
            settings.reference = ReferenceMode::First;
            settings.errors = {};
            sinceFirst_.emplace(PairEstimator::Hooks{
                .openDevice = [&job](const FramePair&) { return job.device; }});
            sinceFirst_->begin(std::move(settings));
        }
        ctx_.progress = [this, outer = ctx.progress](const std::string& phase, double fraction) {
            if (outer)
                outer(fmt::format("estimate {} of {}, {}", done_ + 1, count_, phase),
                      (done_ + fraction) / count_);
        };
    }

    void add(const std::shared_ptr<const Volume>& fixed, int fixedFrame,
             const std::shared_ptr<const Volume>& moving, int movingFrame, double readSeconds) {
        FrameResult result =
            estimate(pairs_, {fixed, moving, fixedFrame, movingFrame, onDevice_}, readSeconds);
        if (sinceFirst_)
            lastPair_ = result;
        if (!filter_)
            return finishedEstimation(result);
        for (FrameResult& smooth :
             filter_->add(std::move(result), secondsSinceFirst(movingFrame), onDevice()))
            finishedEstimation(smooth);
    }

    /// Settings with which the chains are estimated.
    const PairSettings& spreadSettings() const { return spreadSettings_; }

    /// A pair that was estimated elsewhere.
    void addSpread(SpreadPairs::Estimated made) {
        estimated_.push_back({std::move(made.report), 0, 0});
        ++done_;
        ctx_.report("starting", 0);
        if (sinceFirst_)
            lastPair_ = onThisDevice(made.result);
        finishedEstimation(made.result);
    }

    /// The motion since the first frame where pairs are written: estimated between these two
    /// frames, since pairs, one after the other, add up their errors. The first is a pair, too.
    void addSinceFirst(const std::shared_ptr<const Volume>& first,
                       const std::shared_ptr<const Volume>& moving, int movingFrame) {
        if (lastPair_.fixedFrame == job_.firstFrame && sinceFirst_->adopt(lastPair_)) {
            ++done_;
            sinceFirstFrame_ = lastPair_.field;
            write(lagrangianKind, millimeters(*sinceFirstFrame_), job_.firstFrame, movingFrame);
            return;
        }
        const FrameResult result = estimate(
            *sinceFirst_, {first, moving, job_.firstFrame, movingFrame, onDevice_}, 0, &lastPair_);
        writeEstimated(lagrangianKind, result, millimeters(*result.field));
        sinceFirstFrame_ = result.field;
    }

    /// Adds the motion from the last frame back to the first, which no filter smooths. Call after
    /// all other pairs.
    void close(const std::shared_ptr<const Volume>& last, int lastFrame,
               const std::shared_ptr<const Volume>& first, int firstFrame) {
        flush();
        filter_.reset();
        FrameResult result = estimate(pairs_, {last, first, lastFrame, firstFrame, onDevice_}, 0);
        finishedEstimation(result);
    }

    /// Writes what the filter still has.
    void flush() {
        if (filter_)
            for (FrameResult& smooth : filter_->finish(onDevice()))
                finishedEstimation(smooth);
    }

    /// Waits until everything is on disk. Call after the last pair.
    void finish() {
        for (std::size_t i = 0; const double seconds : files_.finish())
            record_.fields[i++].writeSeconds = seconds;
    }

    /// Uploads a frame that is needed soon, concurrently with the estimation.
    void prefetch(int frame, const std::shared_ptr<const Volume>& volume) {
        if (onDevice_ && volume && pairs_.path() == EstimationPath::Device)
            onDevice_->prefetch(frame, volume);
    }

private:
    SharedField millimeters(const VectorField& field) const {
        return std::make_shared<MillimeterField>(toMillimeters(field, *ctx_.pool));
    }

    FrameResult estimate(PairEstimator& with, const FramePair& pair, double readSeconds,
                         const FrameResult* step = nullptr) {
        ctx_.throwIfCancelled();
        ctx_.report("starting", 0);
        FrameResult result = [&] {
            const Turn turn(job_.turn, record_.waitedSeconds);
            return with.estimate(pair, ctx_, {.step = step});
        }();
        if (!with.fallbackReason().empty())
            record_.fallback = with.fallbackReason();
        estimated_.push_back({with.report(), readSeconds, uploadedFrameBytes()});
        ++done_;
        return result;
    }

    /// A copy of the result whose field is on the device where the motion since the first frame is
    /// estimated.
    FrameResult onThisDevice(const FrameResult& host) {
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
    std::size_t uploadedFrameBytes() {
        const std::size_t now = onDevice_ ? onDevice_->counters().uploadedBytes : 0;
        return now - std::exchange(uploadedBytes_, now);
    }

    /// Figures of an estimation, kept until its result is written.
    struct Estimated {
        MotionReport report;
        double readSeconds = 0;
        std::size_t uploadedBytes = 0;
    };

    /// The context of work on results, with the device that they may lie on.
    ExecContext onDevice() const {
        ExecContext ctx = ctx_;
        ctx.cuda = pairs_.device();
        ctx.blockSizes = &job_.blockSizes;
        return ctx;
    }

    /// The frame's number if its time is unknown, which suffices for a window.
    double secondsSinceFirst(int frame) const {
        return job_.sequence.timeKnown()
                   ? job_.sequence.timeOf(frame) - job_.sequence.timeOf(job_.firstFrame)
                   : frame - job_.firstFrame;
    }

    void finishedEstimation(FrameResult& result) {
        stages_.run(result, ctx_);
        const SharedField displacement = millimeters(*result.field);
        writeEstimated(displacementKind, result, displacement);
        if (job_.lagrangian)
            addLagrangian(result, displacement);
    }

    /// Results come in the order of their estimations.
    void writeEstimated(const char* kind, const FrameResult& result, const SharedField& field) {
        const Estimated estimated = std::move(estimated_.front());
        estimated_.pop_front();
        FieldRecord& written = write(kind, field, result.fixedFrame, result.movingFrame);
        written.seconds = result.seconds;
        written.backend = result.backend;
        written.bytesToDevice = result.bytesToDevice + estimated.uploadedBytes;
        written.bytesToHost = result.bytesToHost;
        written.report = estimated.report;
        written.readSeconds = estimated.readSeconds;
        written.stageSeconds = stagesOf(result.profile);
        written.figures = result.figures;
        written.residual = result.residual;
        written.voxels = result.field->geometry.voxels();
        const auto start = Clock::now();
        written.jacobian = stages_.determinants(result, ctx_);
        written.stageSeconds.emplace_back("folds", secondsSince(start));
        if (record_.residualWarning.empty())
            record_.residualWarning = residualWarning(result, record_.scale, &job_.parameters);
        if (record_.doubts.empty())
            judge(written, *result.field);
        if (!job_.trace.empty())
            record_.profiles.push_back(result.profile);
        if (result.errors) {
            const auto errors =
                std::make_shared<MillimeterField>(standardErrorMillimeters(result, ctx_));
            write(standardErrorKind, errors, result.fixedFrame, result.movingFrame).standardError =
                componentMedians(*errors, job_.tissue ? job_.tissue->view() : VolumeView<float>());
        }
    }

    void judge(const FieldRecord& written, const VectorField& field) {
        MotionOutcome outcome{.voxels = written.voxels,
                              .folded = written.jacobian.folded,
                              .smallestDeterminant = written.jacobian.smallest,
                              .largestDeterminant = written.jacobian.largest};
        if (outcome.folded > 0)
            outcome.meanDeterminant = volumeChange(field.view(), {}, ctx_).mean;
        if (!written.report.levels.empty()) // slabs may have none
            outcome.figures = written.report.levels.front().figures;
        for (const std::string& doubt : doubtsAbout(outcome))
            record_.doubts.push_back(
                fmt::format("frame {} to {}: {}", written.fixed, written.moving, doubt));
    }

    void addLagrangian(const FrameResult& result, const SharedField& displacement) {
        if (result.movingFrame != job_.firstFrame) {
            if (job_.estimatesSinceFirst())
                return;
            write(lagrangianKind, displacement, job_.firstFrame, result.movingFrame);
            sinceFirstFrame_ = result.field;
            return;
        }
        const SharedField rest =
            millimeters(composedMotion(*sinceFirstFrame_, *result.field, ctx_));
        write(lagrangianKind, rest, job_.firstFrame, job_.firstFrame);
        record_.cycleResidual = lengthStatistics(*rest, {});
        if (job_.tissue)
            record_.cycleResidualOfTissue = lengthStatistics(*rest, job_.tissue->view());
    }

    FieldRecord& write(const char* kind, const SharedField& field, int fixedFrame,
                       int movingFrame) {
        ctx_.throwIfCancelled();
        FieldRecord& entry = record_.fields.emplace_back();
        entry.file = fieldFile(kind, movingFrame, job_.format);
        entry.kind = kind;
        entry.fixed = fixedFrame;
        entry.moving = movingFrame;
        files_.put(entry.file, field);
        return entry;
    }

    const MotionJob& job_;
    ExecContext ctx_;
    MotionRecord& record_;
    std::shared_ptr<DeviceFrames> onDevice_; ///< null on the CPU
    std::size_t uploadedBytes_ = 0;
    MotionStages stages_;
    std::optional<TrajectoryFilter> filter_;
    std::deque<Estimated> estimated_; ///< their results aren't written yet
    PairEstimator pairs_;
    PairSettings spreadSettings_;
    /// None unless MotionJob::estimatesSinceFirst().
    std::optional<PairEstimator> sinceFirst_;
    /// Step of the motion since the first frame.
    FrameResult lastPair_;
    std::shared_ptr<const VectorField> sinceFirstFrame_; ///< the last motion since the first frame
    int count_;                                          ///< number of estimations
    int done_ = 0;
    FieldQueue files_;
};

/// The first and the last frame.
using Ends = std::pair<std::shared_ptr<const Volume>, std::shared_ptr<const Volume>>;

Ends runInTurn(const MotionJob& job, FrameStream& frames, MotionWriter& writer) {
    const std::shared_ptr<const Volume> first = frames.next();
    std::shared_ptr<const Volume> fixed = first, last;
    int fixedFrame = job.firstFrame;
    for (int frame = job.firstFrame + 1; frame <= job.lastFrame; ++frame) {
        const std::shared_ptr<const Volume> moving = frames.next();
        writer.prefetch(frame + 1, frames.peek(frame + 1 - job.firstFrame));
        writer.add(fixed, fixedFrame, moving, frame, frames.counters().lastReadSeconds);
        if (job.estimatesSinceFirst())
            writer.addSinceFirst(first, moving, frame);
        last = moving;
        if (job.reference == ReferenceMode::Previous) {
            fixed = moving;
            fixedFrame = frame;
        }
    }
    return {first, last};
}

Ends runChains(const MotionJob& job, const ExecContext& ctx, FrameStream& frames,
               MotionWriter& writer) {
    SpreadPairs pairs({job.firstFrame, job.lastFrame, job.chain, [&] { return frames.next(); },
                       writer.spreadSettings(), job.workers},
                      ctx);
    Ends ends;
    for (int frame = job.firstFrame + 1; frame <= job.lastFrame; ++frame) {
        SpreadPairs::Estimated made = pairs.take();
        const std::shared_ptr<const Volume> moving = made.result.moving;
        if (!ends.first)
            ends.first = made.result.fixed;
        ends.second = moving;
        writer.addSpread(std::move(made));
        if (job.estimatesSinceFirst()) {
            const auto turn = pairs.turnOn(job.device.get());
            writer.addSinceFirst(ends.first, moving, frame);
        }
    }
    return ends;
}

} // namespace

MotionRecord runMotion(const MotionJob& job, const ExecContext& ctx, RunFolder& folder) {
    const auto start = Clock::now();
    checkMotionMemory(job, ctx);
    ctx.report("reading gray values", 0);
    MotionRecord record;
    record.scale = intensityScale(job.sequence, ctx);

    MotionWriter writer(job, ctx, folder, record);
    FrameStream frames(rangeOf(job.sequence, job.firstFrame, job.lastFrame), StreamMode::EveryFrame,
                       3 * job.sequence.geometry.voxels() * sizeof(float), framePool(job, ctx));
    const auto [first, last] =
        job.chain > 0 ? runChains(job, ctx, frames, writer) : runInTurn(job, frames, writer);
    if (job.closeCycle)
        writer.close(last, job.lastFrame, first, job.firstFrame);
    else
        writer.flush();
    writer.finish();
    record.seconds = secondsSince(start);
    return record;
}

const Task& motionTask() {
    static const Task task{
        "motion", "The motion from frame to frame", nullptr, {Backend::Cpu, Backend::Cuda}};
    return task;
}

} // namespace systole
