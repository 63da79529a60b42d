// Checks whether displacements can be a motion at all.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <string>

namespace systole {

/// Upper bound of foldedFraction() for a motion. It is exceeded if numbers are misread, such as
/// positions as displacements, or in another frame.
inline constexpr double maxFolded = 0.5;
/// The fraction of voxels that fold, or that keep no more than a thousandth of their volume.
double foldedFraction(FieldView<const float> displacement, const ExecContext& ctx);

/// Throws FileError naming `path` where foldedFraction() is above `maxFolded` or no voxel arrives
/// inside `moving`, the grid of the image to which the field leads.
void requireMotion(const std::string& path, const MillimeterField& field, const Geometry& moving,
                   const ExecContext& ctx);

/// The displacement from the fixed to the moving image, on `fixed`, of a field that leads back.
/// Throws FileError naming `path` where a part has no inverse.
MillimeterField invertedField(const std::string& path, const MillimeterField& backward,
                              const Geometry& fixed, const ExecContext& ctx);

} // namespace systole
