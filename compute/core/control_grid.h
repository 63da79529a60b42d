// The control points of a cubic B-spline displacement field over a voxel grid.
//
//     d(x) = Σ_{l,m,n=0..3} B_l(u) B_m(v) B_n(w) phi(i+l, j+m, k+n),   i = floor(p/δ), u = p/δ − i
//
// where p = x + margin/2 is measured from where the first tile begins. Rueckert et al., IEEE TMI
// 18(8), 1999, eq. 2, with control point (0, 0, 0) one spacing before that, so that indices begin
// at zero.
#pragma once

#include "compute/core/volume.h"

namespace systole {

/// One axis of a control grid. Margins are whole or half voxels: the voxels of every tile lie alike
/// in it, so that a table of weights per voxel of a tile serves all.
struct ControlAxis {
    int voxels; ///< length of the image, voxels
    int tile;   ///< voxels from one control point to the next
    int margin; ///< distance from the first tile to the first voxel, in halves of a voxel

    constexpr int tiles() const { return (2 * (voxels - 1) + margin) / (2 * tile) + 1; }
    /// One before the first tile, three from the last one on.
    constexpr int points() const { return tiles() + 3; }
    /// Whole voxels of the margin: voxel x is number x + lead of the tiles' voxels.
    constexpr int lead() const { return margin / 2; }
    constexpr int tileOf(int voxel) const { return (voxel + lead()) / tile; }
    constexpr int placeInTile(int voxel) const { return (voxel + lead()) % tile; }
    /// The voxels of a tile are begin(tile) … begin(tile + 1) − 1.
    constexpr int begin(int ofTile) const {
        const int first = ofTile * tile - lead();
        return first < 0 ? 0 : first < voxels ? first : voxels;
    }
    /// Where a voxel with this place in a tile lies in it, in tiles.
    constexpr double partOfTile(int place) const { return (place + 0.5 * (margin % 2)) / tile; }
};

/// A grid of which tile.x · tile.y · tile.z voxels share 64 control points.
struct ControlGrid {
    Size3 image; ///< the voxels that it covers
    Size3 tile;  ///< voxels from one control point to the next, at least 1
    /// Distance from the beginning of the first tile to the first voxel, in halves of a voxel: 0 …
    /// 2 · tile.
    Size3 margin{};

    /// Its middle is the image's: what is stored the other way round has the same control points
    /// the other way round. The fewest tiles that hold the voxels, a multiple of `multiple`.
    static constexpr ControlGrid centered(Size3 image, Size3 tile, Size3 multiple = {1, 1, 1}) {
        const auto marginOf = [](int n, int width, int by) {
            return (n + by * width - 1) / (by * width) * by * width - (n - 1);
        };
        return {image,
                tile,
                {marginOf(image.x, tile.x, multiple.x), marginOf(image.y, tile.y, multiple.y),
                 marginOf(image.z, tile.z, multiple.z)}};
    }

    constexpr ControlAxis axis(int a) const { return {image[a], tile[a], margin[a]}; }
    constexpr Size3 tiles() const { return {axis(0).tiles(), axis(1).tiles(), axis(2).tiles()}; }
    constexpr Size3 points() const {
        return {axis(0).points(), axis(1).points(), axis(2).points()};
    }
    /// Position of a control point in voxels of the image.
    constexpr Vec3 position(int i, int j, int k) const {
        return {(i - 1) * tile.x - 0.5 * margin.x, (j - 1) * tile.y - 0.5 * margin.y,
                (k - 1) * tile.z - 0.5 * margin.z};
    }
    bool operator==(const ControlGrid&) const = default;
};

/// Control points (displacements in voxels of the image, planar), of size grid.points().
template <typename T>
struct ControlPointsView {
    FieldView<T> values;
    ControlGrid grid;

    constexpr bool empty() const { return values.empty(); }
};

} // namespace systole
