// How the unbiased method moves on the device. All pointers are to device memory. Steps do
// nothing on a level that has ended.
#pragma once

#include "compute/methods/unbiased/force_cuda.cuh"
#include "compute/ops/frame_masks_cuda.cuh"

namespace systole::unbiased {

struct MoveStep {
    FieldView<float> motion[2];
    FieldView<const float> force; ///< smoothed, at the motion, unless the last step was undone
    /// The force at the motion. Empty without momentum: half a step that was undone is then half
    /// its way, and nothing needs to be computed again.
    FieldView<float> kept;
    FieldView<float> velocity; ///< empty without momentum
    float inverseScale[3];     ///< 1 / PyramidLevel::scale() per axis
    StepRule steps;
    LevelState* level;
};

/// Enqueues out = squaredGradient of the frame with its mask, which may be empty.
void enqueueSquaredGradient(VolumeView<const float> frame, VolumeView<const float> mask,
                            const ForceRule& rule, FieldView<float> out, LaunchLog& log);
/// Enqueues level->curvature = the larger of itself and the largest sum of the components.
void enqueueCurvature(FieldView<const float> squared, LevelState* level, LaunchLog& log);
/// Enqueues candidate = motion + dt M v with the velocity v = force + momentum · v and timeStep()
/// as dt. Blocks of a field begin at multiples of 16 bytes.
void enqueueMove(const MoveStep& step, LaunchLog& log);
/// Enqueues motion = 0 if the start folds.
void enqueueRest(FieldView<float> motion, const LevelState* level, LaunchLog& log);
/// Enqueues out = motion, also on a level that has ended.
void enqueueSettle(const FieldView<float> (&motion)[2], const LevelState* level,
                   FieldView<float> out, LaunchLog& log);

/// Enqueues the fixed frame with which the force of `step` compares: T∘h where voxels don't count,
/// so that there is no difference. Does nothing where the force does nothing.
void enqueueCompared(const ForceStep& step, const FrameMasks& masks, VolumeView<float> compared,
                     LaunchLog& log);

} // namespace systole::unbiased
