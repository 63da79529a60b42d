// Criterion for folds of a displacement, shared by the implementations for processors and CUDA.
// Fields and differences are in voxels.
//
// A field is trilinear between eight voxels, a cell. The columns of I + ∇w are then means of the
// cell's four edges along each axis, and the determinant is a polynomial of the second degree in
// each of three coordinates: the least of its 27 Bernstein coefficients bounds it from below in the
// whole cell (Farin, Curves and Surfaces for CAGD, 1988). The eight coefficients at the corners are
// its values there, and the determinant of central differences at a voxel is the mean over the
// corners that meet in it (determinants are linear in each column).
#pragma once

#include "compute/core/neighbors.h"
#include "compute/core/unroll.h"
#include "compute/core/volume.h"

namespace systole::folds {

/// A cell counts as folded if the determinant may be below this in it, and so do its corners.
inline constexpr float minDeterminant = 0.01f;
/// While no edge is steeper, no determinant can be below minDeterminant: it is at least (1 − L)³.
inline constexpr float gentleEdge = 0.78f;
/// Steepness up to which a step is composed as it is: every determinant is at least 1/8.
inline constexpr float gentleStep = 0.5f;
inline constexpr int maxSquarings = 3;
/// Rounds of averaging around folded voxels.
inline constexpr int maxRounds = 48;

struct Edge {
    float x, y, z;
};

/// Difference from one voxel to its neighbor ahead, given as offsets.
constexpr Edge edgeBetween(const FieldView<const float>& field, std::size_t from, std::size_t to) {
    return {field.u[to] - field.u[from], field.v[to] - field.v[from], field.w[to] - field.w[from]};
}

/// |dx| + |dy| + |dz|: the largest over all edges is the Lipschitz constant of the interpolated
/// displacement in that norm.
constexpr float steepnessOf(const Edge& e) {
    const auto magnitude = [](float value) { return value < 0 ? -value : value; };
    return magnitude(e.x) + magnitude(e.y) + magnitude(e.z);
}

/// The edges between the eight voxels from (x, y, z) ahead. Along an axis of one voxel they are
/// zero. Loops are not unrolled: on a device the few cells that are looked at would take registers
/// from all threads.
struct Cell {
    Edge along[3][4]; ///< edges along an axis, the next axis' near and far side fastest

    constexpr Cell(const FieldView<const float>& field, int x, int y, int z) : along{} {
        const Size3 size = field.size;
        const auto row = static_cast<std::size_t>(size.x);
        const std::size_t here = field.componentView(0).offset(x, y, z),
                          ahead[3] = {size.x > 1 ? 1u : 0u, size.y > 1 ? row : 0,
                                      size.z > 1 ? row * static_cast<std::size_t>(size.y) : 0};
        SYSTOLE_NO_UNROLL
        for (int axis = 0; axis < 3; ++axis) {
            SYSTOLE_NO_UNROLL
            for (int side = 0; side < 4; ++side) {
                const std::size_t from = here + ((side & 1) != 0 ? ahead[(axis + 1) % 3] : 0) +
                                         ((side & 2) != 0 ? ahead[(axis + 2) % 3] : 0);
                along[axis][side] = edgeBetween(field, from, from + ahead[axis]);
            }
        }
    }

    /// Lower bound of the determinant in the cell, coarser than the coefficients: columns are means
    /// of edges, so that their diagonal dominates by no less than the smallest of an edge's
    /// (Ostrowski, 1937). 0 where the diagonal doesn't dominate.
    constexpr float dominance() const {
        const auto magnitude = [](float value) { return value < 0 ? -value : value; };
        float product = 1;
        for (int axis = 0; axis < 3; ++axis) {
            float least = 3.4e38f;
            for (const Edge& e : along[axis]) {
                const float diagonal = axis == 0 ? e.x : axis == 1 ? e.y : e.z;
                const float value = 1 + diagonal + magnitude(diagonal) - steepnessOf(e);
                if (!(value > 0))
                    return 0;
                least = value < least ? value : least;
            }
            product *= least;
        }
        return product;
    }

    struct Coefficients {
        double of[27]; ///< x fastest
    };
    /// Bernstein coefficients of the determinant, from float edges without rounding that counts.
    constexpr Coefficients coefficients() const {
        Coefficients all{};
        for (int s = 0; s < 4; ++s)       // y and z of the edge along x
            for (int t = 0; t < 4; ++t) { // z and x of that along y
                const Edge &a = along[0][s], &b = along[1][t];
                const double i[3] = {1.0 + a.x, a.y, a.z}, j[3] = {b.x, 1.0 + b.y, b.z};
                const double normal[3] = {i[1] * j[2] - i[2] * j[1], i[2] * j[0] - i[0] * j[2],
                                          i[0] * j[1] - i[1] * j[0]};
                SYSTOLE_NO_UNROLL
                for (int r = 0; r < 4; ++r) { // x and y of that along z
                    const Edge& c = along[2][r];
                    const int atX = (t >> 1) + (r & 1), atY = (s & 1) + (r >> 1),
                              atZ = (s >> 1) + (t & 1);
                    all.of[atX + 3 * (atY + 3 * atZ)] +=
                        share(atX) * share(atY) * share(atZ) *
                        (normal[0] * c.x + normal[1] * c.y + normal[2] * (1.0 + c.z));
                }
            }
        return all;
    }

    /// Whether the determinant is proven to be above `least`, 0 or more, in the whole cell.
    constexpr bool isAbove(float least) const {
        if (dominance() > least)
            return true;
        const Coefficients all = coefficients();
        for (const double value : all.of)
            if (!(value > static_cast<double>(least)))
                return false;
        return true;
    }

private:
    /// Two products of linear functions make the middle one of three of the second degree.
    static constexpr double share(int index) { return index == 1 ? 0.5 : 1.0; }
};

/// Cells along an axis of so many voxels; along an axis of one voxel there is one.
constexpr int cellsAlong(int voxels) { return voxels > 1 ? voxels - 1 : 1; }

/// Whether the voxel is a corner of a cell that folds; foldedCell(x, y, z) says so of the cell from
/// there ahead.
template <typename FoldedCell>
constexpr bool atFoldedCell(Size3 size, int x, int y, int z, const FoldedCell& foldedCell) {
    for (int k = z > 0 ? z - 1 : 0; k <= z && k < cellsAlong(size.z); ++k)
        for (int j = y > 0 ? y - 1 : 0; j <= y && j < cellsAlong(size.y); ++j)
            for (int i = x > 0 ? x - 1 : 0; i <= x && i < cellsAlong(size.x); ++i)
                if (foldedCell(i, j, k))
                    return true;
    return false;
}

/// The factor on a field of this steepness that leaves every edge gentle.
constexpr float gentleFactor(float steepness) {
    return steepness > gentleEdge ? 0.95f * gentleEdge / steepness : 1.0f;
}

/// Squarings after which a step of this steepness is the exponential of one of gentleStep, and the
/// factor on the step before them: less than 2^-squarings where maxSquarings doesn't suffice.
struct Scaling {
    int squarings = 0;
    float factor = 1;
};
constexpr Scaling scalingOf(float steepness) {
    Scaling scaling;
    while (scaling.squarings < maxSquarings && scaling.factor * steepness > gentleStep) {
        ++scaling.squarings;
        scaling.factor *= 0.5f;
    }
    if (scaling.factor * steepness > gentleStep)
        scaling.factor = gentleStep / steepness;
    return scaling;
}

/// Whether one of the 27 voxels around (x, y, z), itself included, is marked.
constexpr bool nearMark(const VolumeView<const float>& marks, int x, int y, int z) {
    const Size3 size = marks.size;
    for (int k = z > 0 ? z - 1 : 0; k <= z + 1 && k < size.z; ++k)
        for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < size.y; ++j)
            for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < size.x; ++i)
                if (marks(i, j, k) != 0)
                    return true;
    return false;
}

/// The mean of the voxel's neighbors along the axes, of one component.
constexpr float meanOfNeighbors(const VolumeView<const float>& v, int x, int y, int z) {
    float sum = 0;
    int count = 0;
    overFaces(v.size, x, y, z, [&](int i, int j, int k) {
        sum += v(i, j, k);
        ++count;
    });
    return count > 0 ? sum / static_cast<float>(count) : v(x, y, z);
}

} // namespace systole::folds
