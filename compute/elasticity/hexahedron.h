// The stiffness of a voxel as an 8-node element of isotropic linear elasticity.
#pragma once

#include "compute/core/geometry.h"

#include <array>

namespace systole::elasticity {

struct ElasticMaterial {
    /// Young's modulus, greater than 0; displacements don't depend on its unit.
    double youngsModulus = 1;
    /// Poisson's ratio, greater than -1 and less than 0.5; muscle hardly changes its volume.
    double poissonRatio = 0.45;
};

/// [row][column]; row 3 n + c is component c of corner n, which lies at (n & 1, n >> 1 & 1, n >> 2)
/// along x, y, z.
using HexahedronMatrix = std::array<std::array<double, 24>, 24>;

/// Half of uᵀ K u is the energy of the displacement u, in mm along the axes of a box with these
/// edges in mm. Trilinear shape functions, 2 × 2 × 2 Gauss points, and the dilatation averaged over
/// the element (B-bar, Hughes, IJNME 15 (1980)), so that it doesn't lock near a ratio of 0.5.
/// Throws ComputeError if the edges or the material are outside their ranges.
HexahedronMatrix hexahedronStiffness(Vec3 edges, const ElasticMaterial& material);

} // namespace systole::elasticity
