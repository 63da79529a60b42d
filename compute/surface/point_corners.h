// Lists of the corners of a mesh's triangles at each of its points: sums over the triangles around
// a point, by any number of threads in the same order.
#pragma once

#include "compute/core/triangle_mesh.h"

#include <cstdint>
#include <span>
#include <vector>

namespace systole {

class PointCorners {
public:
    /// Indices of triangles must be valid.
    explicit PointCorners(const TriangleMesh& mesh);

    /// Ascending; corner c of triangle t is 3 t + c.
    std::span<const std::uint32_t> at(std::size_t point) const {
        return std::span(corners_).subspan(first_[point], first_[point + 1] - first_[point]);
    }
    std::size_t points() const { return first_.size() - 1; }

private:
    std::vector<std::uint32_t> first_, corners_;
};

} // namespace systole
