#include "app/features/motion/motion_results.h"

#include "app/features/motion/motion_files.h"
#include "app/features/motion/motion_judgement.h"
#include "compute/core/elapsed.h"
#include "compute/motion/composed_motion.h"

#include <chrono>
#include <cstddef>

namespace systole {

MotionResults::MotionResults(const MotionJob& job, const ExecContext& ctx, RunFolder& folder,
                             MotionRecord& record)
    : job_(job), ctx_(ctx), record_(record), stages_(job.stages), files_(folder, job.format) {}

void MotionResults::add(EstimatedPair pair) {
    stages_.run(pair.result, ctx_);
    const SharedField displacement = millimeters(*pair.result.field);
    writeEstimated(displacementKind, pair.result, *pair.facts, displacement);
    if (job_.lagrangian)
        addLagrangian(pair.result, displacement);
}

void MotionResults::addSinceFirst(const EstimatedPair& pair) {
    const FrameResult& result = pair.result;
    const SharedField field = millimeters(*result.field);
    if (pair.facts)
        writeEstimated(lagrangianKind, result, *pair.facts, field);
    else
        write(lagrangianKind, field, result.fixedFrame, result.movingFrame);
    sinceFirst_ = result.field;
}

void MotionResults::finish() {
    for (std::size_t i = 0; const double seconds : files_.finish())
        record_.fields[i++].writeSeconds = seconds;
}

FieldRecord& MotionResults::write(const char* kind, const SharedField& field, int fixedFrame,
                                  int movingFrame) {
    ctx_.throwIfCancelled();
    FieldRecord& entry = addField(record_, job_, kind, fixedFrame, movingFrame);
    files_.put(entry.file, field);
    return entry;
}

void MotionResults::writeEstimated(const char* kind, const FrameResult& result,
                                   const EstimationFacts& facts, const SharedField& field) {
    FieldRecord& written = write(kind, field, result.fixedFrame, result.movingFrame);
    noteEstimation(written, result, facts);
    const auto start = std::chrono::steady_clock::now();
    written.jacobian = stages_.determinants(result, ctx_);
    written.stageSeconds.emplace_back("folds", secondsSince(start));
    judge(written, result, job_, ctx_, record_);
    if (!job_.trace.empty())
        record_.profiles.push_back(result.profile);
    if (result.errors)
        writeErrors(result);
}

void MotionResults::writeErrors(const FrameResult& result) {
    const auto errors = std::make_shared<MillimeterField>(standardErrorMillimeters(result, ctx_));
    write(standardErrorKind, errors, result.fixedFrame, result.movingFrame).standardError =
        componentMedians(*errors, job_.tissue ? job_.tissue->view() : VolumeView<float>());
}

/// Pairs whose reference is the first frame are themselves the motion since it.
void MotionResults::addLagrangian(const FrameResult& result, const SharedField& displacement) {
    if (result.movingFrame == job_.firstFrame)
        return closeCycle(*result.field);
    if (job_.estimatesSinceFirst())
        return;
    write(lagrangianKind, displacement, job_.firstFrame, result.movingFrame);
    sinceFirst_ = result.field;
}

/// `back`: the motion from the last frame to the first. Where points end that have gone around.
void MotionResults::closeCycle(const VectorField& back) {
    const SharedField rest = millimeters(composedMotion(*sinceFirst_, back, ctx_));
    write(lagrangianKind, rest, job_.firstFrame, job_.firstFrame);
    record_.cycleResidual = lengthStatistics(*rest, {});
    if (job_.tissue)
        record_.cycleResidualOfTissue = lengthStatistics(*rest, job_.tissue->view());
}

SharedField MotionResults::millimeters(const VectorField& field) const {
    return std::make_shared<MillimeterField>(toMillimeters(field, *ctx_.pool));
}

} // namespace systole
