#include "compute/core/points.h"
#include "compute/ops/decimation.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_at.h"
#include "compute/ops/two_grids.h"

#include <algorithm>
#include <array>

namespace systole {
namespace {

/// The weights of a cubic B-spline's four control points. Rueckert et al. 1999, eq. 2.
std::array<double, 4> splineWeights(double u) {
    const double v = 1 - u;
    return {v * v * v / 6, (3 * u * u * u - 6 * u * u + 4) / 6,
            (-3 * u * u * u + 3 * u * u + 3 * u + 1) / 6, u * u * u / 6};
}

/// The four control points that reach a position along an axis of n of them.
struct SplineAxis {
    int first;
    std::array<double, 4> weights;

    SplineAxis(double position, int n) {
        const double clamped = std::clamp(position, 1.0, static_cast<double>(n - 2));
        const int below = std::min(static_cast<int>(clamped), n - 3);
        first = below - 1;
        weights = splineWeights(clamped - below);
    }
};

/// field(x) = what `millimeters(index in from)` gives for the voxel, on the grid `to`.
template <typename Sample>
VectorField resampled(const Geometry& from, const Geometry& to, const char* name,
                      const ExecContext& ctx, const Sample& millimeters) {
    VectorField result(to, *ctx.pool, name);
    const FieldView<float> field = result.view();
    const AffineMap map = indexAffine(to, from);
    overVoxels(to.size(), ctx, [&](int x, int y, int z) {
        const Vec3 voxels = to.physicalVectorToVoxel(millimeters(map(voxelPoint(x, y, z))));
        const std::size_t i = field.componentView(0).offset(x, y, z);
        for (int axis = 0; axis < 3; ++axis)
            field.component(axis)[i] = static_cast<float>(voxels[axis]);
    });
    return result;
}

} // namespace

Vec3 decimationShift(Size3 size, Size3 factor) {
    return {decimationShift(size.x, factor.x), decimationShift(size.y, factor.y),
            decimationShift(size.z, factor.z)};
}

AffineMap indexAffine(const Geometry& from, const Geometry& to, const AffineMap& map) {
    const AffineMap toPhysical{from.voxelToPhysicalMatrix(), from.origin()};
    const Matrix3& toIndex = to.physicalToVoxelMatrix();
    const AffineMap fromPhysical{toIndex, -1.0 * (toIndex * to.origin())};
    return compose(fromPhysical, compose(map, toPhysical));
}

void appendAffine(const AffineMap& map, const Geometry& fixed, FieldView<float> field,
                  const ExecContext& ctx) {
    const AffineMap inVoxels = indexAffine(fixed, fixed, map);
    overVoxels(field.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = field.componentView(0).offset(x, y, z);
        const Vec3 at = voxelPoint(x, y, z);
        const Vec3 displacement = inVoxels(at + vectorOf(field, i)) - at;
        for (int axis = 0; axis < 3; ++axis)
            field.component(axis)[i] = static_cast<float>(displacement[axis]);
    });
}

void addAffine(const AffineMap& map, const Geometry& image, ControlPointsView<float> points) {
    const AffineMap inVoxels = indexAffine(image, image, map);
    const Size3 n = points.values.size;
    for (int k = 0; k < n.z; ++k)
        for (int j = 0; j < n.y; ++j)
            for (int i = 0; i < n.x; ++i) {
                const Vec3 at = points.grid.position(i, j, k);
                const Vec3 displacement = inVoxels(at) - at;
                for (int axis = 0; axis < 3; ++axis)
                    points.values.componentView(axis)(i, j, k) +=
                        static_cast<float>(displacement[axis]);
            }
}

Geometry controlGeometry(const Geometry& image, const ControlGrid& grid) {
    const Vec3 spacing = image.spacing();
    return {grid.points(),
            {grid.tile.x * spacing.x, grid.tile.y * spacing.y, grid.tile.z * spacing.z},
            image.indexToPhysical(grid.position(0, 0, 0)),
            image.direction()};
}

VectorField fieldOnGrid(const MillimeterField& field, const Geometry& grid,
                        const ExecContext& ctx) {
    if (field.geometry.matches(grid))
        return toVoxels(field, *ctx.pool);
    const float* vectors = field.vectors.data();
    const Size3 size = field.geometry.size();
    return resampled(field.geometry, grid, "field on another grid", ctx, [&](Vec3 index) {
        const TrilinearSample sample = trilinearAt(size, index);
        Vec3 millimeters;
        for (std::size_t axis = 0; axis < 3; ++axis)
            millimeters[static_cast<int>(axis)] = static_cast<double>(
                sample.of([=](std::size_t i) { return vectors[3 * i + axis]; }));
        return millimeters;
    });
}

VectorField splineOnGrid(const MillimeterField& controlPoints, const Geometry& grid,
                         const ExecContext& ctx) {
    const Size3 size = controlPoints.geometry.size();
    const float* vectors = controlPoints.vectors.data();
    const VolumeView<const float> at(vectors, size);
    return resampled(controlPoints.geometry, grid, "field of a spline", ctx, [&](Vec3 index) {
        const SplineAxis alongX(index.x, size.x), alongY(index.y, size.y), alongZ(index.z, size.z);
        Vec3 sum;
        for (std::size_t n = 0; n < 4; ++n)
            for (std::size_t m = 0; m < 4; ++m) {
                const double weight = alongZ.weights[n] * alongY.weights[m];
                const std::size_t row = at.offset(alongX.first, alongY.first + static_cast<int>(m),
                                                  alongZ.first + static_cast<int>(n));
                for (std::size_t l = 0; l < 4; ++l)
                    for (std::size_t axis = 0; axis < 3; ++axis)
                        sum[static_cast<int>(axis)] +=
                            weight * alongX.weights[l] *
                            static_cast<double>(vectors[3 * (row + l) + axis]);
            }
        return sum;
    });
}

} // namespace systole
