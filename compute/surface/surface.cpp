#include "compute/surface/surface.h"

#include "compute/core/error.h"
#include "compute/surface/redistance.h"
#include "compute/surface/signed_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

void requireRightAngles(const Geometry& geometry) {
    if (!geometry.isOrthonormal())
        throw ComputeError("distances need a grid whose axes are at right angles; resample the "
                           "image first");
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
    const auto [lowest, highest] = std::ranges::minmax_element(values.span());
    if (!(*lowest <= threshold && threshold < *highest))
        throw ComputeError(
            fmt::format("no border at the threshold {}: the gray values are {} to {}", threshold,
                        *lowest, *highest));
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

DenoiseReport denoiseSurface(const SurfaceMethod& method, VolumeView<float> phi,
                             const Geometry& geometry, const ParamSet& parameters,
                             const ExecContext& ctx) {
    return method.run ? method.run(phi, geometry, parameters, ctx) : DenoiseReport{};
}

Surface surfaceOf(VolumeView<const float> phi, const Geometry& geometry, SurfaceEdge edge,
                  const ExecContext& ctx) {
    Surface surface;
    surface.mesh = isosurface(phi, geometry, edge, ctx);
    if (surface.mesh.triangles.empty())
        throw ComputeError("no surface is left: no voxel is inside, or all are");
    surface.measures = measure(surface.mesh);
    surface.touchesEdge =
        edge == SurfaceEdge::Closed ? hasLid(surface.mesh, geometry) : !surface.measures.closed();
    return surface;
}

bool hasLid(const TriangleMesh& mesh, const Geometry& geometry) {
    constexpr double beyond = 0.25; // voxels; a lid is half a voxel beyond the last centers
    const Size3 size = geometry.size();
    return std::ranges::any_of(mesh.points, [&](const auto& point) {
        const Vec3 index =
            geometry.physicalToIndex({double{point[0]}, double{point[1]}, double{point[2]}});
        for (int axis = 0; axis < 3; ++axis)
            if (size[axis] > 1 && (index[axis] < -beyond || index[axis] > size[axis] - 1 + beyond))
                return true;
        return false;
    });
}

std::string edgeNote(std::size_t touching, std::size_t frames) {
    const std::string where =
        frames == 1 ? "" : fmt::format(" in {} of {} frames", touching, frames);
    return fmt::format("the inside reaches the edge of the image{}; what lies beyond is unknown",
                       where);
}

EnclosedVolume volumeOfLabel(VolumeView<const std::uint8_t> labels, std::uint8_t label,
                             const Geometry& geometry, const ExecContext& ctx) {
    Buffer<std::uint8_t> inside =
        ctx.pool->acquire<std::uint8_t>(labels.voxels(), "voxels of a label");
    std::transform(labels.data, labels.data + labels.voxels(), inside.data(),
                   [label](std::uint8_t value) { return value == label ? 1 : 0; });
    if (std::ranges::count(inside.span(), std::uint8_t{1}) == 0)
        return {};
    Volume phi(geometry, *ctx.pool, "signed distance");
    signedDistance({inside.data(), labels.size}, geometry.spacing(), phi.view(), ctx);
    const TriangleMesh mesh = isosurface(phi.view(), geometry, SurfaceEdge::Closed, ctx);
    return {std::abs(measureSize(mesh, ctx).volumeCubicMillimeters) / 1000, hasLid(mesh, geometry)};
}

} // namespace systole
