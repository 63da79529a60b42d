#include "io/phantom/phantom.h"

#include "compute/core/error.h"
#include "io/phantom/artifacts.h"
#include "io/phantom/motion.h"
#include "io/phantom/texture.h"
#include "io/phantom/voxels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

/// A grid of cubes for the field of view. The middle of the ventricle's long axis lies at the
/// volume's center, LPS (0, 0, 0).
Geometry cubes(Size3 size, double fieldOfViewMillimeters) {
    const double spacing = fieldOfViewMillimeters / std::max({size.x, size.y, size.z});
    const Vec3 origin{-0.5 * (size.x - 1) * spacing, -0.5 * (size.y - 1) * spacing,
                      -0.5 * (size.z - 1) * spacing};
    return {size, {spacing, spacing, spacing}, origin};
}

/// The grid of cubes whose planes are averaged.
Geometry planesOf(const PhantomOptions& options) {
    const Size3 size = options.size;
    return cubes({size.x, size.y, size.z * options.planesPerSlice}, options.fieldOfViewMillimeters);
}

Geometry phantomGeometry(const PhantomOptions& options) {
    if (std::min({options.size.x, options.size.y, options.size.z}) < 1)
        throw ComputeError("a phantom needs at least one voxel along each axis");
    if (options.planesPerSlice < 1 || options.planesPerSlice > 64)
        throw ComputeError("a phantom's slice needs 1 to 64 planes");
    const Geometry planes = planesOf(options);
    const double spacing = planes.spacing().x, thickness = spacing * options.planesPerSlice;
    Vec3 origin = planes.indexToPhysical({0, 0, 0.5 * (options.planesPerSlice - 1)});
    return {options.size, {spacing, spacing, thickness}, origin};
}

/// out(slice) = the mean of its planes.
void averagePlanes(VolumeView<const float> planes, VolumeView<float> out, int planesPerSlice,
                   const ExecContext& ctx) {
    const auto perPlane =
        static_cast<std::size_t>(out.size.x) * static_cast<std::size_t>(out.size.y);
    parallelFor(ctx, out.size.z, 1, [&](int begin, int end) {
        for (int z = begin; z < end; ++z) {
            float* const slice = out.row(0, z);
            std::fill_n(slice, perPlane, 0.0f);
            for (int k = 0; k < planesPerSlice; ++k) {
                const float* const plane = planes.row(0, z * planesPerSlice + k);
                for (std::size_t i = 0; i < perPlane; ++i)
                    slice[i] += plane[i] / static_cast<float>(planesPerSlice);
            }
        }
    });
}

/// From LPS mm to the motion's own frame, whose origin is the center of the ellipsoids.
constexpr double centerHeight =
    -0.5 * (PhantomMotion::baseHeight - PhantomMotion::epicardialHalfLength);
Vec3 toOwn(Vec3 p) { return {p.x, p.y, p.z - centerHeight}; }
Vec3 fromOwn(Vec3 p) { return {p.x, p.y, p.z + centerHeight}; }

PhantomMotion motionOf(const PhantomOptions& options, double contraction) {
    return {contraction, options.motionScale, options.sliding};
}

/// Calls visit(flat index, position of the voxel's center in the motion's frame) in parallel.
template <class Visit>
void forEachVoxel(const Geometry& geometry, const ExecContext& ctx, const Visit& visit) {
    forEachVoxel(geometry.size(), ctx, [&](std::size_t i, int x, int y, int z) {
        visit(i, toOwn(geometry.indexToPhysical(indexOf(x, y, z))));
    });
}

void requireWithin(const char* what, double value, double low, double high) {
    if (!(value >= low && value <= high))
        throw ComputeError(
            fmt::format("the phantom's {} must lie between {:g} and {:g}", what, low, high));
}

void checkArtifacts(const PhantomOptions& options) {
    requireWithin("gain drift", options.gainDrift, 0.1, 10);
    requireWithin("bias", options.biasAmplitude, 0, 0.9);
    if (options.sectorDegrees != 0 &&
        !(options.sectorDegrees >= 20 && options.sectorDegrees <= 150))
        throw ComputeError("the phantom's sector must be 0 or between 20 and 150 degrees");
    requireWithin("dropout", options.dropout, 0, 1);
    if (options.dropout > 0 && options.look != PhantomLook::Echo)
        throw ComputeError("only the phantom's look echo has dropout");
}

} // namespace

PhantomOptions phantomPair(Size3 size) {
    PhantomOptions options;
    options.size = size;
    options.frames = 2;
    return options;
}

Phantom::Phantom(const PhantomOptions& options)
    : options_(options), geometry_(phantomGeometry(options)) {
    if (options.frames < 1)
        throw ComputeError("a phantom needs at least one frame");
    requireWithin("motion scale", options.motionScale, 0, 2);
    requireWithin("amplitude correlation", options.amplitudeCorrelation, 0, 1);
    if (options.scatterersPerVoxel < 1 || options.scatterersPerVoxel > 64)
        throw ComputeError("the phantom needs 1 to 64 scatterers per voxel");
    checkArtifacts(options);
}

double Phantom::contraction(int frame) const {
    return 0.5 * (1 - std::cos(2 * std::numbers::pi * frame / options_.frames));
}

Vec3 Phantom::forward(Vec3 p, double contraction) const {
    return fromOwn(motionOf(options_, contraction).forward(toOwn(p)));
}

Vec3 Phantom::inverse(Vec3 p, double contraction) const {
    return fromOwn(motionOf(options_, contraction).inverse(toOwn(p)));
}

void Phantom::image(int frame, VolumeView<float> voxels, const ExecContext& ctx) const {
    const PhantomMotion motion = motionOf(options_, contraction(frame));
    const auto paint = [&](const Geometry& geometry, VolumeView<float> out) {
        const PhantomScene scene{options_, geometry, frame, centerHeight, motion};
        if (options_.look == PhantomLook::Echo)
            paintEcho(scene, out, ctx);
        else
            paintCt(scene, out, ctx);
        if (options_.sectorDegrees > 0)
            forEachVoxel(geometry, ctx, [&](std::size_t i, Vec3 own) {
                if (!inSector(options_, own))
                    out.data[i] = 0;
            });
    };
    if (options_.planesPerSlice == 1) {
        paint(geometry_, voxels);
        return;
    }
    Volume planes(planesOf(options_), *ctx.pool, "phantom, planes");
    paint(planes.geometry, planes.view());
    averagePlanes(planes.view(), voxels, options_.planesPerSlice, ctx);
}

VectorField Phantom::truth(int fixedFrame, int movingFrame, const ExecContext& ctx) const {
    const PhantomMotion fixed = motionOf(options_, contraction(fixedFrame));
    const PhantomMotion moving = motionOf(options_, contraction(movingFrame));
    const bool fixedAtRest = contraction(fixedFrame) == 0;
    return trueMotion(geometry_, ctx, [&](Vec3 lps) {
        const Vec3 p = toOwn(lps);
        return moving.forward(fixedAtRest ? p : fixed.inverse(p)) - p;
    });
}

std::vector<std::uint8_t> Phantom::labels(int frame, const ExecContext& ctx) const {
    const PhantomMotion motion = motionOf(options_, contraction(frame));
    std::vector<std::uint8_t> labels(geometry_.voxels());
    forEachVoxel(geometry_, ctx, [&](std::size_t i, Vec3 p) {
        labels[i] = static_cast<std::uint8_t>(PhantomMotion::tissue(motion.inverse(p)));
    });
    return labels;
}

std::vector<std::uint8_t> Phantom::visible(int fixedFrame, int movingFrame,
                                           const ExecContext& ctx) const {
    const PhantomMotion fixed = motionOf(options_, contraction(fixedFrame));
    const PhantomMotion moving = motionOf(options_, contraction(movingFrame));
    std::vector<std::uint8_t> seen(geometry_.voxels());
    forEachVoxel(geometry_, ctx, [&](std::size_t i, Vec3 p) {
        seen[i] = inSector(options_, p) && inSector(options_, moving.forward(fixed.inverse(p)));
    });
    return seen;
}

} // namespace systole
