// Registration of two images: an affine map first, then a motion method from there. What
// `systole register`, its benchmark and a viewer's panel share.
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/control_grid.h"
#include "compute/core/motion_estimator.h"
#include "compute/methods/ffd/affine.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Two images, each on its own grid. Besides the masks, voxels that aren't known (Volume::known)
/// don't count.
struct RegistrationImages {
    const Volume* fixed = nullptr;
    const Volume* moving = nullptr;
    const Volume* fixedMask = nullptr;  ///< weights 0 to 1 on the fixed grid; null: everywhere
    const Volume* movingMask = nullptr; ///< weights 0 to 1 on the moving grid; null: everywhere

    FrameGrids grids() const { return {fixed->geometry, moving->geometry}; }
};

/// Where the registration starts; both empty: where the images lie in space.
struct RegistrationStart {
    std::optional<AffineMap> affine;
    const VectorField* field = nullptr; ///< displacement on the fixed grid, in its voxels
};

/// An iteration of one of the parts.
struct RegistrationIteration {
    std::string part; ///< "affine" or the method's name
    int level = 0, iteration = 0;
    double energy = 0;             ///< energy that the part minimizes
    std::optional<double> penalty; ///< its weighted penalties, in the energy; empty: it has none
};

/// State of the registration after an iteration; valid during the call.
struct RegistrationState {
    const RegistrationIteration& iteration;
    /// The map of the affine part; with `method`, that which it started from. Null: none.
    const AffineMap* affine = nullptr;
    const IterationState* method = nullptr; ///< null: this is the affine part
    /// The method works on one grid: the affine map follows its motion. Otherwise its field
    /// includes the map, and the field of its control points is added to the map's.
    bool affineFollows = false;
};

struct RegistrationPlan {
    std::optional<AffineParameters> affine; ///< empty: no affine registration
    Backend affineBackend = Backend::Cpu;
    const MotionMethod* method = nullptr; ///< null: the affine map alone
    std::optional<ParamSet> parameters;   ///< parameters of the method
    Backend methodBackend = Backend::Cpu;
    /// Keep the method's energies (RegistrationResult::iterations): it is then observed, which
    /// costs time, above all where its field comes from a device.
    bool keepIterations = false;
    /// Called on this thread after each iteration of both parts; costs as much. May be empty.
    std::function<void(const RegistrationState&)> observe{};
};

struct RegistrationResult {
    /// The displacement from the fixed to the moving image, in voxels of the fixed grid.
    VectorField displacement;
    /// The affine part: found, or that of the start; empty if there is none.
    std::optional<AffineMap> affine;
    std::optional<AffineResult> affineReport;
    std::optional<MotionReport> methodReport;
    /// The whole displacement as control points (voxels), if the method has them and started from
    /// an affine map or none; its grid covers the fixed image.
    VectorField controlPoints;
    std::optional<ControlGrid> controlGrid;
    /// Iterations of the affine registration (energy 1 − similarity), and, if kept, of the method.
    std::vector<RegistrationIteration> iterations;
    double affineSeconds = 0, methodSeconds = 0;
};

/// Share of the fixed image's voxels whose points under the start lie inside the moving grid, from
/// a lattice of voxels.
double gridOverlap(const FrameGrids& grids, const RegistrationStart& start);

/// A method that doesn't allow two grids gets the moving image resampled through the start, and
/// its motion is composed with it; likewise the moving mask, and what the moving image doesn't
/// reach doesn't count. With a start that is a field there is no affine registration. ctx.backend
/// is replaced by the plan's, ctx.iteration by its `observe`. Throws ComputeError, also for a
/// constant image, for images that don't overlap without an affine registration, and for masks that
/// leave no voxel in common; Cancelled.
RegistrationResult registerImages(const RegistrationImages& images, const RegistrationStart& start,
                                  const RegistrationPlan& plan, const ExecContext& ctx);

/// The gray range of both images together, for methods that compare gray values.
IntensityScale sharedScale(const Volume& fixed, const Volume& moving);

} // namespace systole
