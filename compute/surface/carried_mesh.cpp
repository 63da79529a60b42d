#include "compute/surface/carried_mesh.h"

#include "compute/core/geometry.h"
#include "compute/ops/sample.h"
#include "compute/surface/point_corners.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace systole {
namespace {

constexpr int chunkPoints = 4096;

Vec3 vec(const std::array<float, 3>& p) {
    return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}

std::array<float, 3> floats(Vec3 v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

Vec3 displacementAt(FieldView<const float> field, Vec3 index) {
    const TrilinearSample sample(field.size, static_cast<float>(index.x),
                                 static_cast<float>(index.y), static_cast<float>(index.z));
    return {static_cast<double>(sample.of(field.u)), static_cast<double>(sample.of(field.v)),
            static_cast<double>(sample.of(field.w))};
}

/// Of the angle at `at` between the directions to a and b.
double cotangent(Vec3 at, Vec3 a, Vec3 b) {
    const Vec3 u = a - at, v = b - at;
    const double sine = length(cross(u, v));
    return sine > 1e-12 ? dot(u, v) / sine : 0;
}

/// Calls body(point) for all points, in parallel.
template <typename Body>
void overPoints(std::size_t points, const ExecContext& ctx, const Body& body) {
    parallelFor(ctx, static_cast<int>(points), chunkPoints, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            body(i);
    });
}

/// Means over a point and those that share a triangle with it.
std::vector<float> smoothed(const TriangleMesh& mesh, const PointCorners& corners,
                            const std::vector<double>& values, const ExecContext& ctx) {
    std::vector<float> means(values.size());
    overPoints(values.size(), ctx, [&](std::size_t point) {
        double sum = values[point], count = 1;
        for (const std::uint32_t corner : corners.at(point)) {
            const auto& triangle = mesh.triangles[corner / 3];
            sum += 0.5 * (values[triangle[(corner + 1) % 3]] + values[triangle[(corner + 2) % 3]]);
            count += 1;
        }
        means[point] = static_cast<float>(sum / count);
    });
    return means;
}

} // namespace

TriangleMesh carried(const TriangleMesh& mesh, const VectorField& motion, const ExecContext& ctx) {
    TriangleMesh moved = mesh;
    const FieldView<const float> field = motion.view();
    overPoints(mesh.points.size(), ctx, [&](std::size_t i) {
        const Vec3 point = vec(mesh.points[i]);
        const Vec3 by = displacementAt(field, motion.geometry.physicalToIndex(point));
        moved.points[i] = floats(point + motion.geometry.voxelVectorToPhysical(by));
    });
    setNormals(moved);
    return moved;
}

void setNormals(TriangleMesh& mesh) {
    std::vector<Vec3> sums(mesh.points.size());
    for (const auto& [a, b, c] : mesh.triangles) {
        const Vec3 at = vec(mesh.points[a]);
        const Vec3 normal = cross(vec(mesh.points[b]) - at, vec(mesh.points[c]) - at);
        for (const std::uint32_t point : {a, b, c})
            sums[point] = sums[point] + normal;
    }
    mesh.normals.resize(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double size = length(sums[i]);
        mesh.normals[i] = floats(size > 0 ? (1 / size) * sums[i] : Vec3{});
    }
}

std::vector<float> meanCurvature(const TriangleMesh& mesh, const ExecContext& ctx) {
    const PointCorners corners(mesh);
    // Of each corner, and of each triangle.
    std::vector<double> cotangents(3 * mesh.triangles.size()), areas(mesh.triangles.size());
    parallelFor(ctx, static_cast<int>(areas.size()), chunkPoints, [&](int begin, int end) {
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
            const auto& triangle = mesh.triangles[t];
            const Vec3 at[3] = {vec(mesh.points[triangle[0]]), vec(mesh.points[triangle[1]]),
                                vec(mesh.points[triangle[2]])};
            for (std::size_t c = 0; c < 3; ++c)
                cotangents[3 * t + c] = cotangent(at[c], at[(c + 1) % 3], at[(c + 2) % 3]);
            areas[t] = length(cross(at[1] - at[0], at[2] - at[0])) / 2;
        }
    });
    std::vector<double> curvature(mesh.points.size(), 0);
    overPoints(mesh.normals.size(), ctx, [&](std::size_t point) {
        const Vec3 at = vec(mesh.points[point]);
        Vec3 laplacian;
        double area = 0;
        for (const std::uint32_t corner : corners.at(point)) {
            const std::uint32_t first = corner - corner % 3, a = first + (corner + 1) % 3,
                                b = first + (corner + 2) % 3;
            const auto& triangle = mesh.triangles[corner / 3];
            // The angle at b lies opposite the side to a, and the other way round.
            laplacian = laplacian + cotangents[b] * (at - vec(mesh.points[triangle[a % 3]])) +
                        cotangents[a] * (at - vec(mesh.points[triangle[b % 3]]));
            area += areas[corner / 3] / 3;
        }
        if (area > 0)
            curvature[point] = dot(laplacian, vec(mesh.normals[point])) / (4 * area);
    });
    return smoothed(mesh, corners, curvature, ctx);
}

} // namespace systole
