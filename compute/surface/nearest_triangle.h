// The nearest point of a surface, by a tree of boxes around its triangles.
#pragma once

#include "compute/core/points.h"
#include "compute/core/triangle_mesh.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace systole {

inline Vec3 pointOf(const TriangleMesh& mesh, std::uint32_t index) {
    return widened(mesh.points[index]);
}

/// The point of the triangle abc that is nearest to p. (Ericson, Real-Time Collision Detection,
/// 2005, 5.1.5: by the region of Voronoi's that p lies in.)
Vec3 nearestOfTriangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c);

class NearestTriangle {
public:
    /// Keeps a reference to the mesh, which has at least one triangle and valid indices.
    explicit NearestTriangle(const TriangleMesh& mesh);

    struct Found {
        double squaredDistance = std::numeric_limits<double>::infinity();
        Vec3 point;
        std::uint32_t triangle = 0;
    };
    /// The nearest triangle to p. `start` is looked at first: a triangle that is near already saves
    /// time and changes no distance.
    Found to(Vec3 p, std::uint32_t start = 0) const;

private:
    struct Box : Bounds {
        double squaredDistanceTo(Vec3 p) const;
    };
    Box boxOf(std::size_t begin, std::size_t end) const;
    void build(std::size_t node, std::size_t begin, std::size_t end);
    void search(std::size_t node, std::size_t begin, std::size_t end, Vec3 p, Found& found) const;
    void look(std::uint32_t triangle, Vec3 p, Found& found) const;

    const TriangleMesh& mesh_;
    std::vector<std::uint32_t>
        order_;              ///< triangle indices; a node is a range, its children the halves
    std::vector<Box> boxes_; ///< box of each node n, whose children are 2n + 1 and 2n + 2
};

} // namespace systole
