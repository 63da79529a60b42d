#include "io/phantom/phantom.h"

#include "compute/core/error.h"
#include "io/phantom/artifacts.h"
#include "io/phantom/motion.h"
#include "io/phantom/texture.h"
#include "io/phantom/voxels.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace systole {
namespace {

/// The grid of the planes that slices are averaged from. The middle of the field of view lies at
/// LPS (0, 0, 0).
Geometry planesOf(const PhantomOptions& options) {
    const Size3 size{options.size.x, options.size.y, options.size.z * options.planesPerSlice};
    const double longest = std::max<double>(
        {static_cast<double>(size.x), static_cast<double>(size.y), size.z * options.voxelHeight});
    const double width = options.fieldOfViewMillimeters / longest,
                 height = width * options.voxelHeight;
    const Vec3 origin{-0.5 * (size.x - 1) * width, -0.5 * (size.y - 1) * width,
                      -0.5 * (size.z - 1) * height};
    return {size, {width, width, height}, origin};
}

Geometry phantomGeometry(const PhantomOptions& options) {
    phantomTable().valuesOf(options); // throws for a number outside its range
    if (std::min({options.size.x, options.size.y, options.size.z}) < 1)
        throw ComputeError("a phantom needs at least one voxel along each axis");
    const Geometry planes = planesOf(options);
    const Vec3 spacing = planes.spacing();
    const Vec3 origin = planes.indexToPhysical({0, 0, 0.5 * (options.planesPerSlice - 1)});
    const double distance = spacing.z * options.planesPerSlice;
    if (options.sliceThickness > distance * (1 + 1e-9))
        throw ComputeError(fmt::format("the phantom's slices can't be thicker than they are apart, "
                                       "{:.4g} mm: 'slice-thickness' is {:.4g}",
                                       distance, options.sliceThickness));
    if (options.planesPerSlice == 1 && options.sliceThickness > 0 &&
        options.sliceThickness < distance * (1 - 1e-9))
        throw ComputeError("a gap between the phantom's slices needs 'planes-per-slice' above 1: "
                           "'slice-thickness' chooses among a slice's planes");
    return {options.size, {spacing.x, spacing.y, distance}, origin};
}

/// How much of each plane of a slice lies within the slice's thickness, 0 to 1.
std::vector<double> partsSeen(const PhantomOptions& options) {
    const int planes = options.planesPerSlice;
    const double height = planesOf(options).spacing().z;
    const double half =
        0.5 * (options.sliceThickness > 0 ? options.sliceThickness / height : planes);
    std::vector<double> parts;
    for (int k = 0; k < planes; ++k) {
        const double low = k - 0.5 * planes;
        parts.push_back(std::max(0.0, std::min(low + 1, half) - std::max(low, -half)));
    }
    return parts;
}

/// out(slice) = the mean of what is seen of its planes.
void averagePlanes(VolumeView<const float> planes, VolumeView<float> out,
                   const std::vector<double>& parts, const ExecContext& ctx) {
    const auto perPlane =
        static_cast<std::size_t>(out.size.x) * static_cast<std::size_t>(out.size.y);
    const double seen = std::accumulate(parts.begin(), parts.end(), 0.0);
    const int planesPerSlice = static_cast<int>(parts.size());
    parallelFor(ctx, out.size.z, 1, [&](int begin, int end) {
        for (int z = begin; z < end; ++z) {
            float* const slice = out.row(0, z);
            std::fill_n(slice, perPlane, 0.0f);
            for (int k = 0; k < planesPerSlice; ++k) {
                const double part = parts[static_cast<std::size_t>(k)];
                if (part == 0)
                    continue;
                const float* const plane = planes.row(0, z * planesPerSlice + k);
                for (std::size_t i = 0; i < perPlane; ++i)
                    slice[i] += plane[i] / static_cast<float>(seen / part);
            }
        }
    });
}

PhantomMotion motionOf(const PhantomOptions& options, double contraction) {
    return {options.heart, contraction, options.motionScale, options.sliding};
}

/// Calls visit(flat index, position of the voxel's center, LPS mm) in parallel.
template <class Visit>
void forEachVoxel(const Geometry& geometry, const ExecContext& ctx, const Visit& visit) {
    forEachVoxel(geometry.size(), ctx, [&](std::size_t i, int x, int y, int z) {
        visit(i, geometry.indexToPhysical(indexOf(x, y, z)));
    });
}

void checkTogether(const PhantomOptions& options) {
    if (options.sectorDegrees != 0 && options.sectorDegrees < 20)
        throw ComputeError("the phantom's sector must be 0 or between 20 and 150 degrees");
    if (options.sliding && options.heart.infarctDegrees > 0)
        throw ComputeError("a phantom that slides has no infarct");
    if (options.heart.baseHeight >= options.heart.epicardialHalfLength())
        throw ComputeError("the phantom's base must lie below the top of the ellipsoid that it "
                           "cuts off, half-length plus wall");
    if (!motionOf(options, 1).invertible())
        throw ComputeError("the phantom's motion would fold: it needs less shortening, twist or "
                           "motion-scale, or no infarct");
    if (options.look != PhantomLook::Echo &&
        std::max({options.dropout, options.shadow, options.lateralGrowth}) > 0)
        throw ComputeError("only the phantom's look echo has dropout, shadows and a point spread "
                           "that grows with depth");
}

} // namespace

PhantomOptions phantomPair(Size3 size) {
    PhantomOptions options;
    options.size = size;
    options.frames = 2;
    return options;
}

Phantom::Phantom(const PhantomOptions& options)
    : options_(options), geometry_(phantomGeometry(options)), pose_(options.heart) {
    if (options.frames < 1)
        throw ComputeError("a phantom needs at least one frame");
    checkTogether(options);
}

double Phantom::contraction(int frame) const {
    return 0.5 * (1 - std::cos(2 * std::numbers::pi * frame / options_.frames));
}

Vec3 Phantom::forward(Vec3 p, double contraction) const {
    return pose_.fromOwn(motionOf(options_, contraction).forward(pose_.toOwn(p)));
}

Vec3 Phantom::inverse(Vec3 p, double contraction) const {
    return pose_.fromOwn(motionOf(options_, contraction).inverse(pose_.toOwn(p)));
}

void Phantom::image(int frame, VolumeView<float> voxels, const ExecContext& ctx) const {
    const PhantomMotion motion = motionOf(options_, contraction(frame));
    const auto paint = [&](const Geometry& geometry, VolumeView<float> out) {
        const PhantomScene scene{options_, geometry, frame, pose_, motion};
        if (options_.look == PhantomLook::Echo)
            paintEcho(scene, out, ctx);
        else
            paintCt(scene, out, ctx);
        if (options_.sectorDegrees > 0)
            forEachVoxel(geometry, ctx, [&](std::size_t i, Vec3 lps) {
                if (!inSector(options_, lps))
                    out.data[i] = 0;
            });
    };
    if (options_.planesPerSlice == 1) {
        paint(geometry_, voxels);
        return;
    }
    Volume planes(planesOf(options_), *ctx.pool, "phantom, planes");
    paint(planes.geometry, planes.view());
    averagePlanes(planes.view(), voxels, partsSeen(options_), ctx);
}

VectorField Phantom::truth(int fixedFrame, int movingFrame, const ExecContext& ctx) const {
    const PhantomMotion fixed = motionOf(options_, contraction(fixedFrame));
    const PhantomMotion moving = motionOf(options_, contraction(movingFrame));
    const bool fixedAtRest = contraction(fixedFrame) == 0;
    return trueMotion(geometry_, ctx, [&](Vec3 lps) {
        const Vec3 p = pose_.toOwn(lps);
        return pose_.turnedFromOwn(moving.forward(fixedAtRest ? p : fixed.inverse(p)) - p);
    });
}

std::vector<std::uint8_t> Phantom::labels(int frame, const ExecContext& ctx) const {
    const PhantomMotion motion = motionOf(options_, contraction(frame));
    std::vector<std::uint8_t> labels(geometry_.voxels());
    forEachVoxel(geometry_, ctx, [&](std::size_t i, Vec3 lps) {
        labels[i] =
            static_cast<std::uint8_t>(options_.heart.tissue(motion.inverse(pose_.toOwn(lps))));
    });
    return labels;
}

std::vector<std::uint8_t> Phantom::visible(int fixedFrame, int movingFrame,
                                           const ExecContext& ctx) const {
    const PhantomMotion fixed = motionOf(options_, contraction(fixedFrame));
    const PhantomMotion moving = motionOf(options_, contraction(movingFrame));
    std::vector<std::uint8_t> seen(geometry_.voxels());
    forEachVoxel(geometry_, ctx, [&](std::size_t i, Vec3 lps) {
        seen[i] =
            inSector(options_, lps) &&
            inSector(options_, pose_.fromOwn(moving.forward(fixed.inverse(pose_.toOwn(lps)))));
    });
    return seen;
}

} // namespace systole
