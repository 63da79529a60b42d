// The constants and formulas of CLG's brightness match (brightness.h) that the CPU and CUDA
// implementations share.
#pragma once

#include "compute/core/geometry.h"
#include "compute/methods/clg/balance_math.h"
#include "compute/ops/sample.h"

#include <array>
#include <type_traits>

namespace systole::clg {

/// Side of a cell in smallest spacings: wide enough for a mean and a deviation of speckle, narrow
/// enough for the bias field of a coil.
inline constexpr float brightnessCell = 6;
/// Share of the mean difference of cells in the squared residual: up to the first value motion
/// alone explains it, from the second one the frames are matched fully.
struct BrightnessShares {
    double lowest, full;
};
/// Limits of coarse levels and of the finest one, which is measured after its first warp, when less
/// of the motion is left.
inline constexpr BrightnessShares coarseShares{0.26, 0.34}, finestShares{0.15, 0.25};
/// Variance in gray² added to both frames' variance, so that noise isn't stretched.
inline constexpr float brightnessVariance = 25;
/// A cell with fewer voxels inside has no coefficients of its own.
inline constexpr float minBrightnessVoxels = 0.5f;

/// A volume's division into cells; those at the upper border may be smaller.
struct BrightnessCells {
    Size3 volume, count;
    int side[3]; ///< voxels of a cell along each axis

    /// `length`: the side of a cell in smallest spacings.
    constexpr BrightnessCells(Size3 size, std::array<float, 3> scale, float length = brightnessCell)
        : volume(size), count(), side() {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int voxels = static_cast<int>(length * scale[axis] + 0.5f);
            side[axis] = voxels > 1 ? voxels : 1;
        }
        count = {(size.x + side[0] - 1) / side[0], (size.y + side[1] - 1) / side[1],
                 (size.z + side[2] - 1) / side[2]};
    }
    /// A voxel's coordinate along an axis in cells, their centers at integers.
    constexpr float position(std::size_t axis, int voxel) const {
        return (static_cast<float>(voxel) + 0.5f) / static_cast<float>(side[axis]) - 0.5f;
    }
};

/// Sums over the voxels of a cell, each weighted by how far it is inside.
struct BrightnessSums {
    float voxels, fixed, warped, fixedSquared, warpedSquared;

    constexpr void add(const BrightnessSums& other, float weight) {
        voxels += weight * other.voxels;
        fixed += weight * other.fixed;
        warped += weight * other.warped;
        fixedSquared += weight * other.fixedSquared;
        warpedSquared += weight * other.warpedSquared;
    }
};

/// The part of a cell with so many voxels inside in the squared residual that is the difference of
/// the means around it.
constexpr float meanPart(float voxels, const BrightnessSums& around) {
    const float difference = (around.warped - around.fixed) / around.voxels;
    return around.voxels < minBrightnessVoxels ? 0 : voxels * difference * difference;
}

/// How far the frames are matched, from the two parts of the squared residual.
constexpr double brightnessShare(double ofMeans, double all, const BrightnessShares& shares) {
    return ramp(all > 0 ? ofMeans / all : 0, shares.lowest, shares.full);
}

/// Matched value = gain · warped + offset.
struct BrightnessCoefficients {
    float gain, offset;
};

/// The coefficients that give the warped frame the fixed one's mean and deviation. `root` is the
/// square root of a float.
template <typename Root>
constexpr BrightnessCoefficients brightnessCoefficients(const BrightnessSums& s, const Root& root) {
    if (s.voxels < minBrightnessVoxels)
        return {1, 0};
    const float fixed = s.fixed / s.voxels, warped = s.warped / s.voxels;
    const float ofFixed = s.fixedSquared / s.voxels - fixed * fixed;
    const float ofWarped = s.warpedSquared / s.voxels - warped * warped;
    const float gain = root(((ofFixed > 0 ? ofFixed : 0) + brightnessVariance) /
                            ((ofWarped > 0 ? ofWarped : 0) + brightnessVariance));
    return {gain, fixed - gain * warped};
}

/// Weight of a neighboring cell at a distance of -1, 0 or 1 along an axis.
constexpr float neighborWeight(int distance) { return distance == 0 ? 0.5f : 0.25f; }

/// Sums over a cell and its neighbors, which smooths what follows from them; sumsAt(x, y, z) gives
/// those of a cell.
template <typename SumsAt>
constexpr auto aroundCell(Size3 count, int x, int y, int z, const SumsAt& sumsAt) {
    std::remove_cvref_t<decltype(sumsAt(x, y, z))> all{};
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                const int i = x + dx, j = y + dy, k = z + dz;
                if (i >= 0 && j >= 0 && k >= 0 && i < count.x && j < count.y && k < count.z)
                    all.add(sumsAt(i, j, k),
                            neighborWeight(dx) * neighborWeight(dy) * neighborWeight(dz));
            }
    return all;
}

/// The value of a voxel matched as far as `share` tells, with coefficients interpolated between the
/// centers of cells.
constexpr float matched(const BrightnessCells& cells, const BrightnessCoefficients* coefficients,
                        float share, int x, int y, int z, float value) {
    const TrilinearSample at(cells.count, cells.position(0, x), cells.position(1, y),
                             cells.position(2, z));
    const float gain = at.of([=](std::size_t i) { return coefficients[i].gain; });
    const float offset = at.of([=](std::size_t i) { return coefficients[i].offset; });
    return value + share * (gain * value + offset - value);
}

} // namespace systole::clg
