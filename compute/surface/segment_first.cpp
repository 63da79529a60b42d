// First contours from a click and from three points.
#include "compute/core/error.h"
#include "compute/core/median.h"
#include "compute/core/points.h"
#include "compute/surface/segment_parts.h"
#include "compute/surface/star_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// A border midway. Rays look for a change, wherever it is exactly: the level set finds the place.
std::optional<GrayModel> modelOf(const SegmentGrid& grid, const StarContour& star,
                                 const std::vector<bool>& met) {
    const auto sides = sidesOf(grid, star, met);
    if (!sides)
        return std::nullopt;
    return GrayModel::between(sides->inside, sides->outside,
                              0.5 * (sides->inside + sides->outside));
}

double share(const std::vector<bool>& met) {
    return static_cast<double>(std::ranges::count(met, true)) / static_cast<double>(met.size());
}

/// Model of the gray values of the tissue around a click, 0 at three standard deviations.
GrayModel modelAround(const SegmentGrid& grid, Vec3 click) {
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    std::vector<double> values{static_cast<double>(sampledAt(grid.gray, click))};
    for (std::size_t i = 0; i < unit.size(); i += 4)
        for (const double r : {1.5, 3.0, 4.5})
            addGray(grid, click + r * unit[i], values);
    const double middle = median(values);
    for (double& value : values)
        value = std::abs(value - middle);
    return GrayModel::alike(middle, 3 * std::max(1.4826 * median(values), 0.04));
}

constexpr double wallMillimeters = 9;
constexpr double growthMillimeters = 12; ///< max growth of a radius from round to round

} // namespace

std::optional<Sides> sidesOf(const SegmentGrid& grid, const StarContour& star,
                             const std::vector<bool>& met) {
    constexpr double minContrast = 0.02;
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    std::vector<double> in, out;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        for (const double part : {0.3, 0.5, 0.7, 0.85})
            addGray(grid, star.center + part * star.radii[i] * unit[i], in);
        if (met[i])
            for (const double beyond : {2.0, 3.5, 5.0})
                addGray(grid, star.center + (star.radii[i] + beyond) * unit[i], out);
    }
    if (in.empty() || out.empty())
        return std::nullopt;
    const double inside = median(in), outside = median(out);
    if (std::abs(inside - outside) < minContrast)
        return std::nullopt;
    return Sides{inside, outside};
}

FirstContour contourOfClick(const SegmentGrid& grid, Vec3 click, double reach, bool hold,
                            const ExecContext& ctx) {
    const StarDirections& star = StarDirections::standard();
    const std::size_t rays = star.unit.size();
    StarSearch search;
    search.center = click;
    search.from.assign(rays, 2);
    search.to.assign(rays, reach);
    StarBorder border = searchStar(grid, {{modelAround(grid, click)}}, search, ctx);
    StarContour first{click, border.radii};
    const StarBorder begin = border;
    constexpr int rounds = 4;
    for (int round = 0; round < rounds && share(border.met) > 0.3; ++round) {
        ctx.throwIfCancelled();
        const auto model = modelOf(grid, first, border.met);
        if (!model)
            break;
        // The rays see a border best from the middle. What lies far beyond the contour found so
        // far doesn't count: else it would grow from round to round where a wall is thin.
        const Vec3 shift = centroid(first) - search.center;
        search.center = search.center + shift;
        for (std::size_t i = 0; i < rays; ++i)
            search.to[i] = std::clamp(first.radii[i] - dot(shift, star.unit[i]) + growthMillimeters,
                                      growthMillimeters, reach);
        border = searchStar(grid, {{*model}}, search, ctx);
        first = {search.center, border.radii};
    }
    if (share(border.met) < 0.5)
        throw NoneOfThatSize(fmt::format(
            "no border was found around the point: in {:.0f} % of all directions the gray values "
            "stay like those of the point for {:.0f} mm; place it inside a chamber, or name three "
            "points",
            100 * (1 - share(border.met)), reach));
    const auto model = modelOf(grid, first, border.met);
    if (hold && model && model->isDarkInside())
        return {echoAround(grid, {click, begin.radii}, begin.met, reach, ctx), true};
    return {first};
}

MitralPlane mitralPlane(const VentriclePoints& points) {
    const Vec3 axis = points.mitral - points.apex;
    return {points.mitral, (1 / length(axis)) * axis};
}

void checkVentricle(const VentriclePoints& points) {
    const double high = length(points.mitral - points.apex);
    if (!(high >= 8 && high <= 200))
        throw ComputeError(fmt::format("the apex and the middle of the mitral ring must be 8 to "
                                       "200 mm apart, but are {:.1f} mm",
                                       high));
    const Vec3 up = mitralPlane(points).up;
    const double aside = length(cross(points.rightVentricle - points.apex, up));
    if (!(aside >= 3 && aside <= 90))
        throw ComputeError(
            fmt::format("the insertion of the right ventricle must lie 3 to 90 mm beside the line "
                        "from the apex to the mitral ring, but lies {:.1f} mm beside it",
                        aside));
}

FirstContour contourOfPoints(const SegmentGrid& grid, const VentriclePoints& points,
                             const ExecContext& ctx) {
    const MitralPlane cut = mitralPlane(points);
    const double high = length(points.mitral - points.apex);
    // The insertion lies on the outside of the wall; the ellipsoid is widest at the ring.
    const double aside = length(cross(points.rightVentricle - points.apex, cut.up));
    const double wide = std::max(aside - wallMillimeters, 0.5 * aside);
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    // The center of half an ellipsoid is 3/8 of its height below its base.
    const Vec3 center = points.mitral - 0.4 * high * cut.up;
    StarSearch search;
    search.center = center;
    search.wantedWeight = 0.04;
    const std::vector<double> ellipsoid = StarShape::ofVentricle(points, wide, center).radii();
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const double plane = cut.alongRay(center, unit[i]), r = std::min(ellipsoid[i], plane);
        search.wanted.push_back(r);
        search.from.push_back(std::min(0.4 * r, plane));
        search.to.push_back(std::min(1.6 * r + 5, plane));
    }
    StarContour first{center, search.wanted};
    // Rays that end at the plane meet no tissue there.
    std::vector<bool> free(unit.size());
    for (std::size_t i = 0; i < unit.size(); ++i)
        free[i] = search.wanted[i] < cut.alongRay(center, unit[i]);
    for (int round = 0; round < 3; ++round) {
        ctx.throwIfCancelled();
        const auto model = modelOf(grid, first, free);
        if (!model)
            break;
        if (model->isDarkInside())
            return {echoOfPoints(grid, points, center, ctx), true};
        first.radii = searchStar(grid, {{*model}}, search, ctx).radii;
        for (std::size_t i = 0; i < unit.size(); ++i)
            first.radii[i] = std::min(first.radii[i], cut.alongRay(center, unit[i]));
    }
    return {first};
}

StarContour contourOfPrevious(const SegmentGrid& grid, const Volume& previous, double reach,
                              const ExecContext& ctx) {
    StarSearch search;
    search.center = centerOf(previous);
    search.wanted = exitsOf(previous, search.center);
    search.wantedWeight = 0.01;
    for (const double r : search.wanted) {
        search.from.push_back(0.5 * r);
        search.to.push_back(r + reach);
    }
    StarContour first{search.center, search.wanted};
    const std::vector<bool> every(search.wanted.size(), true);
    for (int round = 0; round < 2; ++round) {
        ctx.throwIfCancelled();
        const auto model = modelOf(grid, first, every);
        if (!model)
            break;
        first.radii = searchStar(grid, {{*model}}, search, ctx).radii;
    }
    return first;
}

} // namespace systole
