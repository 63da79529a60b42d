// The divergence term (DivergenceStencil::Energy) of one color's half-row in SIMD, in the layout of
// ColorSystem: a row's voxels of even and of odd x are separate, "beside" is the half that this row
// does not have.
//
// With D the mean of forward and backward difference and c the weight, component k gets from the
// other components l
//     (beta s_k / 2) (m(p + e_k) − m(p − e_k)),   m(q) = c(q) Σ_l s_l (D_l t_l)(q),
// and m(q) is −m(p) where q lies beyond the grid.
#pragma once

namespace systole::rows {

/// One of the four rows next to this one along y or z, or what stands for it at the border.
struct SideRow {
    const float* beside; ///< u at x ± 1
    const float* here;   ///< u at x, which stands for u beyond the ends of the row
    /// The third component (w beside along y, v beside along z), a row behind and a row ahead.
    const float *behind, *ahead;
    const float* weight; ///< c; null: 1
    float sign;          ///< 1; −1 where this row itself stands for one beyond the grid
};

/// Where a neighbor is missing, `across` and the row's own ends count as 0 in a sweep, and as the
/// voxel itself in a product: in a sweep the voxel's own values are part of its block.
struct DivergenceRow {
    float* self[3];
    const float* across[4][3]; ///< y−1, y+1, z−1, z+1 at the same x
    const float* beside[3];
    const float* besideV[2]; ///< v beside at y−1, y+1; beyond the grid the row itself
    const float* besideW[2]; ///< w beside at z−1, z+1; beyond the grid the row itself
    SideRow side[4];         ///< y−1, y+1, z−1, z+1
    const float* weight;     ///< c of this row; null: 1
    const float* weightBeside;
    const float* weightAcross[4];
    float beta;
    float scale[3];
    int shift;  ///< x-neighbors are at i+shift−1 and i+shift: 0 where this half has the even x
    int last;   ///< index of the voxel at the end of the row; −1: the other half has it
    int stride; ///< number of values, whole vectors
};

/// t ← (1 − omega)·t + omega·(A⁻¹ Σ_q weight_q t_q + A⁻¹ b), as rows::sweep; A⁻¹ is that of a block
/// with the divergence's own entries. Returns the largest change when `measure`, else 0.
struct DivergenceSweep {
    const float* system[9]; ///< A⁻¹ (11 12 13 22 23 33) and A⁻¹·b
    float smoothness[3];
    float omega;
};
float sweepWithDivergence(const DivergenceRow& row, const DivergenceSweep& sweep, bool measure);

/// out ← beta·G·t.
void divergenceOf(const DivergenceRow& row, float* const (&out)[3]);

} // namespace systole::rows
