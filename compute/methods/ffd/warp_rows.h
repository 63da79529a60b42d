// The inner loops of warp.h, a row (x) at a time, in SIMD with the instruction set chosen at run
// time; see compute/ops/row_kernels.h.
#pragma once

#include "compute/ops/index_map.h"
#include "compute/ops/row_kernels.h"

namespace systole::rows {

/// out[i] = value at map(i + u[i], y + v[i], z + w[i]); weight[i] = insideWeight there, times
/// mask's value there unless its data is null, times fixedMask[i] unless null.
struct WarpedRow {
    float* out;
    float* weight;
    const float* fixedMask;
};
void warpMapped(const Volume& volume, const Volume& mask, const IndexMap& map, float y, float z,
                const float* u, const float* v, const float* w, int count, const WarpedRow& row);

/// force = derivative · mapᵀ · gradient of the volume at the same positions, 0 where they are
/// clamped; force may be (u, v, w).
void forceMapped(const Volume& volume, const IndexMap& map, float y, float z, const float* u,
                 const float* v, const float* w, const float* derivative, int count,
                 float* const (&force)[3]);

} // namespace systole::rows
