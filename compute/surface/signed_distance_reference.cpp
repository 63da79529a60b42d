#include "compute/surface/signed_distance_reference.h"

#include "compute/ops/over_voxels.h"
#include "compute/surface/signed_distance_math.h"

#include <cmath>
#include <vector>

namespace systole {
namespace {

/// A face across `axis`, between the voxels `at` − 1/2 and `at` + 1/2 of that axis.
struct Face {
    int axis;
    Vec3 at; ///< its center, in voxels
};

std::vector<Face> facesOf(VolumeView<const std::uint8_t> inside) {
    std::vector<Face> faces;
    const Size3 size = inside.size;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                for (int axis = 0; axis < 3; ++axis) {
                    const int to[3] = {x + (axis == 0), y + (axis == 1), z + (axis == 2)};
                    if (to[axis] == size[axis] ||
                        (inside(x, y, z) != 0) == (inside(to[0], to[1], to[2]) != 0))
                        continue;
                    faces.push_back({axis, 0.5 * (Vec3{static_cast<double>(x + to[0]),
                                                       static_cast<double>(y + to[1]),
                                                       static_cast<double>(z + to[2])})});
                }
    return faces;
}

/// The squared distance in mm of a point to a rectangle across its axis.
double squaredDistance(const Face& face, Vec3 point, Vec3 spacing) {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        const double along = std::abs(point[a] - face.at[a]);
        const double beside = a == face.axis ? along : std::max(0.0, along - 0.5);
        sum += beside * spacing[a] * beside * spacing[a];
    }
    return sum;
}

} // namespace

void signedDistanceReference(VolumeView<const std::uint8_t> inside, Vec3 spacing,
                             VolumeView<float> phi, const ExecContext& ctx) {
    const std::vector<Face> faces = facesOf(inside);
    if (faces.empty())
        throw distance::noBorder(inside(0, 0, 0) != 0, "the mask");
    overVoxels(inside.size, ctx, [&](int x, int y, int z) {
        const Vec3 point{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        double squared = INFINITY;
        for (const Face& face : faces)
            squared = std::min(squared, squaredDistance(face, point, spacing));
        const double distance = std::sqrt(squared);
        phi(x, y, z) = static_cast<float>(inside(x, y, z) != 0 ? -distance : distance);
    });
}

} // namespace systole
