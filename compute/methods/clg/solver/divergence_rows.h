// The divergence term (DivergenceStencil::Energy) of one color's half-rows in SIMD, in the layout
// of ColorSystem: a row's voxels of even and of odd x are separate, "beside" is the half that this
// row does not have.
//
// With D the mean of forward and backward difference and c the weight, component k gets from the
// other components l
//     (beta s_k / 2) (m(p + e_k) − m(p − e_k)),   m(q) = c(q) Σ_l s_l (D_l t_l)(q),
// and m(q) is −m(p) where q lies beyond the grid.
#pragma once

#include <cstddef>

namespace systole::rows {

/// Neighboring rows are counted: y−1, y+1, z−1, z+1.
///
/// Where a neighbor is missing, `across` and the row's own ends count as 0 in a sweep, and as the
/// voxel itself in a product: in a sweep the voxel's own values are part of its block.
struct DivergenceRow {
    float* self[3];
    const float* beside[3];
    const float* across[4][3]; ///< the neighboring rows at the same x
    /// The neighboring rows at x ± 1; beyond the grid this row's. First u, then v along y, w along
    /// z.
    const float* besideAcross[4][2];
    const float* endsOfU[4]; ///< stand for u of besideAcross beyond the row's ends
    /// w of the rows behind and ahead of a neighbor along y, v of those of a neighbor along z.
    const float* diagonal[4][2];
    float sign[4];       ///< 1; −1 where this row itself stands for a neighbor beyond the grid
    const float* weight; ///< c of this row; null: 1
    const float* weightBeside;
    const float* weightAcross[4];
    /// All neighbors exist: the pointers above follow from self[0], beside[0], weight,
    /// weightBeside and these distances.
    bool inside;
    std::ptrdiff_t component, y, z;

    float beta;
    float scale[3];
    int shift;  ///< x-neighbors are at i+shift−1 and i+shift: 0 where this half has the even x
    int last;   ///< index of the voxel at the end of the row; −1: the other half has it
    int stride; ///< number of values, whole vectors
    int more; ///< how many rows follow at y + 2, y + 4, …, with all pointers 2·stride values on
};

/// t ← (1 − omega)·t + omega·(A⁻¹ Σ_q weight_q t_q + A⁻¹ b), as rows::sweep; A⁻¹ is that of a block
/// with the divergence's own entries. Returns the largest change.
struct DivergenceSweep {
    const float* system[9]; ///< A⁻¹ (11 12 13 22 23 33) and A⁻¹·b, `more` rows 9·`stride` values on
    float smoothness[3];
    float omega;
};
float sweepWithDivergence(const DivergenceRow& row, const DivergenceSweep& sweep);

/// out ← beta·G·t.
void divergenceOf(const DivergenceRow& row, float* const (&out)[3]);

} // namespace systole::rows
