// Results of one run of systole motion: fields made of estimated pairs, on disk and in its record.
#pragma once

#include "app/features/motion/field_queue.h"
#include "app/features/motion/motion_estimation.h"
#include "app/features/motion/motion_record.h"
#include "app/features/motion/motion_stages.h"

#include <memory>

namespace systole {

/// Runs the stages that follow an estimation, composes the motion since the first frame, and hands
/// each field to the files and to the record, in the order of the calls.
class MotionResults {
public:
    /// All arguments must outlive this; `ctx` has the progress of the run.
    MotionResults(const MotionJob& job, const ExecContext& ctx, RunFolder& folder,
                  MotionRecord& record);

    /// A pair from frame to frame; a moving frame that is the first one closes the cycle. Throws
    /// Cancelled, what a stage throws, and FileError for an earlier field.
    void add(EstimatedPair pair);
    /// The motion since the first frame where pairs from frame to frame are added, too.
    void addSinceFirst(const EstimatedPair& pair);
    /// Waits until everything is on disk. Throws what a field failed of.
    void finish();

private:
    FieldRecord& write(const char* kind, const SharedField& field, int fixedFrame, int movingFrame);
    void writeEstimated(const char* kind, const FrameResult& result, const EstimationFacts& facts,
                        const SharedField& field);
    void writeErrors(const FrameResult& result);
    void addLagrangian(const FrameResult& result, const SharedField& displacement);
    void closeCycle(const VectorField& back);
    SharedField millimeters(const VectorField& field) const;

    const MotionJob& job_;
    const ExecContext& ctx_;
    MotionRecord& record_;
    MotionStages stages_;
    std::shared_ptr<const VectorField> sinceFirst_; ///< the last motion since the first frame
    FieldQueue files_;
};

} // namespace systole
