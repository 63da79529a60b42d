// The steps of segmentFrame().
#pragma once

#include "compute/core/error.h"
#include "compute/surface/segment.h"
#include "compute/surface/segment_grid.h"
#include "compute/surface/star_contour.h"

#include <optional>
#include <vector>

namespace systole {

/// Throws ComputeError for a frame of one slice, axes that aren't at right angles, and values that
/// aren't finite.
void checkFrame(const Volume& frame);

/// Nothing of the size of a grown heart's chamber is there; a smaller one may be.
class NoneOfThatSize : public ComputeError {
public:
    using ComputeError::ComputeError;
};

/// segmentFrame() for a chamber that is about as large as that of a grown heart, from checked
/// seeds: a click within it, or points. Throws NoneOfThatSize where there is no border or the
/// contour vanishes.
Segmentation segmentGrownHeart(const Volume& frame, const StoredFrame& stored,
                               const SegmentSeeds& seeds, const SegmentOptions& options,
                               const Volume* previous, const ExecContext& ctx);

inline constexpr double coarseSpacing = 2.5; ///< mm, of the grid on which a contour begins

/// Throws ComputeError if the click lies where the image has no data.
void checkData(const SegmentGrid& grid, Vec3 click);

/// Plane of the mitral ring through `point` with normal `up`; nothing beyond it is the chamber.
struct MitralPlane {
    Vec3 point, up;
    double height(Vec3 lps) const { return dot(lps - point, up); }
    /// How far a ray from `lps` goes to it; far where it doesn't meet it.
    double alongRay(Vec3 lps, Vec3 unit) const {
        const double rise = dot(unit, up);
        return rise > 1e-3 ? -height(lps) / rise : 1e6;
    }
};

/// The medians of the gray values within a contour and just beyond it.
struct Sides {
    double inside, outside;
};
/// Beyond it along rays that met a border. None: both are too alike.
std::optional<Sides> sidesOf(const SegmentGrid& grid, const StarContour& contour,
                             const std::vector<bool>& met);

/// A first contour. `isHeld`: it's that of an echo, near a plain shape, and the border isn't looked
/// for anew, as what it differs by is speckle and gaps.
struct FirstContour {
    StarContour star;
    bool isHeld = false;
};

/// Contour found from one click. Rays from the click meet the border; then both sides get the
/// statistics of the contour found, and the rays start at its center, until they agree. Throws
/// ComputeError if most rays find no border. `hold`: where blood is darker than its surroundings,
/// the contour is held near a plain shape.
FirstContour contourOfClick(const SegmentGrid& grid, Vec3 click, double reach, bool hold,
                            const ExecContext& ctx);

/// Points within chambers that a wall holding the click may enclose, the likeliest first: centers
/// of balls in what is brighter or darker than the click, which the same gray values enclose.
std::vector<Vec3> chambersBeside(const SegmentGrid& grid, Vec3 click, const ExecContext& ctx);

/// Contour found from three points. The search of contourOfClick() begins with, and stays near,
/// half an ellipsoid from the mitral ring to the apex, whose width is the distance to the insertion
/// of the right ventricle less a wall. In an echo the contour is held.
FirstContour contourOfPoints(const SegmentGrid& grid, const VentriclePoints& points,
                             const ExecContext& ctx);

/// Contour in an echo from three points and a center on the axis: a shape whose apex stays in its
/// place.
StarContour echoOfPoints(const SegmentGrid& grid, const VentriclePoints& points, Vec3 center,
                         const ExecContext& ctx);
/// Contour in an echo from the rays of a click, of which those with `met` found a border: nearly an
/// ellipsoid.
StarContour echoAround(const SegmentGrid& grid, const StarContour& first,
                       const std::vector<bool>& met, double reach, const ExecContext& ctx);

MitralPlane mitralPlane(const VentriclePoints& points);
/// Throws ComputeError unless the points may be those of a ventricle.
void checkVentricle(const VentriclePoints& points);

/// The usual thickness, mm, of a wall around a chamber as large as a ball of that radius.
double usualThickness(const SegmentGrid& grid, double radius);

/// The wall around a chamber whose signed distance is `chamber`: the outer border along rays from
/// the chamber's center, within a range about the usual thickness and drawn to it and the median
/// found. Returns about the distance of the outer border on the grid; where rays don't pass through
/// a wall (valves) it is that of the chamber.
Volume outerBorder(const SegmentGrid& grid, const Volume& chamber,
                   const std::optional<MitralPlane>& cut, const ExecContext& ctx);

/// The convex hull, in each plane of cubes along thick slices, of voxels that are brighter than the
/// compact wall and connected with the chamber: experts draw the chamber around papillary muscles
/// and trabeculae. Voxels outside `chamber` aren't added near `outer`, from outerBorder(). Returns
/// approximately a signed distance; the distance of `chamber` stays in planes in which it isn't
/// convex (a right ventricle, a leak) or bright voxels surround less than half of it, and
/// everywhere if blood isn't brighter than the wall. `endsAtValves`: the hull ends where muscle no
/// longer surrounds it, which is in the atrium or the outflow tract. All on the grid's geometry.
Volume hullInSlices(const SegmentGrid& grid, const Volume& chamber, const Volume& outer,
                    bool endsAtValves, const ExecContext& ctx);

/// Contour found from the chamber of the previous frame by a search from its center, up to `reach`
/// mm beyond its border. The previous contour itself isn't the start: its errors would add up.
StarContour contourOfPrevious(const SegmentGrid& grid, const Volume& previous, double reach,
                              const ExecContext& ctx);

/// The center of mass of the inside, LPS mm.
Vec3 centerOf(const Volume& phi);
/// Distances at which rays from the center leave the inside for the last time, mm.
std::vector<double> exitsOf(const Volume& phi, Vec3 center);

/// Leaves only the largest connected inside of phi.
void keepLargestPart(VolumeView<float> phi);

/// The volume inside, ml, with voxels at the border counted in part.
double millilitersInside(const Volume& phi);
/// The radius, mm, of a ball of that volume.
double radiusOfBall(double milliliters);

} // namespace systole
