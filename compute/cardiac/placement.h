// Where a left ventricle lies: its long axis, the plane of its base, the insertion of the right
// ventricle; from points that are given, and from the tissues where they aren't.
#pragma once

#include "compute/cardiac/long_axis.h"
#include "compute/cardiac/tissue.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole::cardiac {

/// LPS mm; empty: to be found.
struct GivenPoints {
    std::optional<Vec3> apex;      ///< apex of the cavity
    std::optional<Vec3> mitral;    ///< middle of the mitral ring
    std::optional<Vec3> insertion; ///< anterior insertion of the right ventricle
};

/// A voxel is on the long axis if it is nearer to it than this part of the largest spacing.
inline constexpr double onAxis = 0.75;

struct Plane {
    Vec3 point, normal; ///< LPS mm; unit vector
    double above(Vec3 p) const { return dot(p - point, normal); }
};

struct Placement {
    LongAxis axis;
    Plane base; ///< its normal leads out of the ventricle
    /// Where the labels end at the apex, if no wall closes the cavity there, as in a stack of
    /// slices.
    std::optional<Plane> apicalCut;
    bool insertionKnown = false; ///< else angles count from the patient's right
    /// Places that were found because they weren't given, a sentence each.
    std::vector<std::string> notes;

    /// How far a point lies beyond the base or the cut at the apex, mm; and beyond which. 0 or
    /// less: within both.
    std::pair<double, Plane> beyond(Vec3 p) const {
        const double above = base.above(p), below = apicalCut ? apicalCut->above(p) : above - 1;
        return above >= below ? std::pair(above, base) : std::pair(below, *apicalCut);
    }
};

/// The base is the plane through the faces between the cavity and what isn't heart, by least
/// squares; the mitral middle is their middle, the apex the end of the cavity that is farthest from
/// it. The insertion is the end of the septum, where right ventricle and wall touch, from which
/// the septum runs counter-clockwise seen from the apex. Without wall on the long axis below the
/// cavity the labels are cut where the wall ends, and the long axis with them. Without a right
/// ventricle the middle of the septum is taken to lie towards the patient's right, and a note says
/// so. Throws ComputeError with one sentence for a cavity that is closed or too small.
Placement placementOf(const TissueMap& map, const TissueVoxels& cavity, const TissueVoxels& wall,
                      const GivenPoints& given);

} // namespace systole::cardiac
