#include "compute/surface/segment.h"

#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/surface/segment_parts.h"
#include "compute/surface/segment_seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace systole {
namespace {

/// Chambers smaller than that of a grown heart, as of a fetus, are enlarged to it: everything in
/// mm that the search knows (ranges, windows, the thickness of a wall) is that of a grown one.
constexpr double grownLength = 60; ///< mm from apex to mitral ring
/// mm, of a ball as large as the chamber: of a grown heart at end systole, the largest that is
/// looked at again enlarged, and of a fetus.
constexpr double grownRadius = 20, smallRadius = 14, fetalRadius = 6;

void checkPoint(const Geometry& grid, Vec3 lps, const char* what) {
    if (isInside(grid, lps))
        return;
    Bounds box;
    for (int corner = 0; corner < 8; ++corner) {
        Vec3 index;
        for (int axis = 0; axis < 3; ++axis)
            index[axis] = (corner >> axis & 1) != 0 ? grid.size()[axis] - 0.5 : -0.5;
        box.add(grid.indexToPhysical(index));
    }
    throw ComputeError(fmt::format("{} at ({:.5g}, {:.5g}, {:.5g}) mm LPS lies outside the image, "
                                   "which spans {:.5g} to {:.5g}, {:.5g} to {:.5g} and {:.5g} to "
                                   "{:.5g} mm",
                                   what, lps.x, lps.y, lps.z, box.low.x, box.high.x, box.low.y,
                                   box.high.y, box.low.z, box.high.z));
}

} // namespace

void requireSeeds(const Geometry& grid, const SegmentSeeds& seeds) {
    if (seeds.click.has_value() == seeds.points.has_value())
        throw ComputeError("a segmentation starts from one click or from three points");
    if (seeds.click) {
        checkPoint(grid, *seeds.click, "the seed");
        return;
    }
    checkPoint(grid, seeds.points->apex, "the apex");
    checkPoint(grid, seeds.points->mitral, "the middle of the mitral ring");
    checkPoint(grid, seeds.points->rightVentricle, "the insertion of the right ventricle");
    checkVentricle(*seeds.points);
}

namespace {

/// Whether the wall that was found holds the point, or comes near it.
bool wallHolds(const Segmentation& found, Vec3 lps) {
    constexpr double near = 3; // mm
    const Geometry& grid = found.signedDistance.geometry;
    const VolumeView<const float> view = found.signedDistance.view();
    const Vec3 at = grid.physicalToIndex(lps), spacing = grid.spacing();
    int low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double reach = near / spacing[axis];
        low[axis] = std::max(static_cast<int>(std::lround(at[axis] - reach)), 0);
        high[axis] = std::min(static_cast<int>(std::lround(at[axis] + reach)), view.size[axis] - 1);
    }
    for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1]; y <= high[1]; ++y)
            for (int x = low[0]; x <= high[0]; ++x)
                if (found.labels[view.offset(x, y, z)] == wallLabel)
                    return true;
    return false;
}

/// Tries the chambers beside the click until one has the click in its wall.
Segmentation segmentFromWall(const Volume& frame, const StoredFrame& stored, Vec3 click,
                             const SegmentOptions& options, const ExecContext& ctx) {
    const SegmentGrid grid =
        segmentGrid(frame, boxAround(frame.geometry, click, options.reachMillimeters + 8),
                    coarseSpacing, stored, ctx);
    checkData(grid, click);
    SegmentOptions fromInside = options;
    fromInside.clickInWall = false;
    fromInside.wall = true;
    for (const Vec3 center : chambersBeside(grid, click, ctx))
        try {
            SegmentSeeds seeds;
            seeds.click = center;
            Segmentation found = segmentGrownHeart(frame, stored, seeds, fromInside, nullptr, ctx);
            if (wallHolds(found, click))
                return found;
        } catch (const Cancelled&) {
            throw;
        } catch (const ComputeError&) {
            // A region that isn't a chamber leaks or has no border: the next one may be a chamber.
        }
    throw NoneOfThatSize(
        "no chamber was found whose wall holds the click; click inside the chamber "
        "instead, or name three points");
}

/// The frame, or a distance in it, with all lengths so many times as long.
Volume enlarged(const Volume& volume, double factor, const ExecContext& ctx) {
    const Geometry& grid = volume.geometry;
    Volume out(
        Geometry(grid.size(), factor * grid.spacing(), factor * grid.origin(), grid.direction()),
        *ctx.pool, "enlarged image");
    std::ranges::copy(volume.voxels.span(), out.voxels.data());
    return out;
}

void multiply(Volume& distance, double factor) {
    for (float& value : distance.voxels.span())
        value *= static_cast<float>(factor);
}

/// `options` of the frame as it is stored, for one with lengths that are `factor` times as long. A
/// heart of that size reaches no farther and holds no more than a grown one, unless that is allowed
/// to do more.
SegmentOptions enlarged(const SegmentOptions& options, double factor) {
    const SegmentOptions usual;
    const auto atMost = [](double all, double own, double grown) {
        return std::min(all, std::max(own, grown));
    };
    SegmentOptions its = options;
    its.reachMillimeters =
        atMost(factor * options.reachMillimeters, options.reachMillimeters, usual.reachMillimeters);
    its.largestMilliliters = atMost(factor * factor * factor * options.largestMilliliters,
                                    options.largestMilliliters, usual.largestMilliliters);
    if (options.leashMillimeters)
        its.leashMillimeters = factor * *options.leashMillimeters;
    if (options.wallMilliliters)
        its.wallMilliliters = factor * factor * factor * *options.wallMilliliters;
    return its;
}

Segmentation segmentEnlarged(const Volume& frame, StoredFrame stored, const SegmentSeeds& seeds,
                             const SegmentOptions& options, const Volume* previous, double factor,
                             const ExecContext& ctx) {
    stored.enlargement = factor;
    const Volume large = enlarged(frame, factor, ctx);
    Volume before;
    if (previous) {
        before = enlarged(*previous, factor, ctx);
        multiply(before, factor);
    }
    SegmentSeeds there = seeds;
    if (seeds.click)
        there.click = factor * *seeds.click;
    else
        there.points = VentriclePoints{factor * seeds.points->apex, factor * seeds.points->mitral,
                                       factor * seeds.points->rightVentricle};
    const SegmentOptions its = enlarged(options, factor);
    Segmentation found =
        options.clickInWall && !previous
            ? segmentFromWall(large, stored, *there.click, its, ctx)
            : segmentGrownHeart(large, stored, there, its, previous ? &before : nullptr, ctx);
    found.signedDistance.geometry = frame.geometry;
    multiply(found.signedDistance, 1 / factor);
    found.milliliters = stored.milliliters(found.milliliters);
    found.wallMilliliters = stored.milliliters(found.wallMilliliters);
    return found;
}

/// A click says nothing about the size.
Segmentation segmentFromClick(const Volume& frame, const StoredFrame& stored,
                              const SegmentSeeds& seeds, const SegmentOptions& options,
                              const ExecContext& ctx) {
    std::optional<Segmentation> found;
    std::exception_ptr reason;
    try {
        found = options.clickInWall
                    ? segmentFromWall(frame, stored, *seeds.click, options, ctx)
                    : segmentGrownHeart(frame, stored, seeds, options, nullptr, ctx);
    } catch (const NoneOfThatSize&) {
        reason = std::current_exception();
    }
    const double radius = found ? radiusOfBall(found->milliliters) : fetalRadius;
    if (radius > smallRadius)
        return std::move(*found);
    try {
        return segmentEnlarged(frame, stored, seeds, options, nullptr, grownRadius / radius, ctx);
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError&) {
        if (reason)
            std::rethrow_exception(reason);
        return std::move(*found);
    }
}

} // namespace

void requireSegmentGrid(const Geometry& grid) {
    const Size3 size = grid.size();
    if (std::min({size.x, size.y, size.z}) < 2)
        throw ComputeError(fmt::format("a surface needs a volume, but the image has {} x {} x {} "
                                       "voxels: one slice is not enough",
                                       size.x, size.y, size.z));
    if (!grid.isOrthonormal())
        throw ComputeError("a segmentation needs a grid whose axes are at right angles; resample "
                           "the image first");
}

void checkFrame(const Volume& frame) {
    requireSegmentGrid(frame.geometry);
    for (const float value : frame.voxels.span())
        if (!std::isfinite(value))
            throw ComputeError("the image has values that are not finite numbers");
}

void checkData(const SegmentGrid& grid, Vec3 click) {
    if (!grid.isKnown(click))
        throw ComputeError("the point lies in the background, where the image has no data; place "
                           "it inside a chamber");
}

Segmentation segmentFrame(const Volume& frame, const SegmentSeeds& seeds,
                          const SegmentOptions& options, const Volume* previous,
                          const ExecContext& ctx) {
    checkFrame(frame);
    requireSeeds(frame.geometry, seeds);
    if (options.clickInWall && !previous && !seeds.click)
        throw ComputeError("a segmentation from a wall starts from one click");
    const StoredFrame stored = storedFrame(frame);
    double size = 1; // times that of a grown heart
    if (previous) {
        if (!previous->geometry.matches(frame.geometry))
            throw ComputeError("the contour of the frame before must be on the grid of the frame");
        size = radiusOfBall(millilitersInside(*previous)) / grownRadius;
    } else if (seeds.points) {
        size = length(seeds.points->mitral - seeds.points->apex) / grownLength;
    }
    if (size > 0 && size < 1)
        return segmentEnlarged(frame, stored, seeds, options, previous, 1 / size, ctx);
    if (previous || seeds.points)
        return segmentGrownHeart(frame, stored, seeds, options, previous, ctx);
    return segmentFromClick(frame, stored, seeds, options, ctx);
}

} // namespace systole
