// Area, volume and topology of a triangle mesh, and whether it is a closed surface.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/triangle_mesh.h"

#include <cstddef>

namespace systole {

struct MeshMeasures {
    double areaSquareMillimeters = 0;
    /// Enclosed by a closed surface, by the divergence theorem; negative if it is turned inside
    /// out. NaN for any other.
    double volumeCubicMillimeters = 0;
    std::size_t points = 0; ///< number of points that triangles use
    std::size_t triangles = 0;
    std::size_t edges = 0;
    std::size_t rimEdges = 0; ///< edges of a single triangle
    std::size_t badEdges =
        0; ///< edges of more than two triangles, or of two that run along it the same way
    std::size_t components = 0; ///< parts that share no point
    /// points − edges + triangles: 2 for each part that is a sphere, 2 less for each handle.
    long long eulerCharacteristic = 0;

    /// Every edge has two triangles that run along it in opposite directions.
    bool closed() const { return triangles > 0 && rimEdges == 0 && badEdges == 0; }
    /// Handles of all parts of a closed surface.
    long long handles() const {
        return static_cast<long long>(components) - eulerCharacteristic / 2;
    }
};

/// All measures, on one thread. Indices of triangles must be valid.
MeshMeasures measure(const TriangleMesh& mesh);

/// The measures that a surface on the screen needs, in parallel: the numbers of points and parts
/// and Euler's number stay 0. Sums are rounded differently than by measure().
MeshMeasures measureSize(const TriangleMesh& mesh, const ExecContext& ctx);

} // namespace systole
