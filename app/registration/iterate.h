// One iteration of a registration as it is kept: the displacement in the form in which the method
// stores it, which is smaller than the dense field where it can be.
#pragma once

#include "compute/core/buffer.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstddef>
#include <memory>

namespace systole {

struct RegistrationIterate {
    int number = 0;               ///< over all levels, from 1
    int level = 0, iteration = 0; ///< as in IterationState
    double energy = 0;            ///< what the method minimizes, on the grid of its level
    double bending = 0;           ///< bendingOf() what is stored

    /// The control points if `isSpline`, else the displacement on the level's grid; planar, in the
    /// level's voxels.
    Buffer<float> values;
    Size3 size; ///< of the control points, or of the level
    bool isSpline = false;
    ControlGrid grid; ///< only of control points

    FieldView<const float> view() const { return {values.data(), size}; }
    std::size_t bytes() const { return values.size() * sizeof(float); }
};

/// A copy of what the method has after an iteration.
std::shared_ptr<const RegistrationIterate> kept(const IterationState& state, int number,
                                                BufferPool& pool);

/// Mean of the squared second differences along the axes, in voxels of the field: how much it
/// bends, the same figure for every method.
double bendingOf(FieldView<const float> field);

/// The dense displacement on the grid of the fixed image, in its voxels.
std::shared_ptr<const VectorField> denseField(const RegistrationIterate& iterate,
                                              const Geometry& fixed, const ExecContext& ctx);

} // namespace systole
