// A chamber and its wall at the size of a grown heart: the contour from seeds, and its labels.
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
#include <string>

namespace systole {
namespace {

constexpr double finestSpacing = 1.0; // mm
constexpr double closingMillimeters = 6, closingInSlices = 15;
constexpr double smallestMilliliters = 0.2;

/// The part of the frame that the seeds, or the contour of the frame before, can reach.
IndexBox firstBox(const Volume& frame, const SegmentSeeds& seeds, const SegmentOptions& options) {
    if (seeds.click)
        return boxAround(frame.geometry, *seeds.click, options.reachMillimeters + 8);
    const VentriclePoints& p = *seeds.points;
    const double half = 0.6 * length(p.mitral - p.apex) + 30;
    return boxAround(frame.geometry, 0.5 * (p.apex + p.mitral), half);
}

std::string milliliterText(double milliliters) {
    return fmt::format("{:.{}f}", milliliters, milliliters < 10 ? 1 : 0);
}

[[noreturn]] void throwVanished() {
    throw NoneOfThatSize("the contour vanished: around the point nothing differs enough from what "
                         "lies beyond it; try another point or three points");
}

bool hasInside(const Volume& phi) {
    return std::ranges::any_of(phi.voxels.span(), [](float value) { return value < 0; });
}

void shift(Volume& distance, double by) {
    for (float& value : distance.voxels.span())
        value += static_cast<float>(by);
}

/// A coarser grid that ends `margin` mm beyond one of cubes.
Geometry widened(const Geometry& grid, double margin) {
    constexpr double coarse = 2; // mm
    const double own = grid.spacing().x, spacing = std::max(coarse, own);
    const int beyond = static_cast<int>(std::ceil(margin / spacing)) + 3;
    const auto cubes = [&](int n) {
        return static_cast<int>(std::ceil(n * own / spacing)) + 2 * beyond;
    };
    const double first = -beyond * spacing / own;
    const Size3 size = grid.size();
    return Geometry({cubes(size.x), cubes(size.y), cubes(size.z)}, {spacing, spacing, spacing},
                    grid.indexToPhysical({first, first, first}), grid.direction());
}

struct Stage {
    const char* name;
    int rounds;                     ///< rounds of statistics, levelSetSteps steps each
    double priorWeight, lastWeight; ///< weight of the prior in the first and the last round
};

class Segmenter {
public:
    Segmenter(const SegmentOptions& options, const StoredFrame& stored, const ExecContext& ctx)
        : options_(options), stored_(stored), ctx_(ctx) {}

    std::optional<MitralPlane> cut;
    /// Signed distance of the shape that the contour is held near, mm, at an LPS position; empty:
    /// the contour is free.
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
        const auto limit = static_cast<float>(leash);
        overVoxels(view.size, ctx_, [&](int x, int y, int z) {
            const float middle = sampledAt(*carried, centerOfVoxel(phi.geometry, x, y, z));
            view(x, y, z) = std::clamp(view(x, y, z), middle - limit, middle + limit);
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
    void close(Volume& phi, double radius) const {
        // A shape that grows by the radius must not meet the end of its grid.
        Volume closed = resampleDistance(phi, widened(phi.geometry, radius), ctx_);
        shift(closed, -radius);
        makeDistance(closed);
        shift(closed, radius);
        const Volume filled = resampleDistance(closed, phi.geometry, ctx_);
        for (std::size_t i = 0; i < phi.voxels.size(); ++i)
            phi.voxels.data()[i] = std::min(phi.voxels.data()[i], filled.voxels.data()[i]);
        restore(phi);
    }

    /// The contour becomes what experts draw in thick slices (hullInSlices()); the wall that limits
    /// it is found again around the chamber that it gave.
    Volume roundedInSlices(const Volume& frame, Volume phi, double spacing) const {
        for (int round = 0; round < 2; ++round) {
            ctx_.throwIfCancelled();
            const SegmentGrid around = gridAround(frame, phi, 28, coarseSpacing);
            const Volume outer =
                outerBorder(around, resampleDistance(phi, around.geometry(), ctx_), cut, ctx_);
            const SegmentGrid near = gridAround(frame, phi, 12, spacing);
            phi = hullInSlices(near, resampleDistance(phi, near.geometry(), ctx_),
                               resampleDistance(outer, near.geometry(), ctx_), !cut, ctx_);
            restore(phi);
        }
        return phi;
    }

    void checkSize(const Volume& phi) const {
        const double milliliters = millilitersInside(phi);
        if (milliliters > options_.largestMilliliters)
            throw ComputeError(fmt::format(
                "the contour leaks out of its chamber: it encloses {} ml, more than the limit of "
                "{} ml{}; try another point, three points or a larger limit",
                milliliterText(stored_.milliliters(milliliters)),
                milliliterText(stored_.milliliters(options_.largestMilliliters)),
                stored_.enlargement > 1 ? " for a heart of this size" : ""));
        if (milliliters < smallestMilliliters)
            throwVanished();
    }

    /// Labels of the inside of phi on the frame's grid, and of its wall if options request it,
    /// found on a grid of `wallSpacing` mm.
    Segmentation labelled(const Volume& frame, const Volume& phi, double wallSpacing) const {
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
            const SegmentGrid around = gridAround(frame, phi, 28, wallSpacing);
            const Volume chamber = resampleDistance(phi, around.geometry(), ctx_);
            const Volume border = outerBorder(around, chamber, cut, ctx_);
            outer = resampleDistance(border, image, ctx_);
            if (cut)
                overVoxels(image.size(), ctx_, [&](int x, int y, int z) {
                    if (cut->height(centerOfVoxel(image, x, y, z)) >= 0)
                        outer.view()(x, y, z) = std::numeric_limits<float>::infinity();
                });
            const bool isCutByAStack =
                stored_.thickAxis >= 0 && (meetsEdge(result.signedDistance) || meetsEdge(outer));
            result.keepsWall = !isCutByAStack && !meetsUnknown(around, border);
            if (options_.wallMilliliters && result.keepsWall)
                keepWallVolume(result.signedDistance, outer, *options_.wallMilliliters);
        }
        overVoxels(image.size(), ctx_, [&](int x, int y, int z) {
            const std::size_t i = result.signedDistance.view().offset(x, y, z);
            const bool inWall = !outer.voxels.empty() && outer.voxels.data()[i] < 0;
            result.labels[i] = distance[i] < 0 ? chamberLabel
                               : inWall        ? wallLabel
                                               : std::uint8_t{0};
        });
        const auto wallVoxels = static_cast<double>(std::ranges::count(result.labels, wallLabel));
        result.wallMilliliters = wallVoxels * spacing.x * spacing.y * spacing.z / 1000;
        return result;
    }

private:
    /// Whether the inside reaches a voxel at the edge of its image.
    static bool meetsEdge(const Volume& distance) {
        const VolumeView<const float> view = distance.view();
        const Size3 n = view.size;
        const auto atEnd = [](int at, int count) { return at == 0 || at == count - 1; };
        for (int z = 0; z < n.z; ++z)
            for (int y = 0; y < n.y; ++y)
                for (int x = 0; x < n.x; ++x)
                    if (view(x, y, z) < 0 && (atEnd(x, n.x) || atEnd(y, n.y) || atEnd(z, n.z)))
                        return true;
        return false;
    }

    static bool meetsUnknown(const SegmentGrid& grid, const Volume& distance) {
        for (std::size_t i = 0; i < grid.known.size(); ++i)
            if (!grid.known[i] && distance.voxels.data()[i] < 0)
                return true;
        return false;
    }

    /// Moves the outer border evenly, where there is a wall, until that holds so much.
    void keepWallVolume(const Volume& chamber, Volume& outer, double milliliters) const {
        constexpr double maxMillimeters = 4, minWall = 1;
        const Vec3 spacing = outer.geometry.spacing();
        std::vector<float> levels;
        for (std::size_t i = 0; i < outer.voxels.size(); ++i) {
            const float distance = chamber.voxels.data()[i], level = outer.voxels.data()[i];
            if (distance >= 0 && level < maxMillimeters && distance - level > minWall)
                levels.push_back(level);
        }
        const double voxels = 1000 * milliliters / (spacing.x * spacing.y * spacing.z);
        if (levels.empty() || voxels < 1)
            return;
        const auto wanted =
            levels.begin() + std::min(static_cast<std::ptrdiff_t>(voxels), std::ssize(levels) - 1);
        std::ranges::nth_element(levels, wanted);
        const float moved = std::max(*wanted, -static_cast<float>(maxMillimeters));
        for (std::size_t i = 0; i < outer.voxels.size(); ++i)
            if (moved < 0 || chamber.voxels.data()[i] - outer.voxels.data()[i] > minWall)
                outer.voxels.data()[i] -= moved;
    }

    SegmentGrid gridAround(const Volume& frame, const Volume& phi, double margin,
                           double spacing) const {
        return segmentGrid(frame, boxOfInside(phi, frame.geometry, margin), spacing, stored_, ctx_);
    }

    const SegmentOptions& options_;
    const StoredFrame& stored_;
    const ExecContext& ctx_;
};

/// segmentGrownHeart(); `hold` as in contourOfClick(), empty if it can't be held.
Segmentation segmentOnce(const Volume& frame, const StoredFrame& stored, const SegmentSeeds& seeds,
                         const SegmentOptions& options, const Volume* previous, bool hold,
                         const ExecContext& ctx) {
    const Geometry& image = frame.geometry;
    if (previous && !hasInside(*previous))
        throwVanished();
    ctx.report("first contour", 0);

    // As fine as the image, but neither finer nor coarser than a contour needs.
    const Vec3 spacing = image.spacing();
    const double fine =
        std::clamp(std::min({spacing.x, spacing.y, spacing.z}), finestSpacing, coarseSpacing);
    const double coarse = std::max(coarseSpacing, fine);
    Segmenter segmenter(options, stored, ctx);
    segmenter.smoothness = options.smoothness;
    if (seeds.points)
        segmenter.cut = mitralPlane(*seeds.points);

    const SegmentGrid grid = segmentGrid(
        frame, previous ? boxOfInside(*previous, image, 30) : firstBox(frame, seeds, options),
        coarse, stored, ctx);
    if (seeds.click && !previous)
        checkData(grid, *seeds.click);
    const auto [contour, isHeld] =
        previous       ? FirstContour{contourOfPrevious(grid, *previous,
                                                        options.leashMillimeters.value_or(8), ctx)}
        : seeds.points ? contourOfPoints(grid, *seeds.points, ctx)
                       : contourOfClick(grid, *seeds.click, options.reachMillimeters, hold, ctx);
    if (hold && !isHeld)
        return {};
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
    const double held = seeds.points && !previous ? 2 : 1;
    segmenter.restore(phi);
    if (!isHeld)
        segmenter.pull(grid, phi, {"coarse contour", 10, held * 0.35, held * 0.15}, 0.1, 0.5);
    segmenter.checkSize(phi);
    if (fine < 0.8 * coarse) {
        const SegmentGrid finer =
            segmentGrid(frame, boxOfInside(phi, image, 10), fine, stored, ctx);
        Volume finerPhi = resampleDistance(phi, finer.geometry(), ctx);
        if (isHeld)
            segmenter.restore(finerPhi);
        else
            segmenter.pull(finer, finerPhi, {"fine contour", 5, held * 0.15, held * 0.08}, 0.5,
                           0.9);
        phi = std::move(finerPhi);
        segmenter.checkSize(phi);
    }
    segmenter.close(phi, stored.thickAxis >= 0 ? closingInSlices : closingMillimeters);

    double share = 1;
    if (stored.thickAxis >= 0) {
        if (seeds.click)
            share = convexShare(resampleDistance(phi, image, ctx));
        phi = segmenter.roundedInSlices(frame, std::move(phi), fine);
    }

    Segmentation result = segmenter.labelled(frame, phi, std::max(fine, 1.5));
    if (seeds.click)
        result.convexShare = std::min(share, convexShare(result.signedDistance));
    result.isHeld = isHeld;
    ctx.report("done", 1);
    return result;
}

} // namespace

Segmentation segmentGrownHeart(const Volume& frame, const StoredFrame& stored,
                               const SegmentSeeds& seeds, const SegmentOptions& options,
                               const Volume* previous, const ExecContext& ctx) {
    // A gap of the wall in an echo lets the contour of a click leak: nothing else limits it there.
    constexpr double minShare = 0.8;
    Segmentation found = segmentOnce(frame, stored, seeds, options, previous, false, ctx);
    if (previous || found.convexShare >= minShare)
        return found;
    try {
        Segmentation held = segmentOnce(frame, stored, seeds, options, previous, true, ctx);
        return held.isHeld ? std::move(held) : std::move(found);
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError&) {
        return found;
    }
}

} // namespace systole
