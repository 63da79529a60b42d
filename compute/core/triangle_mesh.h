// A surface of triangles: what an isosurface is made into, what mesh files hold, and what the
// views draw.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace systole {

/// Triangles run counterclockwise seen from outside; neighbouring triangles share their points, so
/// that a closed surface has no point twice.
struct TriangleMesh {
    std::vector<std::array<float, 3>> points;  ///< LPS, mm
    std::vector<std::array<float, 3>> normals; ///< LPS, unit length, outward; one a point, or none
    std::vector<std::array<std::uint32_t, 3>> triangles; ///< indices into points
};

} // namespace systole
