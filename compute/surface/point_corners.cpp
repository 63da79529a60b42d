#include "compute/surface/point_corners.h"

#include <numeric>

namespace systole {

PointCorners::PointCorners(const TriangleMesh& mesh)
    : first_(mesh.points.size() + 1, 0), corners_(3 * mesh.triangles.size()) {
    for (const auto& triangle : mesh.triangles)
        for (const std::uint32_t point : triangle)
            ++first_[point + 1];
    std::inclusive_scan(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    std::uint32_t corner = 0;
    for (const auto& triangle : mesh.triangles)
        for (const std::uint32_t point : triangle)
            corners_[next[point]++] = corner++;
}

} // namespace systole
