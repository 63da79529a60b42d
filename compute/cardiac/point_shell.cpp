#include "compute/cardiac/point_shell.h"

#include "compute/core/error.h"
#include "compute/core/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole::cardiac {
namespace {

constexpr double grown = 60; ///< mm from apex to mitral ring
constexpr double thicknessTimesRadius = 250, thinnest = 5, thickest = 12; ///< mm², mm
constexpr int rounds = 40; ///< iterations of radius and thickness, which depend on each other

struct HalfEllipsoids {
    /// Height and radius of the cavity, thickness of the wall; mm.
    double height = 0, radius = 0, thickness = 0;
};

HalfEllipsoids ellipsoidsOf(const LongAxis& axis, Vec3 insertion) {
    const double height = axis.length(),
                 aside = length(insertion - axis.at(axis.height(insertion))),
                 below = std::clamp(height - axis.height(insertion), 0.0, 0.9 * height),
                 scale = std::max(1.0, grown / height);
    HalfEllipsoids found{height, aside, 0};
    for (int round = 0; round < rounds; ++round) {
        // A ball of the volume of half an ellipsoid: r³ = R²H/2.
        const double ball = std::cbrt(found.radius * found.radius * height / 2);
        found.thickness =
            std::clamp(thicknessTimesRadius / (scale * ball), thinnest, thickest) / scale;
        const double end = below / (height + found.thickness);
        found.radius = std::max(aside / std::sqrt(1 - end * end) - found.thickness, aside / 2);
    }
    return found;
}

} // namespace

TissueMap shellOfPoints(const Geometry& grid, const GivenPoints& points) {
    if (!points.apex || !points.mitral || !points.insertion)
        throw ComputeError("without labels apex, middle of the mitral ring and insertion of the "
                           "right ventricle are all needed");
    const LongAxis axis(*points.apex, *points.mitral, *points.insertion);
    const HalfEllipsoids shape = ellipsoidsOf(axis, *points.insertion);
    TissueMap map{grid, {}, true};
    map.at.reserve(grid.voxels());
    const Size3 size = grid.size();
    bool cavity = false;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Vec3 p = centerOfVoxel(grid, x, y, z);
                const double height = axis.height(p), below = shape.height - height,
                             r = length(p - axis.at(height));
                const auto within = [&](double beyond) {
                    return below >= 0 && std::hypot(r / (shape.radius + beyond),
                                                    below / (shape.height + beyond)) < 1;
                };
                map.at.push_back(within(0)                 ? Tissue::Cavity
                                 : within(shape.thickness) ? Tissue::Wall
                                                           : Tissue::Other);
                cavity |= map.at.back() == Tissue::Cavity;
            }
    if (!cavity)
        throw ComputeError(fmt::format("the ventricle of the three points, {:.0f} mm long, lies "
                                       "outside the grid of the motion",
                                       shape.height));
    return map;
}

} // namespace systole::cardiac
