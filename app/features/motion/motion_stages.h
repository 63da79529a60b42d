// The stages of a run of systole motion.
#pragma once

#include "compute/motion/frame_stages.h"
#include "compute/ops/jacobian.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

/// Stages of one field after the other, and the determinants by which its folds are counted: found
/// once where the stage "jacobian" finds them, too.
class MotionStages {
public:
    /// `texts`: stages in the format of chosenStages().
    explicit MotionStages(const std::vector<std::string>& texts);
    MotionStages(const MotionStages&) = delete;
    MotionStages& operator=(const MotionStages&) = delete;

    void run(FrameResult& result, const ExecContext& ctx);
    /// Determinants of the result's field; a voxel folds if its determinant is at most 0.
    JacobianFigures determinants(const FrameResult& result, const ExecContext& ctx);

private:
    std::vector<ChosenStage> chosen_;
    JacobianFigures found_;
    bool isFound_ = false; ///< true if the stages that ran last found them
    FrameStage counting_;  ///< the stage "jacobian", which notes what it finds
    std::shared_ptr<const VectorField> counted_; ///< field to which `found_` belongs; null: none
};

} // namespace systole
