// The steps of an iteration of the unbiased method on the CPU: the plain loop and the fast
// implementation have one contract, so that either can drive an estimation. All volumes and fields
// are of one size; results are the same bits for any number of threads.
#pragma once

#include "compute/core/exec.h"
#include "compute/methods/unbiased/step_math.h"

namespace systole::unbiased {

/// Frames of a level, gray values 0 to 255.
struct Frames {
    VolumeView<const float> fixed, moving;
};

/// out = bodyForce of [data force + lambda · regularizer's force] at displacement w. Returns the
/// energy, the mean per voxel of ½ (T∘h − R)² + lambda (|M| − 1) log |M|, and what folds.
Check force(const Frames& frames, FieldView<const float> w, const ForceRule& rule,
            FieldView<float> out, const ExecContext& ctx);

/// velocity = force + momentum · velocity, out = M velocity. Returns the largest length of out in
/// smallest voxels. Without momentum, velocity need not be set.
float transport(FieldView<const float> w, FieldView<const float> force, float momentum,
                FieldView<float> velocity, const float (&scale)[3], FieldView<float> out,
                const ExecContext& ctx);

// Reference implementations: plain loops that recompute everything per voxel.
Check forceReference(const Frames& frames, FieldView<const float> w, const ForceRule& rule,
                     FieldView<float> out, const ExecContext& ctx);
float transportReference(FieldView<const float> w, FieldView<const float> force, float momentum,
                         FieldView<float> velocity, const float (&scale)[3], FieldView<float> out,
                         const ExecContext& ctx);

} // namespace systole::unbiased
