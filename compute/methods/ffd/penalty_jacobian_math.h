// The penalty of volume change in one tile: the formulas that the host and CUDA share, in single
// precision with the same bits on both (compute/ops/fused_math.h), and in which order its parts are
// gathered. In double precision by Backend::CpuReference.
#pragma once

#include "compute/core/unroll.h"
#include "compute/methods/ffd/basis_integrals.h"
#include "compute/methods/ffd/penalty_jacobian.h"
#include "compute/ops/logarithm.h"

#include <cmath>

namespace systole::jacobian {

/// The two Gauss points of an axis, ½ ∓ √(1/12), in tiles. Point p of a tile has number p & 1 along
/// x, p >> 1 & 1 along y, p >> 2 along z.
inline constexpr int points = 8;
inline constexpr double node(int n) { return n == 0 ? 0.21132486540518713 : 0.7886751345948129; }

/// a · b + c and the natural logarithm, each in one way for a type.
constexpr float mulAdd(float a, float b, float c) { return fused(a, b, c); }
constexpr double mulAdd(double a, double b, double c) { return a * b + c; }
constexpr float logOf(float value) { return logarithmOf(value); }
inline double logOf(double value) { return std::log(value); }

/// Penalties are summed as multiples of this.
inline constexpr double sumUnit = 0x1p-30;

/// Penalty of a determinant and its derivative; below the floor they go on along the tangent.
template <typename T>
struct LogSquared {
    T value, slope;
    constexpr explicit LogSquared(T determinant) : value(0), slope(0) {
        const auto lowest = static_cast<T>(jacobianFloor);
        const T j = determinant > lowest ? determinant : lowest, l = logOf(j);
        slope = 2 * l / j;
        value = mulAdd(l, l, slope * (determinant - j));
    }
};

/// [component][axis]: I + ∇d at a point; after toStress() the penalty's derivative by it.
template <typename T>
struct Matrix {
    T of[3][3];

    /// Returns the penalty; the entries become its derivatives, times `share`.
    constexpr T toStress(T share) {
        T cofactor[3][3]{};
        SYSTOLE_UNROLL
        for (int c = 0; c < 3; ++c)
            SYSTOLE_UNROLL
        for (int a = 0; a < 3; ++a) {
            const int c1 = (c + 1) % 3, c2 = (c + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
            cofactor[c][a] = mulAdd(of[c1][a1], of[c2][a2], -(of[c1][a2] * of[c2][a1]));
        }
        const LogSquared<T> penalty(mulAdd(
            of[0][0], cofactor[0][0], mulAdd(of[0][1], cofactor[0][1], of[0][2] * cofactor[0][2])));
        SYSTOLE_UNROLL
        for (int c = 0; c < 3; ++c)
            SYSTOLE_UNROLL
        for (int a = 0; a < 3; ++a)
            of[c][a] = share * penalty.slope * cofactor[c][a];
        return penalty.value;
    }
};

constexpr float basis(int order, int l, int n) {
    return static_cast<float>(cubicBasis(order, l, node(n)));
}

/// One component's derivatives along x, y and z at all points of a tile, from its 64 control points
/// at(l, m, n): axis by axis, x first. `perTile`: one over the tile's voxels along each axis.
template <typename At>
constexpr void derivativesOf(const At& at, const float (&perTile)[3], float (&along)[points][3]) {
    SYSTOLE_UNROLL
    for (auto& point : along)
        point[0] = point[1] = point[2] = 0;
    SYSTOLE_UNROLL
    for (int n = 0; n < 4; ++n) {
        // ∂x, ∂y and the value of points x + 2 y in this plane of control points.
        float dx[4]{}, dy[4]{}, value[4]{};
        SYSTOLE_UNROLL
        for (int m = 0; m < 4; ++m) {
            float row[2]{}, slope[2]{};
            SYSTOLE_UNROLL
            for (int l = 0; l < 4; ++l) {
                const float phi = at(l, m, n);
                SYSTOLE_UNROLL
                for (int x = 0; x < 2; ++x) {
                    row[x] = fused(basis(0, l, x), phi, row[x]);
                    slope[x] = fused(basis(1, l, x), phi, slope[x]);
                }
            }
            SYSTOLE_UNROLL
            for (int p = 0; p < 4; ++p) {
                dx[p] = fused(basis(0, m, p >> 1), slope[p & 1], dx[p]);
                dy[p] = fused(basis(1, m, p >> 1), row[p & 1], dy[p]);
                value[p] = fused(basis(0, m, p >> 1), row[p & 1], value[p]);
            }
        }
        SYSTOLE_UNROLL
        for (int p = 0; p < points; ++p) {
            along[p][0] = fused(basis(0, n, p >> 2), dx[p & 3], along[p][0]);
            along[p][1] = fused(basis(0, n, p >> 2), dy[p & 3], along[p][1]);
            along[p][2] = fused(basis(1, n, p >> 2), value[p & 3], along[p][2]);
        }
    }
    SYSTOLE_UNROLL
    for (auto& point : along)
        SYSTOLE_UNROLL
    for (int axis = 0; axis < 3; ++axis)
        point[axis] *= perTile[axis];
}

/// Adds, by add(n, value), the contribution of one tile's stresses, stress(point, axis) of one
/// component, to the gradient at the tile's control points (l, m, 0 … 3). A control point's sum
/// goes over the tiles plane by plane, in each by m, then l, from 0 on, and is added to the
/// gradient last.
template <typename Stress, typename Add>
constexpr void gatherColumn(int l, int m, const float (&perTile)[3], const Stress& stress,
                            const Add& add) {
    // Sums of each plane z of points that are multiplied by the basis along z, or its derivative.
    float even[2]{}, sloped[2]{};
    SYSTOLE_UNROLL
    for (int p = 0; p < points; ++p) {
        const float x = basis(0, l, p & 1), y = basis(0, m, p >> 1 & 1);
        const float alongX = perTile[0] * (basis(1, l, p & 1) * y),
                    alongY = perTile[1] * (x * basis(1, m, p >> 1 & 1)),
                    alongZ = perTile[2] * (x * y);
        even[p >> 2] = fused(alongX, stress(p, 0), fused(alongY, stress(p, 1), even[p >> 2]));
        sloped[p >> 2] = fused(alongZ, stress(p, 2), sloped[p >> 2]);
    }
    SYSTOLE_UNROLL
    for (int n = 0; n < 4; ++n)
        add(n, fused(basis(0, n, 0), even[0],
                     fused(basis(0, n, 1), even[1],
                           fused(basis(1, n, 0), sloped[0], basis(1, n, 1) * sloped[1]))));
}

/// Columns of control points that a block gathers, and the tiles that hold them: three more along
/// each axis, from three before.
inline constexpr int patch = 8, patchTiles = patch + 3;

} // namespace systole::jacobian
