// The inner loops of warp.h, a row (x) at a time, in SIMD with the instruction set chosen at run
// time; see compute/ops/row_kernels.h.
#pragma once

#include "compute/ops/index_map.h"
#include "compute/ops/row_kernels.h"

namespace systole::rows {

/// A row of positions map(i + u[i], y + v[i], z + w[i]) in a volume, with the field (u, v, w).
struct MappedRow {
    Volume volume;
    const IndexMap& map;
    float noise; ///< MovingImage::noise
    float y, z;
    const float* field[3];
    int count;
};

/// out[i] = the volume's value; weight[i] = insideWeight there, times mask's value there unless its
/// data is null, times fixedMask[i] unless null.
struct WarpedRow {
    Volume mask;
    const float* fixedMask;
    float* out;
    float* weight;
    float* lost; ///< noise · the share of it that is lost; null: isn't wanted
};
void warpMapped(const MappedRow& from, const WarpedRow& to);

/// force = derivative · mapᵀ · gradient of the volume, 0 where positions are clamped, and unless
/// ofLost is null ofLost · noise · mapᵀ · the loss's derivatives; force may be the field.
void forceMapped(const MappedRow& from, const float* derivative, const float* ofLost,
                 float* const (&force)[3]);

} // namespace systole::rows
