// Wide Gaussian smoothing on a grid of half the resolution: cell means, the Gaussian there, linear
// interpolation back. What a wide Gaussian leaves has nothing that the coarse grid couldn't hold;
// an eighth of the voxels are smoothed, with half the taps along each axis.
//
// Both grids have the same middle (decimation.h). Along a halved axis of even length a cell is two
// voxels and a voxel lies a quarter of a cell from the nearest middle; along one of odd length a
// cell is a voxel and half of either neighbor, and voxels lie in or between middles. Cell mean and
// interpolation together add a variance of 1 voxel² (odd: ½ and 1½, voxel by voxel), which the
// coarse Gaussian has less. Beyond the border the nearest voxel is repeated.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/ops/decimation.h"

#include <array>
#include <functional>

namespace systole {

/// Axes are halved from this standard deviation on, in voxels.
inline constexpr double minHalvedSigma = 3;

/// The coarse grid along one axis, for loops of CPU and CUDA.
struct HalvedAxis {
    int fine, coarse;
    bool halved, even; ///< even: `fine` is

    constexpr HalvedAxis(int voxels, bool halve)
        : fine(voxels)
        , coarse(decimatedVoxels(voxels, halve ? 2 : 1))
        , halved(halve)
        , even(voxels % 2 == 0) {}

    /// A cell's voxels, clamped to the grid, are first(i) … first(i) + count() − 1.
    constexpr int count() const { return !halved ? 1 : even ? 2 : 3; }
    constexpr int first(int cell) const { return !halved ? cell : 2 * cell - (even ? 0 : 1); }
    constexpr float weight(int k) const { return !halved ? 1.0f : even || k == 1 ? 0.5f : 0.25f; }
    constexpr int clamped(int voxel) const {
        return voxel < 0 ? 0 : voxel >= fine ? fine - 1 : voxel;
    }

    /// A voxel's value is that of cell `lower` and of the next one, the latter times `share`; both
    /// cells are to be clamped.
    constexpr int lower(int voxel) const {
        return !halved ? voxel : even ? (voxel + 1) / 2 - 1 : voxel / 2;
    }
    constexpr float share(int voxel) const {
        if (!halved)
            return 0;
        const bool odd = voxel % 2 != 0;
        return even ? (odd ? 0.25f : 0.75f) : (odd ? 0.5f : 0.0f);
    }
    constexpr int clampedCell(int cell) const {
        return cell < 0 ? 0 : cell >= coarse ? coarse - 1 : cell;
    }
};

struct HalvedGrid {
    HalvedAxis x, y, z;
    Vec3 sigma; ///< sigma of the remaining smoothing, in its voxels

    /// The grid of smoothHalved().
    HalvedGrid(Size3 size, Vec3 sigmaVoxels);
    /// The grid of a decimation, for values that stay on it: cell means alone have less variance.
    HalvedGrid(Size3 size, std::array<int, 3> factor, Vec3 sigmaVoxels);
    Size3 size() const { return {x.coarse, y.coarse, z.coarse}; }
    bool halves() const { return x.halved || y.halved || z.halved; }
};

/// Smooths in place; `smooth` does it with the Gaussian of a sigma per axis, in voxels.
void smoothHalved(VolumeView<float> volume, Vec3 sigmaVoxels,
                  const std::function<void(VolumeView<float>, Vec3)>& smooth,
                  const ExecContext& ctx);

/// `out` has the halved grid.
void cellMeans(VolumeView<const float> in, const HalvedGrid& grid, VolumeView<float> out,
               const ExecContext& ctx);

/// Linear between the values of cells, those of `in`; `out` has the fine grid.
void betweenCells(VolumeView<const float> in, const HalvedGrid& grid, VolumeView<float> out,
                  const ExecContext& ctx);

/// Bytes and flops that one call declares, and the most that it takes from ctx.pool when `smooth`
/// is smoothGaussian().
double smoothHalvedBytes(Size3 size, Vec3 sigmaVoxels);
double smoothHalvedFlops(Size3 size, Vec3 sigmaVoxels);
std::size_t smoothHalvedScratch(Size3 size, Vec3 sigmaVoxels);

} // namespace systole
