// The inner loops of the similarities, a row at a time, in SIMD with the instruction set chosen at
// run time; see compute/ops/row_kernels.h. Sums are of one row, exact (compute/ops/fused_math.h).
#pragma once

#include "compute/methods/ffd/similarity_nmi.h"

#include <cstdint>

namespace systole::rows {

/// Σ onSumGrid(value).
double sum(const float* values, int count);

/// Σ weighedSquare(a − b, weight, unit).
double weightedSquares(const float* a, const float* b, const float* weight, int count, double unit);

/// out = scale · weight · (a − b).
void weightedDifference(const float* a, const float* b, const float* weight, float scale, int count,
                        float* out);

/// Bins of the warped image, and a factor of what is counted or derived.
struct Parzen {
    BinScale bins;
    float factor;
};
/// counts[cells[i] + bin − 1 + k] += factor · weight · the four weights of the window around
/// warped[i], rounded.
void parzenCounts(const float* cells, const float* warped, const float* weight,
                  const Parzen& parzen, int count, std::uint32_t* counts);
/// out = factor · weight · Σ_k table[cells[i] + bin − 1 + k] · derivative of the k-th weight; 0
/// where the position is limited.
void parzenDerivative(const float* cells, const float* warped, const float* weight,
                      const Parzen& parzen, const float* table, int count, float* out);

/// products = counted · (b, b² + lost, a · b); lost may be null (0).
struct ComparedRow {
    const float *a, *b, *lost;
};
void windowProducts(const float* counted, const ComparedRow& row, int count,
                    float* const (&products)[3]);

/// The windows of a row, as LnccWindow.
struct WindowRow {
    const float* inverse; ///< 1 / sum of what counts; 0 where nothing does
    const float* mean;    ///< mean of the fixed image in the window
    const float* variance;
    float*
        sums[3]; ///< window sums of windowProducts(); on return the derivative's factors of a, b, 1
    const float* weight;
};
/// Σ LnccTerms::counted.
double localCorrelation(const WindowRow& row, int count);

/// out = scale · counted · (a · factors[0] + b · factors[1] − factors[2]); with a loss, factors[1]
/// becomes half of scale · counted · factors[1].
void correlationDerivative(const float* counted, const ComparedRow& row, float* const (&factors)[3],
                           float scale, int count, float* out);

} // namespace systole::rows
