// Composing a step with a motion so that the result doesn't fold: the exponential of steep steps by
// scaling and squaring, and averaging where the composed field folds all the same. A fold is what
// compute/ops/fold_math.h calls one; docs/numerics/folds.md has the order of steps.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// Round of averaging from which on voxels stay marked, so that the region grows until there is
/// room for the displacement; before it, only what folds is averaged.
inline constexpr int firstGrowingRound = 24;

/// The largest |du| + |dv| + |dw| between neighboring voxels; 0 for a single one.
float steepness(FieldView<const float> field, const ExecContext& ctx);

/// Whether a cell of the field folds. If not, the trilinear field has no determinant below
/// folds::minDeterminant anywhere.
bool hasFolds(FieldView<const float> field, const ExecContext& ctx);

/// step ← exp(step), the displacement after unit time along the step as a velocity. A step that is
/// not steeper than 1/2 stays as it is; one steeper than 4 is scaled down to that before. `spare`
/// has the step's size.
void exponentiate(FieldView<float> step, FieldView<float> spare, const ExecContext& ctx);

/// Averages the field around the corners of folded cells, in rounds, until none folds. Returns
/// whether that succeeded. `spare` and `marks` have the field's size.
bool mendFolds(FieldView<float> field, FieldView<float> spare, VolumeView<float> marks,
               const ExecContext& ctx);

/// Averages like mendFolds(); if that fails, multiplies the whole field by the factor that leaves
/// no edge steep enough to fold.
void removeFolds(FieldView<float> field, FieldView<float> spare, VolumeView<float> marks,
                 const ExecContext& ctx);

/// Overload for a field that was put together from fields that don't fold: their mean, sum or
/// composition may. 4 floats per voxel are taken from ctx.pool where it folds.
void removeFolds(FieldView<float> field, const ExecContext& ctx);

/// hasFolds() and removeFolds() of a field on the device of ctx.cuda; memory from its pool. They
/// wait for the device; their stage is "trajectory". Defined in builds with CUDA (cudaIsBuilt).
bool hasFoldsOnDevice(FieldView<const float> field, const ExecContext& ctx);
void removeFoldsOnDevice(FieldView<float> field, const ExecContext& ctx);

/// Where `out`, the composition of w and step, folds: out becomes that of w and exp(step), mended;
/// or w if that fails. Otherwise nothing changes. `step` is overwritten.
void composeWithoutFolds(FieldView<const float> w, FieldView<float> step, FieldView<float> out,
                         FieldView<float> spare, VolumeView<float> marks, const ExecContext& ctx);

} // namespace systole
