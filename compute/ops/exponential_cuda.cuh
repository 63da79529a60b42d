// Finding and mending folds of a composed field on the device (compute/ops/exponential.h), without
// waiting for the host. All pointers are to device memory.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/launch.cuh"
#include "compute/ops/fold_math.h"

#include <array>

namespace systole::gpu {

/// State that the kernels share. Cleared by clearFolds() before findFolds().
struct FoldState {
    int found;                        ///< 1 if the composed field folds
    unsigned steepest;                ///< steepness of the step, the bits of a float
    int folded[folds::maxRounds + 1]; ///< folded voxels in each round of averaging
    /// How far from either end of each axis the voxels that fold before averaging reach: the most
    /// of size − x, and of x + 1.
    int fromLast[3], fromFirst[3];
};

/// Memory of the field's size; `state` null: folds are not looked for.
struct FoldBuffers {
    FieldView<float> step{}; ///< the step d that was composed; overwritten
    FieldView<float> spare{};
    float* marks = nullptr;
    FoldState* state = nullptr;
};

/// Sets state->found if the field folds.
void findFolds(FieldView<const float> field, const FoldBuffers& buffers, LaunchLog& log);

/// state->found ← 0 and so on, as an operation of its own.
void clearFolds(const FoldBuffers& buffers, LaunchLog& log);

/// If state->found, does to `out`, the composition of w and the step, what composeWithoutFolds()
/// does, and sets copy = out · copyGain. With an empty w there is no step: removeFolds() of `out`.
/// Else returns at once.
void mendFolds(FieldView<const float> w, FieldView<float> out, FieldView<float> copy,
               std::array<float, 3> copyGain, const FoldBuffers& buffers, LaunchLog& log);

#ifdef __CUDACC__

/// Clears the state; called by one thread.
__device__ inline void clearFolds(FoldState* state) { *state = {}; }

#endif

} // namespace systole::gpu
