// First contours in an echo, where blood is dark and little of the border can be seen: rays look
// for blood that a wall encloses, near a plain shape that is fitted to what they find.
#include "compute/core/median.h"
#include "compute/core/points.h"
#include "compute/surface/segment_parts.h"
#include "compute/surface/star_shape.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr int searchRounds = 6;
/// Weight of the fitted shape in the contour; the radii that the rays found have the rest.
constexpr double shapeShare = 0.5;
constexpr double drawnToShape = 0.1, drawnToNeighbors = 0.15; // 1/mm

/// Search along rays from a center towards `shape`; no ray goes farther than `farthest`, the plane
/// of the ring.
StarSearch searchNear(const std::vector<double>& shape, Vec3 center,
                      const std::vector<double>& farthest, double wall) {
    StarSearch search;
    search.center = center;
    search.wantedWeight = drawnToShape;
    search.neighborWeight = drawnToNeighbors;
    search.wall = wall;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        search.wanted.push_back(std::min(shape[i], farthest[i]));
        search.from.push_back(std::min(0.5 * shape[i], farthest[i]));
        search.to.push_back(std::min(1.5 * shape[i] + 4, farthest[i]));
    }
    return search;
}

/// None: what is outside isn't brighter.
std::optional<GrayModel> bloodWithin(const SegmentGrid& grid, const StarContour& contour,
                                     const std::vector<bool>& met) {
    const auto sides = sidesOf(grid, contour, met);
    if (!sides || sides->outside < sides->inside)
        return std::nullopt;
    const double contrast = sides->outside - sides->inside;
    return GrayModel::between(sides->inside, sides->outside,
                              sides->inside + grid.echoBorder(contrast) * contrast);
}

void mix(std::vector<double>& found, const std::vector<double>& shape) {
    for (std::size_t i = 0; i < found.size(); ++i)
        found[i] += shapeShare * (shape[i] - found[i]);
}

} // namespace

StarContour echoOfPoints(const SegmentGrid& grid, const VentriclePoints& points, Vec3 center,
                         const ExecContext& ctx) {
    const MitralPlane cut = mitralPlane(points);
    const double high = length(points.mitral - points.apex);
    // The insertion lies on the outside of the wall, whose thickness depends on the chamber's size.
    const double aside = length(cross(points.rightVentricle - points.apex, cut.up));
    double wide = 0.5 * aside, wall = 0;
    for (int round = 0; round < 10; ++round) {
        wall = usualThickness(grid, std::cbrt(0.5 * wide * wide * high));
        wide = 0.5 * (wide + std::max(aside - wall, 0.5 * aside));
    }
    StarShape shape = StarShape::ofVentricle(points, wide, center);
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    std::vector<double> toPlane;
    std::vector<bool> free;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        toPlane.push_back(cut.alongRay(center, unit[i]));
        free.push_back(shape.radii()[i] < toPlane[i]);
    }
    StarSearch search = searchNear(shape.radii(), center, toPlane, wall);
    StarContour found{center, search.wanted};
    for (int round = 0; round < searchRounds; ++round) {
        ctx.throwIfCancelled();
        const auto model = bloodWithin(grid, found, free);
        if (!model)
            break;
        found.radii = searchStar(grid, {{*model}}, search, ctx).radii;
        for (std::size_t i = 0; i < unit.size(); ++i)
            found.radii[i] = std::min(found.radii[i], toPlane[i]);
        shape.fit(found.radii, free);
        search = searchNear(shape.radii(), center, toPlane, wall);
    }
    mix(found.radii, search.wanted);
    return found;
}

StarContour echoAround(const SegmentGrid& grid, const StarContour& first,
                       const std::vector<bool>& met, double reach, const ExecContext& ctx) {
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    std::vector<double> sure;
    for (std::size_t i = 0; i < unit.size(); ++i)
        if (met[i])
            sure.push_back(first.radii[i]);
    StarShape shape = StarShape::aroundBall(median(sure));
    StarContour found = first;
    std::vector<bool> counts = met;
    const std::vector<bool> every(unit.size(), true);
    const std::vector<double> farthest(unit.size(), reach);
    for (int round = 0; round < searchRounds; ++round) {
        ctx.throwIfCancelled();
        shape.fit(found.radii, counts);
        const StarContour around{found.center, shape.radii()};
        StarContour drawn{centroid(around), {}};
        double cubes = 0;
        for (std::size_t i = 0; i < unit.size(); ++i) {
            const double r = around.radii[i] - dot(drawn.center - around.center, unit[i]);
            drawn.radii.push_back(std::max(r, 0.3 * around.radii[i]));
            cubes += std::pow(drawn.radii.back(), 3);
        }
        const auto model = bloodWithin(grid, drawn, every);
        if (!model)
            break;
        const double radius = std::cbrt(cubes / static_cast<double>(unit.size()));
        // The size isn't known yet: a wall of a grown heart may be the whole of a small one.
        const double wall = std::min(usualThickness(grid, radius), 0.4 * radius);
        const StarSearch search = searchNear(drawn.radii, drawn.center, farthest, wall);
        found = {drawn.center, searchStar(grid, {{*model}}, search, ctx).radii};
        counts = every;
        if (round + 1 == searchRounds)
            mix(found.radii, search.wanted);
    }
    return found;
}

} // namespace systole
