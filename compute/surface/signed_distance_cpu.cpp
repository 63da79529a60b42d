#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/grid_lines.h"
#include "compute/surface/lower_envelope.h"
#include "compute/surface/signed_distance.h"
#include "compute/surface/signed_distance_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

constexpr float unknown = std::numeric_limits<float>::infinity();

/// Squared distances along x to the faces across it.
void alongRows(VolumeView<const std::uint8_t> inside, float spacing, VolumeView<float> squared,
               const ExecContext& ctx) {
    overLines(inside.size, 0, ctx, [&] {
        return [&](const GridLine& line) {
            const std::uint8_t* const side = inside.data + line.first;
            float* const out = squared.data + line.first;
            const auto sweep = [&](int first, int last, int step) {
                float distance = unknown; // in voxels
                for (int i = first; i != last; i += step) {
                    distance += 1;
                    if (i != first && (side[i] != 0) != (side[i - step] != 0))
                        distance = 0.5f;
                    const float millimeters = distance * spacing;
                    out[i] = step > 0 ? millimeters * millimeters
                                      : std::min(out[i], millimeters * millimeters);
                }
            };
            sweep(0, line.count, 1);
            sweep(line.count - 1, -1, -1);
        };
    });
}

void alongAxis(VolumeView<const std::uint8_t> inside, int axis, float spacing,
               VolumeView<float> squared, const ExecContext& ctx) {
    const int count = inside.size[axis];
    overLines(inside.size, axis, ctx, [&] {
        return [&,
                envelope = LowerEnvelope(spacing * spacing, count)](const GridLine& line) mutable {
            envelope.clear();
            for (int i = 0; i + 1 < count; ++i) {
                const std::size_t here = line.at(i), next = line.at(i + 1);
                const float height =
                    distance::betweenVoxels((inside.data[here] != 0) != (inside.data[next] != 0),
                                            squared.data[here], squared.data[next]);
                if (height < unknown)
                    envelope.push(static_cast<float>(i) + 0.5f, height);
            }
            envelope.evaluate(count, [&](int i, float value, std::int32_t) {
                float& voxel = squared.data[line.at(i)];
                voxel = std::min(voxel, value);
            });
        };
    });
}

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
                    faces.push_back({axis, 0.5 * (voxelPoint(x + to[0], y + to[1], z + to[2]))});
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

/// Looks at every face for every voxel, in float64: quadratic in the number of voxels.
void signedDistanceReference(VolumeView<const std::uint8_t> inside, Vec3 spacing,
                             VolumeView<float> phi, const ExecContext& ctx) {
    const std::vector<Face> faces = facesOf(inside);
    if (faces.empty())
        throw distance::noBorder(inside(0, 0, 0) != 0, "the mask");
    overVoxels(inside.size, ctx, [&](int x, int y, int z) {
        double squared = INFINITY;
        for (const Face& face : faces)
            squared = std::min(squared, squaredDistance(face, voxelPoint(x, y, z), spacing));
        const double distance = std::sqrt(squared);
        phi(x, y, z) = static_cast<float>(inside(x, y, z) != 0 ? -distance : distance);
    });
}

} // namespace

void markLabel(VolumeView<const float> labels, int label, VolumeView<std::uint8_t> inside,
               const ExecContext& ctx) {
    distance::requireSameSize(labels.size, inside.size);
    overVoxels(labels.size, ctx, [&](int x, int y, int z) {
        inside(x, y, z) = std::lround(labels(x, y, z)) == label ? 1 : 0;
    });
}

void signedDistance(VolumeView<const std::uint8_t> inside, Vec3 spacing, VolumeView<float> phi,
                    const ExecContext& ctx) {
    distance::requireSameSize(inside.size, phi.size);
    if (ctx.backend == Backend::CpuReference)
        return signedDistanceReference(inside, spacing, phi, ctx);
    const ScopedSpan span(ctx.profile, "distance", "signed distance",
                          29 * static_cast<double>(phi.voxels()));
    alongRows(inside, static_cast<float>(spacing.x), phi, ctx);
    alongAxis(inside, 1, static_cast<float>(spacing.y), phi, ctx);
    alongAxis(inside, 2, static_cast<float>(spacing.z), phi, ctx);
    // A face anywhere reaches every voxel.
    if (phi(0, 0, 0) == unknown)
        throw distance::noBorder(inside(0, 0, 0) != 0, "the mask");
    overVoxels(phi.size, ctx, [&](int x, int y, int z) {
        const float distance = std::sqrt(phi(x, y, z));
        phi(x, y, z) = inside(x, y, z) != 0 ? -distance : distance;
    });
}

} // namespace systole
