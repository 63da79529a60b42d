// A chamber of the heart, and the wall around it, from a click or from three points.
//
// A star-shaped first contour (star_contour.h) is pulled to the border by a level set
// (level_set.h), coarse to fine, on a grid of cubes around the seeds. The statistics inside and
// outside are local; curvature and an ellipsoid, whose weight fades, keep the contour from leaving
// through gaps of the wall. docs/numerics/segmentation.md has the equations.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace systole {

/// Points of a left ventricle, LPS mm.
struct VentriclePoints {
    Vec3 apex;           ///< apex of the cavity
    Vec3 mitral;         ///< middle of the mitral ring
    Vec3 rightVentricle; ///< point where the right ventricle's wall joins the left's
};

/// A click or three points: exactly one of both is set.
struct SegmentSeeds {
    std::optional<Vec3> click; ///< point in a chamber or in its wall, LPS mm
    std::optional<VentriclePoints> points;
};

struct SegmentOptions {
    bool wall = false;               ///< also find the wall around a chamber
    bool clickInWall = false;        ///< the click is in the wall of the chamber; both are found
    double reachMillimeters = 65;    ///< how far the border may be from a click
    double smoothness = 0.8;         ///< mm, as in LevelSetForce
    double largestMilliliters = 600; ///< a larger result has left its chamber
    /// Given: `previous` has been carried along by the motion, and is a prior shape that the border
    /// may leave by so many mm (chamber_tracker.h).
    std::optional<double> leashMillimeters{};
    /// Given: the wall's volume in another frame. Muscle can't be compressed: the outer border is
    /// moved evenly, by at most 4 mm, until the wall is as large again (Segmentation::keepsWall).
    std::optional<double> wallMilliliters{};
};

/// The labels of a result.
inline constexpr std::uint8_t chamberLabel = 1, wallLabel = 2;

struct Segmentation {
    Volume signedDistance;            ///< mm, negative inside; on the frame's grid
    std::vector<std::uint8_t> labels; ///< 0, chamberLabel, wallLabel; on the frame's grid
    double milliliters = 0;           ///< volume inside the zero level
    double wallMilliliters = 0;       ///< volume of the voxels labelled as wall; 0 without a wall
    /// The wall in view has one volume over the cycle: neither chamber nor wall reaches places
    /// without data, or the image's edge in a stack of thick slices, through which a heart moves.
    bool keepsWall = false;
    /// The convexShare() of a chamber found from a click, or its convexShare() before slices were
    /// made convex, if that is less; else 1.
    double convexShare = 1;
    /// The contour is near a plain shape: in an echo from three points, or from a click whose
    /// contour left its chamber where it was free.
    bool isHeld = false;
};

/// Segments a frame (host). `previous` (may be null) is the signed distance found in the frame
/// before, on the same grid: the search starts there and stays within 8 mm, and the seeds say only
/// where the mitral plane is, if they are points. Cancellable; reports progress. Throws
/// ComputeError with one sentence: a seed outside the image or in its background, points that make
/// no ventricle, an image of one slice, a constant one, axes that aren't at right angles, values
/// that aren't finite, no border within reach, and a contour that leaks or vanishes.
Segmentation segmentFrame(const Volume& frame, const SegmentSeeds& seeds,
                          const SegmentOptions& options, const Volume* previous,
                          const ExecContext& ctx);

/// The volume inside over that of its convex hull: near 1 for a ventricle; less where a contour has
/// run through a valve into what lies beyond. 0 without an inside.
double convexShare(const Volume& signedDistance);

} // namespace systole
