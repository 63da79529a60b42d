#include "compute/surface/surface.h"

#include "compute/core/error.h"
#include "compute/surface/redistance.h"
#include "compute/surface/signed_distance.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

void requireRightAngles(const Geometry& geometry) {
    if (!geometry.isOrthonormal())
        throw ComputeError("distances need a grid whose axes are at right angles; resample the "
                           "image first");
}

/// Whether a voxel of the outermost layer is inside; an axis of one voxel has no such layer.
bool touchesEdge(VolumeView<const float> phi) {
    const Size3 n = phi.size;
    const auto isOuter = [](int i, int count) { return count > 1 && (i == 0 || i == count - 1); };
    for (int z = 0; z < n.z; ++z)
        for (int y = 0; y < n.y; ++y) {
            const bool outerRow = isOuter(z, n.z) || isOuter(y, n.y);
            const float* const row = phi.row(y, z);
            if (outerRow ? std::any_of(row, row + n.x, [](float value) { return value < 0; })
                         : n.x > 1 && (row[0] < 0 || row[n.x - 1] < 0))
                return true;
        }
    return false;
}

} // namespace

Buffer<std::uint8_t> surface::insideOf(VolumeView<const float> labels, int label,
                                       const Geometry& geometry, const ExecContext& ctx) {
    requireRightAngles(geometry);
    Buffer<std::uint8_t> inside =
        ctx.pool->acquire<std::uint8_t>(labels.voxels(), "voxels of a label");
    markLabel(labels, label, {inside.data(), labels.size}, ctx);
    const auto count = std::ranges::count(inside.span(), std::uint8_t{1});
    if (count == 0)
        throw ComputeError(fmt::format("no voxel has the label {}", label));
    if (static_cast<std::size_t>(count) == inside.size())
        throw ComputeError(fmt::format("all voxels have the label {}: there is no border", label));
    return inside;
}

void surface::checkThreshold(VolumeView<const float> values, float threshold,
                             const Geometry& geometry) {
    requireRightAngles(geometry);
    const auto [least, most] = std::ranges::minmax_element(values.span());
    if (!(*least <= threshold && threshold < *most))
        throw ComputeError(
            fmt::format("no border at the threshold {}: the gray values are {} to {}", threshold,
                        *least, *most));
}

void distanceOfLabel(VolumeView<const float> labels, int label, const Geometry& geometry,
                     VolumeView<float> phi, const ExecContext& ctx) {
    const Buffer<std::uint8_t> inside = surface::insideOf(labels, label, geometry, ctx);
    signedDistance({inside.data(), labels.size}, geometry.spacing(), phi, ctx);
}

void distanceOfThreshold(VolumeView<const float> values, float threshold, const Geometry& geometry,
                         VolumeView<float> phi, const ExecContext& ctx) {
    surface::checkThreshold(values, threshold, geometry);
    distanceToLevel(values, threshold, Inside::Above, geometry.spacing(), phi, ctx);
}

void denoiseSurface(const SurfaceMethod& method, VolumeView<float> phi, const Geometry& geometry,
                    const ParamSet& parameters, const ExecContext& ctx) {
    if (method.run)
        method.run(phi, geometry, parameters, ctx);
}

Surface surfaceOf(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
                  const ExecContext& ctx) {
    Surface surface;
    surface.mesh = isosurface(phi, geometry, edge, ctx);
    if (surface.mesh.triangles.empty())
        throw ComputeError("no surface is left: no voxel is inside, or all are");
    surface.measures = measure(surface.mesh);
    surface.touchesEdge = touchesEdge(phi);
    return surface;
}

} // namespace systole
