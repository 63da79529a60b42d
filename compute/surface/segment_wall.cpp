// The outer border of the wall around a chamber.
#include "compute/core/median.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/segment_parts.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Walls are looked for from and up to so many times the usual thickness.
constexpr double thinnest = 0.35, thickest = 1.7;
/// The thickness of a wall times the radius of a ball as large as the chamber, mm^2: a dilated
/// ventricle has a thin wall and a contracted one a thick one, and the product changes less between
/// hearts, and over the cycle, than the thickness.
/// A small heart was enlarged to the size of a grown one at end systole; at end diastole it would
/// have been enlarged more, and its wall is the thinner beside its radius.
constexpr double thicknessTimesRadius = 250, inSmallHearts = 160;
constexpr double thinnestUsual = 5, thickestUsual = 12;

/// Tissue whose difference from the wall is more than this fraction of the chamber's isn't wall.
constexpr double contrastShare = 0.2;

/// How far from the wall's gray value to that beyond it the outer border lies. In thick slices
/// experts leave out what a voxel shares with fat or the right ventricle; on an echo the border
/// blurs as at the inside (segment_forces.h).
constexpr double outerBrightInside = 0.5, outerInSlices = 0.3, outerDarkInside = 0.5;

/// The middle of some gray values, and how far they spread.
struct Typical {
    double middle = 0, spread = 1;

    static Typical of(std::vector<double> values) {
        const double middle = values.empty() ? 0 : median(values);
        for (double& value : values)
            value = std::abs(value - middle);
        return {middle, values.empty() ? 1 : std::max(1.4826 * median(values), 0.05)};
    }
    GrayModel model() const { return GrayModel::alike(middle, 2.5 * spread); }
};

double bloodWithin(const SegmentGrid& grid, Vec3 center, const std::vector<double>& inner) {
    std::vector<double> blood;
    for (std::size_t i = 0; i < inner.size(); ++i)
        for (const double part : {0.4, 0.6, 0.8})
            addGray(grid, center + part * inner[i] * StarDirections::standard().unit[i], blood);
    return median(blood);
}

/// Ends the wall behind valves: there neither a ray's values nor its neighbors' are like the wall.
void endAtValves(const SegmentGrid& grid, Vec3 center, const std::vector<double>& inner,
                 const std::vector<bool>& open, const GrayModel& model,
                 std::vector<double>& outer) {
    const StarDirections& star = StarDirections::standard();
    const std::size_t rays = inner.size();
    std::vector<double> fit(rays);
    for (std::size_t i = 0; i < rays; ++i)
        for (const double beyond : {2.0, 3.0, 4.0})
            fit[i] += model(sampledAt(grid.gray, center + (inner[i] + beyond) * star.unit[i])) / 3;
    for (int sweep = 0; sweep < 4; ++sweep) {
        const std::vector<double> now = fit;
        for (std::size_t i = 0; i < rays; ++i) {
            double sum = now[i];
            for (const int j : star.beside[i])
                sum += now[static_cast<std::size_t>(j)];
            fit[i] = sum / (1 + static_cast<double>(star.beside[i].size()));
        }
    }
    for (std::size_t i = 0; i < rays; ++i)
        if (!open[i] && fit[i] < -0.3)
            outer[i] = inner[i];
}

} // namespace

double usualThickness(const SegmentGrid& grid, double radius) {
    return std::clamp((grid.isEnlarged ? inSmallHearts : thicknessTimesRadius) / radius,
                      thinnestUsual, thickestUsual);
}

Volume outerBorder(const SegmentGrid& grid, const Volume& chamber,
                   const std::optional<MitralPlane>& cut, const ExecContext& ctx) {
    const StarDirections& star = StarDirections::standard();
    StarSearch search;
    search.center = centerOf(chamber);
    const std::vector<double> inner = exitsOf(chamber, search.center);
    const std::size_t rays = inner.size();
    std::vector<bool> open(rays);
    const auto lie = [&](std::size_t i, double r) { return search.center + r * star.unit[i]; };
    const auto alike = [&](const std::vector<double>& outer) {
        std::vector<double> values;
        for (std::size_t i = 0; i < rays; ++i)
            for (const double part : {0.25, 0.5, 0.75})
                if (!open[i])
                    addGray(grid, lie(i, inner[i] + part * (outer[i] - inner[i])), values);
        return Typical::of(std::move(values));
    };
    // As bright as fat is in an image, blood and wall may both be dark.
    const double inside = bloodWithin(grid, search.center, inner);
    // Tissue beyond the wall differs from place to place: lung, fat, the other ventricle.
    const auto modelsFor = [&](const std::vector<double>& outer) {
        const Typical wall = alike(outer);
        const double end = inside < wall.middle    ? outerDarkInside
                           : grid.hasThickSlices() ? outerInSlices
                                                   : outerBrightInside;
        const double minContrast = contrastShare * std::abs(inside - wall.middle);
        std::vector<GrayModel> models;
        for (std::size_t i = 0; i < rays; ++i) {
            std::vector<double> beyond;
            const auto add = [&](std::size_t ray) {
                for (const double r : {2.5, 4.0, 5.5})
                    addGray(grid, lie(ray, outer[ray] + r), beyond);
            };
            add(i);
            for (const int j : star.beside[i])
                add(static_cast<std::size_t>(j));
            const double outside = beyond.empty() ? wall.middle : median(beyond);
            models.push_back(std::abs(outside - wall.middle) > minContrast
                                 ? GrayModel::between(wall.middle, outside,
                                                      wall.middle + end * (outside - wall.middle))
                                 : wall.model());
        }
        return models;
    };
    const double usual = usualThickness(grid, radiusOfBall(millilitersInside(chamber)));
    std::vector<double> outer;
    for (std::size_t i = 0; i < rays; ++i) {
        const Vec3 d = star.unit[i];
        open[i] = cut && cut->height(search.center + (inner[i] + 3) * d) > 0;
        search.from.push_back(inner[i] + thinnest * usual);
        search.to.push_back(inner[i] + thickest * usual);
        outer.push_back(inner[i] + 0.7 * usual);
    }
    search.wantedWeight = 0.2;
    search.neighborWeight = 0.15;
    // Tissue around the wall of an echo is so much like it that the first rounds are uncertain.
    const bool isEcho = inside < alike(outer).middle;
    const int rounds = isEcho ? 6 : 3;
    const double ofFound = isEcho ? 0.65 : 0.5;
    for (int round = 0; round < rounds; ++round) {
        ctx.throwIfCancelled();
        // Walls have about one thickness.
        std::vector<double> thickness;
        for (std::size_t i = 0; i < rays; ++i)
            if (!open[i])
                thickness.push_back(outer[i] - inner[i]);
        if (thickness.empty())
            break;
        const double drawn = round == 0 ? usual : usual + ofFound * (median(thickness) - usual);
        search.wanted.clear();
        for (const double r : inner)
            search.wanted.push_back(r + drawn);
        const std::vector<GrayModel> models =
            round == 0 ? std::vector<GrayModel>{alike(outer).model()} : modelsFor(outer);
        outer = searchStar(grid, models, search, ctx).radii;
    }
    endAtValves(grid, search.center, inner, open, alike(outer).model(), outer);
    return starLevel({search.center, outer}, grid.geometry(), ctx);
}

} // namespace systole
