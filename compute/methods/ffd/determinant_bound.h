// How far a B-spline is from folding: a lower bound of det(I + ∇d) over whole tiles, not at
// samples.
//
// On a tile each derivative is a polynomial of degree 3 per axis (2 along its own), the determinant
// one of degree 8. In Bernstein form, the products of whose factors are convolutions, no value is
// below the smallest coefficient: Lorentz, Bernstein Polynomials, 1953; for tensor B-splines Choi
// and Lee, Graphical Models 62(6), 2000.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"

#include <array>
#include <vector>

namespace systole {

/// Bounds of the determinant of the displacement that control points describe, on the part of each
/// tile between the centers of the image's first and last voxels; along an axis of one voxel, on
/// the whole tile.
class DeterminantBound {
public:
    /// `unit`: lengths of a voxel along each axis. The determinant doesn't depend on them; what
    /// mildTilesOfRow() finds does.
    DeterminantBound(const ControlGrid& grid, Vec3 unit);

    /// Lower bound of the determinant on the tile, except for rounding in double precision;
    /// infinite for a tile outside the image.
    double of(FieldView<const float> points, int tx, int ty, int tz) const;

    /// Whether of() is at least `bound`, by coarser bounds where they are enough.
    bool isAtLeast(double bound, FieldView<const float> points, int tx, int ty, int tz) const;
    /// mild[tx]: whether I + ∇d is so diagonally dominant that no determinant on tile tx of the row
    /// is below `bound` (Ostrowski, 1937), derivatives no larger than differences of control
    /// points. Handles a whole row at once, in a thousandth of the time of of().
    void mildTilesOfRow(FieldView<const float> points, int ty, int tz, double bound,
                        std::vector<char>& mild) const;

private:
    /// Bernstein coefficients from the four control points of a tile: [coefficient][point].
    using Conversion = std::array<std::array<double, 4>, 4>;
    struct TilePart {
        Conversion conversion;
        double length; ///< length of the part in tiles; 0: outside the image
    };
    /// 64 values of each component on a tile, whose derivatives are at most their differences times
    /// `perLength`.
    struct Patch {
        double of[3][64];
        double perLength[3];
    };
    Patch controlPatch(FieldView<const float> points, int tx, int ty, int tz) const;
    /// Bernstein coefficients of the tile's part; false if it lies beside the image.
    bool toBernstein(Patch& patch, int tx, int ty, int tz) const;
    double dominance(const Patch& patch) const;

    ControlGrid grid_;
    Vec3 unit_;
    std::array<std::vector<TilePart>, 3> parts_; ///< parts of the tiles along each axis
};

} // namespace systole
