// The penalty of volume change, a row of tiles or of control points at a time, with the instruction
// set chosen at run time; see compute/ops/row_kernels.h. Processors without fused multiply-adds
// compute them by the library: the same bits, many times slower.
#pragma once

#include "compute/methods/ffd/penalty_jacobian_math.h"

namespace systole::rows {

/// A layer of tiles, all tz.
struct JacobianLayer {
    Size3 n, tiles; ///< control points and tiles of the grid
    float perTile[3];
    float share;     ///< the weight over the number of Gauss points
    float* stresses; ///< ((tile · 3 + component) · points + point) · 3 + axis; null: not wanted

    float* stressesOf(int tx, int ty, int component) const {
        const auto tile = static_cast<std::size_t>(tx) +
                          static_cast<std::size_t>(tiles.x) * static_cast<std::size_t>(ty);
        return stresses + (3 * tile + static_cast<std::size_t>(component)) * 3 * jacobian::points;
    }
};

/// Finds the stresses of the tiles (…, ty, tz) and returns the sum of their penalties, exact.
double jacobianStresses(const JacobianLayer& layer, FieldView<const float> points, int ty, int tz);

/// Adds to open[plane][component][x] what the tiles of the layer give to the control points
/// (x, y, tz + plane).
void gatherJacobian(const JacobianLayer& layer, int y, float* const (&open)[4][3]);

} // namespace systole::rows
