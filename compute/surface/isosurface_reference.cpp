#include "compute/surface/isosurface_reference.h"

#include "compute/surface/isosurface_frame.h"
#include "compute/surface/isosurface_math.h"
#include "compute/surface/isosurface_tables.h"

#include <map>
#include <utility>

namespace systole {
namespace {

template <typename Body>
void overGrid(Size3 n, const Body& body) {
    for (int z = 0; z < n.z; ++z)
        for (int y = 0; y < n.y; ++y)
            for (int x = 0; x < n.x; ++x)
                body(x, y, z);
}

} // namespace

TriangleMesh isosurfaceReference(VolumeView<const float> phi, const Geometry& geometry,
                                 SurfaceEdge edge) {
    const iso::Values values{phi, edge == SurfaceEdge::Closed ? 1 : 0};
    const iso::SurfaceFrame frame(geometry);
    const Size3 n = values.size();
    const VolumeView<const float> grid(nullptr, n);
    TriangleMesh mesh;
    std::map<std::pair<std::size_t, int>, std::uint32_t> numbers; // by voxel and axis
    overGrid(n, [&](int x, int y, int z) {
        for (int axis = 0; axis < 3; ++axis)
            if ((iso::codeOf(values, x, y, z) >> axis & 1) != 0) {
                const iso::SurfacePoint point = iso::pointOn(values, x, y, z, axis);
                numbers[{grid.offset(x, y, z), axis}] =
                    static_cast<std::uint32_t>(mesh.points.size());
                mesh.points.push_back(frame.pointOf(point));
                mesh.normals.push_back(frame.normalOf(point));
            }
    });
    overGrid({n.x - 1, n.y - 1, n.z - 1}, [&](int x, int y, int z) {
        const auto offsetOf = [&](int corner) {
            return grid.offset(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2));
        };
        std::size_t inside = 0;
        for (int corner = 0; corner < 8; ++corner)
            if (values.at(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)) < 0)
                inside |= std::size_t{1} << corner;
        const iso::CubeCase& cube = iso::cubeCases[inside];
        for (std::size_t t = 0; t < static_cast<std::size_t>(cube.triangles); ++t) {
            std::array<std::uint32_t, 3> triangle{};
            for (std::size_t corner = 0; corner < 3; ++corner) {
                const int e = cube.edges[3 * t + corner];
                triangle[corner] = numbers.at({offsetOf(iso::lowCorner(e)), e / 4});
            }
            if (frame.mirrored())
                std::swap(triangle[1], triangle[2]);
            mesh.triangles.push_back(triangle);
        }
    });
    return mesh;
}

} // namespace systole
