// The B-spline field on the CPU as the literature has it, tile by tile, in SIMD with the
// instruction set chosen at run time (as compute/ops/row_kernels.h). Zachariadis et al., Comput.
// Methods Programs Biomed. 193, 2020: "rows" is NiftyReg's way, the others share a tile's control
// points.
#pragma once

#include "compute/core/control_grid.h"

#include <vector>

namespace systole::bspline {

/// The tables of a tile: weights and interpolations of each voxel of a tile.
struct TileTables {
    explicit TileTables(const ControlGrid& grid);

    /// Four weights of each voxel, behind one another.
    std::vector<float> weights[3];
    /// Factors along x: each of the three interpolations of all voxels, padded by a vector.
    std::vector<float> low, high, between;
    /// {low, high, between} of each voxel.
    std::vector<float> mixes[3];
    /// Factors of each voxel for eight sub-cubes of 2×2×2 points: low or high, as the sub-cube's
    /// half of that axis says.
    std::vector<float> halves[3];
};

struct TileInput {
    ControlPointsView<const float> points;
    FieldView<float> field;
    const TileTables* tables;
};

/// The voxels of all tiles in the row of tiles (j, k). For each of its rows of voxels the products
/// of the weights of y and z, for each voxel those with x: 64 products with control points that are
/// copied once per tile, four in a vector.
void fieldByRows(const TileInput& in, int j, int k);
/// Nine trilinear interpolations, the voxels of a tile's row in a vector of eight.
void fieldByVectorPerTile(const TileInput& in, int j, int k);
/// The eight sub-cubes of a voxel in a vector of eight; the ninth interpolation value by value.
void fieldByVectorPerVoxel(const TileInput& in, int j, int k);

} // namespace systole::bspline
