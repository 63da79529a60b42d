// Displacements of a tissue's voxels, and what strain of a voxel is.
#pragma once

#include "compute/cardiac/tissue.h"
#include "compute/core/volume.h"

#include <array>
#include <vector>

namespace systole::cardiac {

/// Displacements since the reference, LPS mm, one for each voxel of a tissue.
using Displacements = std::vector<std::array<float, 3>>;

/// Displacements of a field at the voxels. Throws ComputeError if it lies on another grid, or isn't
/// finite in the tissue.
Displacements displacementsIn(const TissueVoxels& voxels, const MillimeterField& field);

/// A number per direction of the heart.
struct Directions {
    double longitudinal = 0, circumferential = 0, radial = 0;

    double& operator[](int k) { return k == 0 ? longitudinal : k == 1 ? circumferential : radial; }
    double operator[](int k) const {
        return k == 0 ? longitudinal : k == 1 ? circumferential : radial;
    }
};
inline constexpr const char* directionNames[] = {"longitudinal", "circumferential", "radial"};

/// How a voxel's tissue has changed since the reference.
struct VoxelChange {
    Directions stretch; ///< squared: nᵀCn with C = FᵀF, F = I + ∇u, n a direction at the reference
    double jacobian = 1; ///< det F: its volume over that at the reference
};

} // namespace systole::cardiac
