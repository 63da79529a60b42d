// Deformation of the tissue at a point, from the derivatives of a motion: plain mathematics, no
// OpenGL.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "render/sampling_math.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Measures of F = I + ∇w, where w is the displacement in mm: J = det F, and the principal strains,
/// eigenvalues of the Green-Lagrange tensor E = (FᵀF − I) / 2.
enum class Deformation { Jacobian, LogJacobian, LargestStrain, SmallestStrain };
inline constexpr Deformation deformations[] = {Deformation::Jacobian, Deformation::LogJacobian,
                                               Deformation::LargestStrain,
                                               Deformation::SmallestStrain};
/// "jacobian", "log-jacobian", "largest-strain", "smallest-strain"
const char* name(Deformation quantity);
const char* captionOf(Deformation quantity); ///< caption of its legend
std::optional<Deformation> deformationNamed(const std::string& name);

/// I + dw/dp with displacement and position in voxels, [component][axis], by central differences
/// over a voxel to each side, one-sided at the border, none along an axis of one voxel.
Matrix3 indexGradientAt(FieldView<const float> field, Vec3 index); ///< trilinear between voxels
Matrix3 indexGradientAt(FieldView<const float> field, int x, int y, int z);

/// The value of a quantity from the indexGradientAt() of a field on the grid. Of both Jacobians it
/// is ln J, that of a determinant below 0.001 the one of 0.001.
double valueOf(Deformation quantity, const Matrix3& indexGradient, const sampling::Grid& grid);

/// The quantity in each voxel. The same bits for any number of threads.
std::vector<float> deformationMap(const VectorField& field, Deformation quantity,
                                  const ExecContext& ctx);

} // namespace systole
