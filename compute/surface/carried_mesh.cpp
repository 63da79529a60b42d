#include "compute/surface/carried_mesh.h"

#include "compute/core/geometry.h"
#include "compute/ops/sample.h"

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

/// Means over a point and those that share a triangle with it.
std::vector<float> smoothed(const TriangleMesh& mesh, const std::vector<double>& values) {
    std::vector<double> sum = values;
    std::vector<double> count(values.size(), 1);
    for (const auto& triangle : mesh.triangles)
        for (std::size_t corner = 0; corner < 3; ++corner)
            for (const std::size_t other : {(corner + 1) % 3, (corner + 2) % 3}) {
                sum[triangle[corner]] += 0.5 * values[triangle[other]];
                count[triangle[corner]] += 0.5;
            }
    std::vector<float> means(values.size());
    for (std::size_t i = 0; i < means.size(); ++i)
        means[i] = static_cast<float>(sum[i] / count[i]);
    return means;
}

} // namespace

TriangleMesh carried(const TriangleMesh& mesh, const VectorField& motion, const ExecContext& ctx) {
    TriangleMesh moved = mesh;
    const FieldView<const float> field = motion.view();
    parallelFor(ctx, static_cast<int>(mesh.points.size()), chunkPoints, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const Vec3 point = vec(mesh.points[i]);
            const Vec3 by = displacementAt(field, motion.geometry.physicalToIndex(point));
            moved.points[i] = floats(point + motion.geometry.voxelVectorToPhysical(by));
        }
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

std::vector<float> meanCurvature(const TriangleMesh& mesh) {
    const std::size_t count = mesh.points.size();
    std::vector<Vec3> laplacian(count);
    std::vector<double> area(count, 0);
    for (const auto& triangle : mesh.triangles)
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const std::uint32_t o = triangle[corner], a = triangle[(corner + 1) % 3],
                                b = triangle[(corner + 2) % 3];
            const Vec3 at = vec(mesh.points[o]), pa = vec(mesh.points[a]), pb = vec(mesh.points[b]);
            const double weight = cotangent(at, pa, pb);
            laplacian[a] = laplacian[a] + weight * (pa - pb);
            laplacian[b] = laplacian[b] + weight * (pb - pa);
            area[o] += length(cross(pa - at, pb - at)) / 6;
        }
    std::vector<double> curvature(count, 0);
    for (std::size_t i = 0; i < count && i < mesh.normals.size(); ++i)
        if (area[i] > 0)
            curvature[i] = dot(laplacian[i], vec(mesh.normals[i])) / (4 * area[i]);
    return smoothed(mesh, curvature);
}

} // namespace systole
