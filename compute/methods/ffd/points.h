// Vectors of control points on the host: what the optimizer needs.
#pragma once

#include "compute/core/exec.h"

#include <cstddef>
#include <span>

namespace systole {

/// Σ a · b in double precision, always in the same order.
double dotProduct(const float* a, const float* b, std::size_t count);

struct WeightedVector {
    float factor;
    const float* values;
};

/// out = Σ factor · values, at least one; `out` may be one of them.
void addVectors(std::span<const WeightedVector> vectors, float* out, std::size_t count,
                const ExecContext& ctx);

} // namespace systole
