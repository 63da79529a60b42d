// The levels of a free-form deformation: image sizes, control grids, and how they follow from one
// another.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/motion_estimator.h"
#include "compute/ops/index_map.h"
#include "compute/ops/pyramid.h"

#include <array>
#include <vector>

namespace systole {

struct FfdLevel {
    PyramidLevel image;                 ///< the fixed image on this level
    std::array<int, 3> factor{1, 1, 1}; ///< voxels of the finest level per voxel
    ControlGrid grid;                   ///< grid of control points, in voxels of this level
    std::array<int, 3> refinement{1, 1,
                                  1}; ///< this spacing in those of the next finer level, 1 or 2
    std::size_t moving = 0;           ///< level of the moving image's pyramid
    IndexMap map;                     ///< map from this level's voxels to those of `moving`
    /// Voxels of this level in smallest spacings of the finest level: the unit of the penalties.
    Vec3 unit{1, 1, 1};

    /// The optimizer's preconditioner, a factor per axis. Displacements are in voxels: without it
    /// a gradient's step along an axis of thick slices is their squared thickness too long.
    Vec3 metric() const {
        const Vec3 voxels = image.alongAxes(1);
        return {voxels.x * voxels.x, voxels.y * voxels.y, voxels.z * voxels.z};
    }
};

struct FfdLevels {
    std::vector<FfdLevel> levels;     ///< finest first
    std::vector<PyramidLevel> moving; ///< pyramid of the moving image, finest first

    /// Largest number of control points of a level.
    std::size_t maxPoints() const;
};

/// Masks that exist.
struct FfdMasks {
    bool fixed = false, moving = false; ///< given by the caller
    /// Both images lie on one grid, so that still surroundings (still_region.h) are looked for.
    bool still = false;

    FfdMasks(bool ofFixed, bool ofMoving, bool ofStill)
        : fixed(ofFixed), moving(ofMoving), still(ofStill) {}
    FfdMasks(const MotionInput& input, const FrameGrids& grids)
        : fixed(!input.fixedMask.empty())
        , moving(!input.movingMask.empty())
        , still(grids.fixed.matches(grids.moving)) {}
};

/// `levels`: at most so many where the fixed image has up to 255 voxels along its longest axis, one
/// more from 256 on and two from 512, unless it is 1 or 2.
/// `spacing`: distance of the control points in smallest spacings of the image, along every axis;
/// an axis of thick slices has fewer voxels per control point, at least one. A coarser level's
/// distance is that of the finer one or twice as much. All control grids have the image's middle,
/// and an even number of tiles where a coarser one's distance is twice as much: its spline is one
/// of the finer grid, too.
FfdLevels ffdLevels(const Geometry& fixed, const Geometry& moving, int levels, double spacing);
/// The grids of the input; without any, of its spacing, both the same.
FrameGrids gridsOf(const MotionInput& input);

} // namespace systole
