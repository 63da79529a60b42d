// Where a left ventricle lies: its long axis, the plane of its base, the insertion of the right
// ventricle; from points that are given, and from the tissues where they aren't.
#pragma once

#include "compute/cardiac/long_axis.h"
#include "compute/cardiac/tissue.h"

#include <optional>
#include <string>
#include <vector>

namespace systole::cardiac {

/// LPS mm; empty: to be found.
struct GivenPoints {
    std::optional<Vec3> apex;      ///< of the cavity
    std::optional<Vec3> mitral;    ///< middle of the mitral ring
    std::optional<Vec3> insertion; ///< anterior insertion of the right ventricle
};

struct Plane {
    Vec3 point, normal; ///< LPS mm; unit vector
    double above(Vec3 p) const { return dot(p - point, normal); }
};

struct Placement {
    LongAxis axis;
    Plane base;                     ///< its normal leads out of the ventricle
    bool insertionKnown = false;    ///< else angles count from the patient's right
    std::vector<std::string> notes; ///< what was found instead of given, a sentence each
};

/// The base is the plane through the faces between the cavity and what isn't heart, by least
/// squares; the mitral middle is their middle, the apex the end of the cavity that is farthest from
/// it. The insertion is the end of the septum, where right ventricle and wall touch, from which
/// the septum runs counter-clockwise seen from the apex. Without a right ventricle the middle of
/// the septum is taken to lie towards the patient's right, and a note says so. Throws ComputeError
/// with one sentence for a cavity that is closed or too small.
Placement placementOf(const TissueMap& map, const TissueVoxels& cavity, const TissueVoxels& wall,
                      const GivenPoints& given);

} // namespace systole::cardiac
