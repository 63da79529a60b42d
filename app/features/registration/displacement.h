// The displacement of an iteration, for the voxels that a picture shows.
#pragma once

#include "app/features/registration/iterate.h"
#include "compute/core/exec.h"
#include "compute/core/voxel_box.h"

#include <memory>

namespace systole {

/// Computes the displacement of the voxels of a box of the grid `fixed`, in its voxels; `field` has
/// the size of the box. `iterate` null: the start, with no displacement.
void displacementIn(const RegistrationIterate* iterate, const Geometry& fixed, const VoxelBox& box,
                    FieldView<float> field, const ExecContext& ctx);

/// The displacement of all voxels of the grid `fixed`, in its voxels.
std::shared_ptr<const VectorField> denseField(const RegistrationIterate* iterate,
                                              const Geometry& fixed, const ExecContext& ctx);

} // namespace systole
