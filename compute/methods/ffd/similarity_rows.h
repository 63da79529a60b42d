// The inner loops of the similarities, a row at a time, in SIMD with the instruction set chosen at
// run time; see compute/ops/row_kernels.h. Sums are of one row, in single precision.
#pragma once

namespace systole::rows {

float sum(const float* values, int count);

/// Σ weight · (a − b)².
float weightedSquares(const float* a, const float* b, const float* weight, int count);

/// out = scale · weight · (a − b).
void weightedDifference(const float* a, const float* b, const float* weight, float scale, int count,
                        float* out);

} // namespace systole::rows
