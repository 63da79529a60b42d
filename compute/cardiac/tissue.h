// The tissues of a left ventricle on a grid, and the voxels of one of them as a list.
#pragma once

#include "compute/core/geometry.h"

#include <array>
#include <cstdint>
#include <vector>

namespace systole::cardiac {

enum class Tissue : std::uint8_t { Other, Cavity, Wall, RightVentricle };

/// Tissue of each voxel at the reference, end diastole.
struct TissueMap {
    Geometry grid;
    std::vector<Tissue> at; ///< x fastest
    bool isShape = false;   ///< no labels say so: the shape of shellOfPoints()
};

/// The voxels of one tissue, in the order of the grid.
struct TissueVoxels {
    Geometry grid;
    std::vector<std::array<int, 3>> index;
    std::vector<std::int32_t> placeOf; ///< place of each voxel of the grid in the list, or -1

    std::size_t count() const { return index.size(); }
    Vec3 indexPoint(std::size_t i) const {
        return {static_cast<double>(index[i][0]), static_cast<double>(index[i][1]),
                static_cast<double>(index[i][2])};
    }
    Vec3 position(std::size_t i) const { return grid.indexToPhysical(indexPoint(i)); } ///< LPS mm
    std::size_t offset(std::size_t i) const; ///< index in `placeOf`
    /// -1 beyond the grid, too.
    std::int32_t place(int x, int y, int z) const;
    double voxelMilliliters() const;
};

/// The largest piece of a tissue; pieces join by faces. Empty if it doesn't occur.
TissueVoxels largestPiece(const TissueMap& map, Tissue tissue);

} // namespace systole::cardiac
