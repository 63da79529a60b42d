// A closed contour seen from one point: a radius for each of many directions, found along rays and
// held together by their neighbors. Where a ray meets no border (dropout, a valve), its neighbors
// decide. The first contour of a segmentation, and the outer border of a wall.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/surface/segment_grid.h"

#include <span>
#include <vector>

namespace systole {

/// Directions spread evenly over the sphere, and which are beside each other.
struct StarDirections {
    std::vector<Vec3> unit;
    std::vector<std::vector<int>> beside; ///< five or six each

    /// An icosahedron whose triangles are divided three times: 642 directions, 8 degrees apart.
    static const StarDirections& standard();
};

struct StarContour {
    Vec3 center;               ///< LPS mm
    std::vector<double> radii; ///< mm, one a direction
};

/// How well a gray value fits what lies inside: 1 like it, -1 unlike it.
class GrayModel {
public:
    /// Model of an inside whose gray values lie around `mean`: 1 at `mean`, 0 at `width` from it.
    static GrayModel alike(double mean, double width);
    /// Model of two sides: 0 at `threshold`, linear from `inside` to `outside`, by 2 in all,
    /// clamped to -1 and 1.
    static GrayModel between(double inside, double outside, double threshold);
    double operator()(double gray) const;
    bool isDarkInside() const {
        return !oneSided_ && b_ < 0;
    } ///< a model of between() whose inside is darker

private:
    bool oneSided_ = true;
    double a_ = 0, b_ = 1;
};

/// Criteria of the search along each ray.
struct StarSearch {
    Vec3 center;
    std::vector<double> from, to; ///< range of each ray's radius, mm
    /// Radius that each ray is drawn to, and how strongly, 1/mm; empty: none.
    std::vector<double> wanted{};
    double wantedWeight = 0;
    /// Given: beyond the border lies a wall of so many mm, which isn't like the inside.
    double wall = 0;
    double neighborWeight = 0.08; ///< draws a ray to the mean of its neighbors, 1/mm
};

struct StarBorder {
    std::vector<double> radii;
    std::vector<bool> met; ///< whether the ray itself met a border
};

/// Finds the radius r of each ray, in its range, that maximizes
///     sum of model(gray) dr up to r  -  wantedWeight (r - wanted)^2  -  neighborWeight (r -
///     mean)^2
/// A ray ends where the sum has fallen by `lostMillimeters` below its maximum (a cumulative sum
/// test): what lies behind the first certain border doesn't count. With a wall no ray ends, and
/// wallWeight times the sum from r to r + wall is taken off: a bright line within the chamber is no
/// wall, and one that is crossed costs as much as it is thick. Gray values without data, or
/// outside the grid, count 0.
/// `models`: one for all rays, or one each.
StarBorder searchStar(const SegmentGrid& grid, std::span<const GrayModel> models,
                      const StarSearch& search, const ExecContext& ctx);
inline constexpr double lostMillimeters = 3.5, wallWeight = 0.6;

/// Center of the volume inside, LPS mm.
Vec3 centroid(const StarContour& star);

/// Distance from the center less the radius in that direction, on a grid: negative inside, no true
/// distance. Radii are interpolated among the directions nearby.
Volume starLevel(const StarContour& star, const Geometry& grid, const ExecContext& ctx);

/// The ellipsoid with the second moments of the star's inside.
struct Ellipsoid {
    Vec3 center;
    Matrix3 axes{};               ///< rows: unit vectors, LPS
    Vec3 halfAxes;                ///< mm
    double level(Vec3 lps) const; ///< approximate signed distance, mm; negative inside
};
Ellipsoid ellipsoidOf(const StarContour& star);

} // namespace systole
