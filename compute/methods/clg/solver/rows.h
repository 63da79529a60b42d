// The inner loops of the CLG solver, one row (x) at a time, in SIMD chosen at run time; the
// counterpart of compute/ops/row_kernels.h for loops that only this method needs.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

namespace systole::rows {

/// out = scale · ((a1 − a0) + (b1 − b0)); without b (null): scale · (a1 − a0).
void difference(const float* a1, const float* a0, const float* b1, const float* b0, float scale,
                int count, float* out);

/// Sums from which the noise in the data is estimated.
struct ResidualSum {
    double squared = 0; ///< sum of the weighted squared difference in time
    double count = 0;   ///< sum of `inside`

    ResidualSum operator+(const ResidualSum& other) const {
        return {squared + other.squared, count + other.count};
    }
    double rootMeanSquare() const { return count > 0 ? std::sqrt(squared / count) : 0; }
};
/// Planes added in their order.
inline ResidualSum total(const std::vector<ResidualSum>& planes) {
    return std::accumulate(planes.begin(), planes.end(), ResidualSum{});
}

/// Writes the nine products gx², gx·gy, gx·gz, gy², gy·gz, gz², gx·it, gy·it, gz·it of a gradient
/// (gx, gy, gz, it), each times inside / (|g|² + epsilon), or only times inside if epsilon is
/// negative. inside may be null (1). Returns the sums of the weight's it² and of inside for the
/// estimate of noise.
ResidualSum products(const float* const (&gradient)[4], const float* inside, float epsilon,
                     int count, float* const (&out)[9]);

/// c[6..8] (holding j4) ← J · w0 − j4, in place.
void rightHandSide(float* const (&c)[9], const float* const (&w0)[3], int count);

/// Splits a row of the system by the parity of x and inverts its 3×3 blocks: with A = J + n·1, n[x]
/// the sum of the smoothness weights of the neighbors of x, writes the six entries of A⁻¹ and the
/// three of A⁻¹·b to even[] (x = 0, 2, ...) and odd[] (x = 1, 3, ...), `stride` values each, zero
/// beyond the row's end.
void splitSystem(const float* const (&c)[9], const float* n, int count, int stride,
                 float* const (&even)[9], float* const (&odd)[9]);
void splitRow(const float* in, int count, int stride, float* even, float* odd);
void mergeRow(const float* even, const float* odd, int count, float* out);

/// A row of a system and of its field, and the field's next rows along y and z; null: none.
struct EnergyRow {
    const float *system[9], *field[3], *nextY[3], *nextZ[3];
    float weightX, weightY, weightZ;
};
/// Σ over the row of t·(J t − 2 b) and of the weight of each difference to the next voxel, squared.
double energy(const EnergyRow& row, int count);

/// Rows of one color in a plane, in a red-black sweep:
///   t ← (1 − omega)·t + omega·(A⁻¹ Σ_j weight_j t_j + A⁻¹ b).
/// Pointers are to row 0, rows `stride` apart and `stride` long.
struct SweepPlane {
    /// A⁻¹ (11 12 13 22 23 33) and A⁻¹·b of this color: nine rows, one behind the other, for each
    /// y.
    const float* system;
    float* self[3];
    const float* beside[3];           ///< the row in the other color
    const float *below[3], *above[3]; ///< the other color at z−1 and z+1; null where missing
    const float* zeros;               ///< a row of zeros
    float weightX, weightY, weightZ;
    int shift; ///< x-neighbors in row 0 are at i+shift−1 and i+shift: 0 where it has the even x
    int stride, rows; ///< rows of the plane
};
/// Rows [first, end). Returns the largest change of a component.
float sweep(const SweepPlane& plane, int first, int end, float omega);

} // namespace systole::rows
