// One iteration of a registration as it is kept: the whole displacement in the form in which the
// method stores it, which is smaller than the dense field where it can be.
#pragma once

#include "compute/core/buffer.h"
#include "compute/core/control_grid.h"
#include "compute/motion/registration.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace systole {

/// An iteration's place on the curves; every one has its place, kept or not.
struct RegistrationPoint : RegistrationIteration {
    int number = 0; ///< number from 1, counted over all parts and levels
    /// The smallest determinant on the level's grid, of a method without control points.
    std::optional<double> smallestJacobian;
};

struct RegistrationIterate {
    RegistrationPoint point;

    /// The control points if `isSpline`, in voxels of the fixed image; else the displacement on a
    /// level's grid, in its voxels. Planar.
    Buffer<float> values;
    Size3 size; ///< control points, or voxels of the level
    bool isSpline = false;
    ControlGrid grid; ///< control points: over the fixed image, whatever the level was
    /// Only of a field: follows it, map(x + field(x)).
    std::optional<AffineMap> following;

    int number() const { return point.number; }
    FieldView<const float> view() const { return {values.data(), size}; }
    ControlPointsView<const float> points() const { return {view(), grid}; }
    std::size_t bytes() const { return values.size() * sizeof(float); }
};

/// A copy of what the registration of an image on the grid `fixed` has after an iteration.
std::shared_ptr<const RegistrationIterate> kept(const RegistrationState& state,
                                                const RegistrationPoint& point,
                                                const Geometry& fixed, BufferPool& pool);

/// An affine map as control points, which reproduce it.
std::shared_ptr<const RegistrationIterate> keptAffine(const AffineMap& map,
                                                      const RegistrationPoint& point,
                                                      const Geometry& fixed, BufferPool& pool);

/// A displacement on the whole grid of the fixed image.
std::shared_ptr<const RegistrationIterate>
keptField(FieldView<const float> field, const RegistrationPoint& point, BufferPool& pool);

} // namespace systole
