#include "compute/surface/carried_mesh.h"

#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_at.h"
#include "compute/surface/nearest_triangle.h"
#include "compute/surface/point_corners.h"

#include <cstddef>

namespace systole {
namespace {

constexpr int chunkPoints = 4096;

/// Cotangent of the angle at `at` between the directions to a and b; 0 where they are parallel.
double cotangent(Vec3 at, Vec3 a, Vec3 b) {
    const Vec3 u = a - at, v = b - at;
    const double sine = length(cross(u, v));
    return sine > 1e-12 ? dot(u, v) / sine : 0;
}

/// Means over a point and those that share a triangle with it.
std::vector<float> smoothed(const TriangleMesh& mesh, const PointCorners& corners,
                            const std::vector<double>& values, const ExecContext& ctx) {
    std::vector<float> means(values.size());
    overItems(values.size(), chunkPoints, ctx, [&](std::size_t point) {
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
    overItems(mesh.points.size(), chunkPoints, ctx, [&](std::size_t i) {
        const Vec3 point = widened(mesh.points[i]);
        const Vec3 by = vectorAt(field, motion.geometry.physicalToIndex(point));
        moved.points[i] = narrowed(point + motion.geometry.voxelVectorToPhysical(by));
    });
    setNormals(moved);
    return moved;
}

void setNormals(TriangleMesh& mesh) {
    std::vector<Vec3> sums(mesh.points.size());
    for (const auto& [a, b, c] : mesh.triangles) {
        const Vec3 at = pointOf(mesh, a);
        const Vec3 normal = cross(pointOf(mesh, b) - at, pointOf(mesh, c) - at);
        for (const std::uint32_t point : {a, b, c})
            sums[point] = sums[point] + normal;
    }
    mesh.normals.resize(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double size = length(sums[i]);
        mesh.normals[i] = narrowed(size > 0 ? (1 / size) * sums[i] : Vec3{});
    }
}

std::vector<float> meanCurvature(const TriangleMesh& mesh, const ExecContext& ctx) {
    const PointCorners corners(mesh);
    // The cotangent of each corner's angle; the area of each triangle, mm².
    std::vector<double> cotangents(3 * mesh.triangles.size()), areas(mesh.triangles.size());
    overItems(areas.size(), chunkPoints, ctx, [&](std::size_t t) {
        const auto& triangle = mesh.triangles[t];
        const Vec3 at[3] = {pointOf(mesh, triangle[0]), pointOf(mesh, triangle[1]),
                            pointOf(mesh, triangle[2])};
        for (std::size_t c = 0; c < 3; ++c)
            cotangents[3 * t + c] = cotangent(at[c], at[(c + 1) % 3], at[(c + 2) % 3]);
        areas[t] = length(cross(at[1] - at[0], at[2] - at[0])) / 2;
    });
    std::vector<double> curvature(mesh.points.size(), 0);
    overItems(mesh.normals.size(), chunkPoints, ctx, [&](std::size_t point) {
        const Vec3 at = widened(mesh.points[point]);
        Vec3 laplacian;
        double area = 0;
        for (const std::uint32_t corner : corners.at(point)) {
            const std::uint32_t first = corner - corner % 3, a = first + (corner + 1) % 3,
                                b = first + (corner + 2) % 3;
            const auto& triangle = mesh.triangles[corner / 3];
            // The angle at b lies opposite the side to a, and the other way round.
            laplacian = laplacian + cotangents[b] * (at - pointOf(mesh, triangle[a % 3])) +
                        cotangents[a] * (at - pointOf(mesh, triangle[b % 3]));
            area += areas[corner / 3] / 3;
        }
        if (area > 0)
            curvature[point] = dot(laplacian, widened(mesh.normals[point])) / (4 * area);
    });
    return smoothed(mesh, corners, curvature, ctx);
}

} // namespace systole
