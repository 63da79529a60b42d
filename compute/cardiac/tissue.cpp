#include "compute/cardiac/tissue.h"

#include "compute/core/affine_map.h"
#include "compute/core/neighbors.h"

#include <cmath>

namespace systole::cardiac {
namespace {

std::size_t offsetIn(Size3 size, int x, int y, int z) {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(size.x) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(size.y) * static_cast<std::size_t>(z));
}

std::array<int, 3> placeIn(Size3 size, std::size_t offset) {
    const auto nx = static_cast<std::size_t>(size.x), ny = static_cast<std::size_t>(size.y);
    return {static_cast<int>(offset % nx), static_cast<int>(offset / nx % ny),
            static_cast<int>(offset / (nx * ny))};
}

/// All voxels of a piece that has `first`; marks them in `seen`.
std::vector<std::size_t> pieceFrom(const TissueMap& map, std::size_t first,
                                   std::vector<bool>& seen) {
    const Size3 size = map.grid.size();
    std::vector<std::size_t> piece{first};
    seen[first] = true;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        const auto [x, y, z] = placeIn(size, piece[i]);
        overFaces(size, x, y, z, [&](int a, int b, int c) {
            const std::size_t next = offsetIn(size, a, b, c);
            if (!seen[next] && map.at[next] == map.at[first]) {
                seen[next] = true;
                piece.push_back(next);
            }
        });
    }
    return piece;
}

} // namespace

std::int32_t TissueVoxels::place(int x, int y, int z) const {
    const Size3 size = grid.size();
    if (x < 0 || y < 0 || z < 0 || x >= size.x || y >= size.y || z >= size.z)
        return -1;
    return placeOf[offsetIn(size, x, y, z)];
}

std::size_t TissueVoxels::offset(std::size_t i) const {
    return offsetIn(grid.size(), index[i][0], index[i][1], index[i][2]);
}

double TissueVoxels::voxelMilliliters() const {
    return std::abs(determinant(grid.voxelToPhysicalMatrix())) / 1000;
}

TissueVoxels largestPiece(const TissueMap& map, Tissue tissue) {
    std::vector<bool> seen(map.at.size());
    std::vector<std::size_t> largest;
    for (std::size_t i = 0; i < map.at.size(); ++i)
        if (map.at[i] == tissue && !seen[i])
            if (std::vector<std::size_t> piece = pieceFrom(map, i, seen);
                piece.size() > largest.size())
                largest = std::move(piece);
    TissueVoxels voxels{map.grid, {}, std::vector<std::int32_t>(map.at.size(), -1)};
    for (const std::size_t i : largest)
        voxels.placeOf[i] = 0;
    for (std::size_t i = 0; i < map.at.size(); ++i)
        if (voxels.placeOf[i] == 0) {
            voxels.placeOf[i] = static_cast<std::int32_t>(voxels.index.size());
            voxels.index.push_back(placeIn(map.grid.size(), i));
        }
    return voxels;
}

} // namespace systole::cardiac
