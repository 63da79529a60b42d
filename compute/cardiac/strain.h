// The strain of the wall in each of its voxels, from any displacement field on its grid.
#pragma once

#include "compute/cardiac/local_fit.h"
#include "compute/cardiac/ventricle.h"

#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace systole::cardiac {

/// Displacements since the reference, LPS mm, one for each voxel of a tissue.
using Displacements = std::vector<std::array<float, 3>>;

/// Those of a field. Throws ComputeError if it lies on another grid, or isn't finite in the tissue.
Displacements displacementsIn(const TissueVoxels& voxels, const MillimeterField& field);

/// By direction of the heart.
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

/// Engineering (Cauchy) strain √(nᵀCn) − 1, and Green-Lagrange strain (nᵀCn − 1) / 2.
inline double engineeringStrain(double squaredStretch) { return std::sqrt(squaredStretch) - 1; }
inline double greenStrain(double squaredStretch) { return (squaredStretch - 1) / 2; }

/// [frame][voxel of the wall]. Derivatives by polynomials of `order` over the wall alone
/// (local_fit.h). The same bits for any number of threads.
std::vector<std::vector<VoxelChange>> changesOf(const Ventricle& ventricle,
                                                std::span<const Displacements> frames, int order,
                                                const ExecContext& ctx);

/// Σ det F over the voxels of a tissue, as ml, per frame: the volume that they have been carried
/// to.
std::vector<double> carriedMilliliters(const TissueVoxels& voxels,
                                       std::span<const Displacements> frames, int order,
                                       const ExecContext& ctx);

} // namespace systole::cardiac
