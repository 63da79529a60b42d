#include "compute/surface/chamber_tracker.h"

#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/ops/sample_at.h"
#include "compute/surface/segment_parts.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

constexpr double cubeMillimeters = 2.5;
constexpr double marginMillimeters = 25; ///< margin of the tracked box around the first chamber

/// Position in the last frame of a point of the first: x + w(x) = p by fixed-point iteration.
Vec3 carried(const VectorField& toFirst, Vec3 lps) {
    constexpr int iterations = 20;
    const Vec3 wanted = toFirst.geometry.physicalToIndex(lps);
    Vec3 index = wanted;
    for (int i = 0; i < iterations; ++i)
        index = wanted - vectorAt(toFirst.view(), index);
    return toFirst.geometry.indexToPhysical(index);
}

SegmentSeeds carried(const VectorField& toFirst, const SegmentSeeds& seeds) {
    SegmentSeeds moved;
    if (seeds.click)
        moved.click = carried(toFirst, *seeds.click);
    if (seeds.points)
        moved.points = VentriclePoints{carried(toFirst, seeds.points->apex),
                                       carried(toFirst, seeds.points->mitral),
                                       carried(toFirst, seeds.points->rightVentricle)};
    return moved;
}

Volume carried(const VectorField& toFirst, const Volume& distance, const ExecContext& ctx) {
    Volume moved(distance.geometry, *ctx.pool, "carried chamber");
    const VolumeView<float> phi = moved.view();
    const Geometry &image = distance.geometry, &cubes = toFirst.geometry;
    overVoxels(phi.size, ctx, [&](int x, int y, int z) {
        const Vec3 index = cubes.physicalToIndex(centerOfVoxel(image, x, y, z));
        phi(x, y, z) =
            sampledAt(distance, cubes.indexToPhysical(index + vectorAt(toFirst.view(), index)));
    });
    return moved;
}

} // namespace

ChamberTracker::ChamberTracker(const SegmentSeeds& seeds, const SegmentOptions& options,
                               MotionBetween motion)
    : seeds_(seeds), options_(options), motion_(std::move(motion)) {
    if (!options_.leashMillimeters)
        options_.leashMillimeters = trackerLeash;
}

Segmentation ChamberTracker::first(const Volume& frame, const ExecContext& ctx) {
    Segmentation found = segmentFrame(frame, seeds_, options_, nullptr, ctx);
    Track track{Volume(frame.geometry, *ctx.pool, "first chamber"),
                boxOfInside(found.signedDistance, frame.geometry, marginMillimeters),
                storedFrame(frame),
                {},
                {}};
    std::ranges::copy(found.signedDistance.voxels.span(), track.firstChamber.voxels.data());
    track.last = segmentGrid(frame, track.box, cubeMillimeters, track.stored, ctx);
    track.toFirst = VectorField(track.last.geometry(), *ctx.pool, "motion to the first frame");
    std::ranges::fill(track.toFirst.components.span(), 0.0f);
    track_ = std::move(track);
    if (found.wallMilliliters > 0 && found.keepsWall)
        options_.wallMilliliters = found.wallMilliliters;
    return found;
}

Segmentation ChamberTracker::next(const Volume& frame, const ExecContext& ctx) {
    if (!track_)
        return first(frame, ctx);
    if (!frame.geometry.matches(track_->firstChamber.geometry))
        throw ComputeError("the frames of a tracked chamber must be on one grid");
    checkFrame(frame);
    SegmentGrid grid = segmentGrid(frame, track_->box, cubeMillimeters, track_->stored, ctx);
    // Steps from frame to frame are small; composed they lead to the first frame with less error
    // than an estimation between frames that look different.
    VectorField step(grid.geometry(), *ctx.pool, "motion to the last frame"),
        toFirst(grid.geometry(), *ctx.pool, "motion to the first frame");
    std::ranges::fill(step.components.span(), 0.0f);
    ctx.report("motion", 0);
    ExecContext quiet = ctx;
    quiet.progress = nullptr;
    motion_(grid.gray, track_->last.gray, step.view(), quiet);
    composeFields(track_->toFirst.view(), step.view(), toFirst.view(), ctx);
    const Volume chamber = carried(toFirst, track_->firstChamber, ctx);
    Segmentation found = segmentFrame(frame, carried(toFirst, seeds_), options_, &chamber, ctx);
    track_->last = std::move(grid);
    track_->toFirst = std::move(toFirst);
    return found;
}

} // namespace systole
