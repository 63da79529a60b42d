#include "compute/surface/segment.h"

#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/level_set.h"
#include "compute/surface/redistance.h"
#include "compute/surface/segment_forces.h"
#include "compute/surface/segment_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

constexpr double coarseSpacing = 2.5; // mm
constexpr double finestSpacing = 1.0; // mm
constexpr float closingMillimeters = 6;
constexpr double smallestMilliliters = 0.2;

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

void checkSeeds(const Geometry& grid, const SegmentSeeds& seeds) {
    if (seeds.click.has_value() == seeds.points.has_value())
        throw ComputeError("a segmentation starts from one click or from three points");
    if (seeds.click) {
        checkPoint(grid, *seeds.click, "the seed");
        return;
    }
    checkPoint(grid, seeds.points->apex, "the apex");
    checkPoint(grid, seeds.points->mitral, "the middle of the mitral ring");
    checkPoint(grid, seeds.points->rightVentricle, "the insertion of the right ventricle");
}

/// The part of the frame that the seeds, or the contour of the frame before, can reach.
IndexBox firstBox(const Volume& frame, const SegmentSeeds& seeds, const SegmentOptions& options) {
    if (seeds.click)
        return boxAround(frame.geometry, *seeds.click, options.reachMillimeters + 8);
    const VentriclePoints& p = *seeds.points;
    const double half = 0.6 * length(p.mitral - p.apex) + 30;
    return boxAround(frame.geometry, 0.5 * (p.apex + p.mitral), half);
}

[[noreturn]] void throwVanished() {
    throw ComputeError("the contour vanished: around the seed nothing differs enough from what "
                       "lies beyond it; try another seed or three points");
}

void checkData(const SegmentGrid& grid, Vec3 click) {
    if (!grid.isKnown(click))
        throw ComputeError("the seed lies in the background, where the image has no data; place "
                           "it inside a chamber");
}

bool hasInside(const Volume& phi) {
    return std::ranges::any_of(phi.voxels.span(), [](float value) { return value < 0; });
}

struct Stage {
    const char* name;
    int rounds;                     ///< of statistics, levelSetSteps steps each
    double priorWeight, lastWeight; ///< at its beginning and its end
};

class Segmenter {
public:
    Segmenter(const SegmentOptions& options, const ExecContext& ctx)
        : options_(options), ctx_(ctx) {}

    std::optional<MitralPlane> cut;
    /// What the contour is held near, in mm at an LPS position; none: nothing.
    std::function<double(Vec3)> prior;
    double smoothness = 0.8;
    /// The contour carried along from another frame, mm on any grid, and how far it may be left,
    /// mm.
    const Volume* carried = nullptr;
    double leash = 0;

    /// Pulls phi on the grid to the border.
    void pull(const SegmentGrid& grid, Volume& phi, const Stage& stage, double begin,
              double end) const {
        const Size3 size = phi.geometry.size();
        Volume force(phi.geometry, *ctx_.pool, "force"), wanted;
        if (prior) {
            wanted = Volume(phi.geometry, *ctx_.pool, "prior");
            const VolumeView<float> view = wanted.view();
            overVoxels(size, ctx_, [&](int x, int y, int z) {
                view(x, y, z) = static_cast<float>(prior(centerOfVoxel(phi.geometry, x, y, z)));
            });
        }
        const Volume smooth = smoothedForEdges(grid, ctx_);
        for (int round = 0; round < stage.rounds; ++round) {
            ctx_.throwIfCancelled();
            const double part = static_cast<double>(round) / stage.rounds;
            ctx_.report(stage.name, begin + (end - begin) * part);
            restore(phi);
            regionForce(grid, phi.view(), {}, (levelSetBand + levelSetSteps) * grid.spacing(),
                        force.view(), ctx_);
            addEdgeForce(smooth, phi.view(), contrastAcross(grid, phi.view()),
                         (levelSetBand + levelSetSteps) * grid.spacing(), force.view(), ctx_);
            LevelSetForce pulling{.data = force.view()};
            pulling.smoothness = static_cast<float>(smoothness);
            if (prior) {
                pulling.prior = wanted.view();
                pulling.priorWeight = static_cast<float>(
                    stage.priorWeight + part * (stage.lastWeight - stage.priorWeight));
            }
            evolveLevelSet(phi.view(), pulling, grid.spacing(), levelSetSteps, ctx_);
        }
        restore(phi);
    }

    /// A distance again, without small parts and without what lies beyond the mitral ring or the
    /// leash.
    void restore(Volume& phi) const {
        holdNear(phi);
        cutOff(phi);
        keepLargestPart(phi.view());
        makeDistance(phi);
    }

    void makeDistance(Volume& phi) const {
        if (!hasInside(phi))
            throwVanished();
        redistance(phi.view(), phi.geometry.spacing(), std::numeric_limits<float>::infinity(),
                   ctx_);
    }

    void holdNear(Volume& phi) const {
        if (!carried)
            return;
        const VolumeView<float> view = phi.view();
        const auto most = static_cast<float>(leash);
        overVoxels(view.size, ctx_, [&](int x, int y, int z) {
            const float middle = sampledAt(*carried, centerOfVoxel(phi.geometry, x, y, z));
            view(x, y, z) = std::clamp(view(x, y, z), middle - most, middle + most);
        });
    }

    void cutOff(Volume& phi) const {
        if (!cut)
            return;
        const VolumeView<float> view = phi.view();
        overVoxels(view.size, ctx_, [&](int x, int y, int z) {
            const double height = cut->height(centerOfVoxel(phi.geometry, x, y, z));
            view(x, y, z) = std::max(view(x, y, z), static_cast<float>(height));
        });
    }

    /// Fills notches narrower than twice `radius` mm: by custom papillary muscles and trabeculae
    /// belong to the chamber.
    void close(Volume& phi, float radius) const {
        // Not cut in between: what was added beyond the mitral ring is taken away again.
        for (float& value : phi.voxels.span())
            value -= radius;
        makeDistance(phi);
        for (float& value : phi.voxels.span())
            value += radius;
        restore(phi);
    }

    void checkSize(const Volume& phi) const {
        const double milliliters = millilitersInside(phi);
        if (milliliters > options_.largestMilliliters)
            throw ComputeError(fmt::format(
                "the contour leaks out of its chamber: it encloses {:.0f} mL, more than the limit "
                "of {:.0f} mL; try another seed, three points or a larger limit",
                milliliters, options_.largestMilliliters));
        if (milliliters < smallestMilliliters)
            throwVanished();
    }

    /// What phi holds inside on the frame's grid, and its wall where that is asked for, found on a
    /// grid of `wallSpacing` mm.
    Segmentation labelled(const Volume& frame, const Volume& phi, const float (&range)[2],
                          double wallSpacing, const SegmentSeeds& seeds) const {
        const Geometry& image = frame.geometry;
        const Vec3 spacing = image.spacing();
        Segmentation result;
        result.milliliters = millilitersInside(phi);
        result.signedDistance = resampleDistance(phi, image, ctx_);
        result.labels.resize(image.voxels());
        const float* const distance = result.signedDistance.voxels.data();
        Volume outer;
        if (options_.wall || options_.clickInWall) {
            ctx_.report("wall", 0.9);
            const SegmentGrid around =
                segmentGrid(frame, boxOfInside(phi, image, 28), wallSpacing, range, ctx_);
            const Volume chamber = resampleDistance(phi, around.geometry(), ctx_);
            // The insertion of the right ventricle lies on the outside of the wall.
            std::optional<double> usual;
            if (seeds.points)
                usual = sampledAt(result.signedDistance, seeds.points->rightVentricle);
            outer = resampleDistance(outerBorder(around, chamber, cut, usual, ctx_), image, ctx_);
        }
        overVoxels(image.size(), ctx_, [&](int x, int y, int z) {
            const std::size_t i = result.signedDistance.view().offset(x, y, z);
            const bool inWall = !outer.voxels.empty() && outer.voxels.data()[i] < 0 &&
                                (!cut || cut->height(centerOfVoxel(image, x, y, z)) < 0);
            result.labels[i] = distance[i] < 0 ? chamberLabel
                               : inWall        ? wallLabel
                                               : std::uint8_t{0};
        });
        const auto wallVoxels = static_cast<double>(std::ranges::count(result.labels, wallLabel));
        result.wallMilliliters = wallVoxels * spacing.x * spacing.y * spacing.z / 1000;
        return result;
    }

private:
    const SegmentOptions& options_;
    const ExecContext& ctx_;
};

} // namespace

void checkFrame(const Volume& frame) {
    const Size3 size = frame.geometry.size();
    if (std::min({size.x, size.y, size.z}) < 2)
        throw ComputeError(fmt::format("a surface needs a volume, but the image has {} x {} x {} "
                                       "voxels: one slice is not enough",
                                       size.x, size.y, size.z));
    for (const float value : frame.voxels.span())
        if (!std::isfinite(value))
            throw ComputeError("the image has values that are not finite numbers");
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
Segmentation segmentFromWall(const Volume& frame, Vec3 click, const SegmentOptions& options,
                             const ExecContext& ctx) {
    float range[2];
    grayRange(frame, range);
    const SegmentGrid grid =
        segmentGrid(frame, boxAround(frame.geometry, click, options.reachMillimeters + 8),
                    coarseSpacing, range, ctx);
    checkData(grid, click);
    SegmentOptions fromInside = options;
    fromInside.clickInWall = false;
    fromInside.wall = true;
    for (const Vec3 center : chambersBeside(grid, click, ctx))
        try {
            SegmentSeeds seeds;
            seeds.click = center;
            Segmentation found = segmentFrame(frame, seeds, fromInside, nullptr, ctx);
            if (wallHolds(found, click))
                return found;
        } catch (const Cancelled&) {
            throw;
        } catch (const ComputeError&) {
            // What isn't a chamber leaks or has no border: the next one may be.
        }
    throw ComputeError("no chamber was found whose wall holds the click; click inside the chamber "
                       "instead, or name three points");
}

} // namespace

Segmentation segmentFrame(const Volume& frame, const SegmentSeeds& seeds,
                          const SegmentOptions& options, const Volume* previous,
                          const ExecContext& ctx) {
    checkFrame(frame);
    if (options.clickInWall && !previous) {
        checkSeeds(frame.geometry, seeds);
        if (!seeds.click)
            throw ComputeError("a segmentation from a wall starts from one click");
        return segmentFromWall(frame, *seeds.click, options, ctx);
    }
    const Geometry& image = frame.geometry;
    checkSeeds(image, seeds);
    if (previous && !previous->geometry.matches(image))
        throw ComputeError("the contour of the frame before must be on the grid of the frame");
    if (previous && !hasInside(*previous))
        throwVanished();
    float range[2];
    grayRange(frame, range);
    ctx.report("first contour", 0);

    // As fine as the image, but neither finer nor coarser than a contour needs.
    const Vec3 spacing = image.spacing();
    const double fine =
        std::clamp(std::min({spacing.x, spacing.y, spacing.z}), finestSpacing, coarseSpacing);
    const double coarse = std::max(coarseSpacing, fine);
    Segmenter segmenter(options, ctx);
    segmenter.smoothness = options.smoothness;
    if (seeds.points)
        segmenter.cut = mitralPlane(*seeds.points);

    const SegmentGrid grid = segmentGrid(
        frame, previous ? boxOfInside(*previous, image, 30) : firstBox(frame, seeds, options),
        coarse, range, ctx);
    if (seeds.click && !previous)
        checkData(grid, *seeds.click);
    const StarContour contour =
        previous ? contourOfPrevious(grid, *previous, options.leashMillimeters.value_or(8), ctx)
        : seeds.points ? contourOfPoints(grid, *seeds.points, ctx)
                       : contourOfClick(grid, *seeds.click, options.reachMillimeters, ctx);
    Volume phi = starLevel(contour, grid.geometry(), ctx);
    if (previous && options.leashMillimeters) {
        segmenter.carried = previous;
        segmenter.leash = *options.leashMillimeters;
        segmenter.prior = [previous](Vec3 lps) {
            return static_cast<double>(sampledAt(*previous, lps));
        };
    } else {
        segmenter.prior = [ellipsoid = ellipsoidOf(contour)](Vec3 lps) {
            return ellipsoid.level(lps);
        };
    }
    segmenter.restore(phi);
    segmenter.pull(grid, phi, {"coarse contour", 10, 0.35, 0.15}, 0.1, 0.5);
    segmenter.checkSize(phi);
    if (fine < 0.8 * coarse) {
        const SegmentGrid finer = segmentGrid(frame, boxOfInside(phi, image, 10), fine, range, ctx);
        Volume finerPhi = resampleDistance(phi, finer.geometry(), ctx);
        segmenter.pull(finer, finerPhi, {"fine contour", 5, 0.15, 0.08}, 0.5, 0.9);
        phi = std::move(finerPhi);
        segmenter.checkSize(phi);
    }
    segmenter.close(phi, closingMillimeters);

    Segmentation result = segmenter.labelled(frame, phi, range, std::max(fine, 1.5), seeds);
    ctx.report("done", 1);
    return result;
}

} // namespace systole
