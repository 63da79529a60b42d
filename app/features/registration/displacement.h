// The displacement of an iteration, for the voxels that a picture shows.
#pragma once

#include "app/features/registration/iterate.h"
#include "compute/core/exec.h"
#include "compute/core/voxel_box.h"

#include <memory>

namespace systole {

/// For the voxels of a box of the grid `fixed`, in its voxels; `field` has the box' size. Null:
/// zero, the start.
void displacementIn(const RegistrationIterate* iterate, const Geometry& fixed, const VoxelBox& box,
                    FieldView<float> field, const ExecContext& ctx);

/// The same of the whole grid.
std::shared_ptr<const VectorField> denseField(const RegistrationIterate* iterate,
                                              const Geometry& fixed, const ExecContext& ctx);

} // namespace systole
