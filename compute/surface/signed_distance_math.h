// Mathematics that the implementations of the signed distance of a mask share.
//
// The distance to the union of all faces is found axis by axis. Along x only faces across x count:
// D(x) = s² min (x − v)², v their half-integer positions. Along each further axis a voxel's
// candidates are the distances found so far in its line, each at the near side of its voxel, and
// the faces across this axis, which lie there too: the parabola at v = i + 1/2 has height 0 if
// voxels i and i + 1 lie on different sides, else min(D(i), D(i + 1)). A face across y counts in
// its own column alone: a voxel beside that column is nearest to the face's rim, which also belongs
// to the face that goes on there.
#pragma once

#include "compute/core/error.h"
#include "compute/core/geometry.h"

#include <string>

namespace systole::distance {

/// The squared distance of what lies at v = i + 1/2 between two voxels of a line.
constexpr float betweenVoxels(bool differ, float before, float after) {
    return differ ? 0.0f : before < after ? before : after;
}

/// The error of a volume whose voxels are all on one side.
inline ComputeError noBorder(bool inside, const char* what) {
    return ComputeError(inside ? std::string("all voxels lie inside ") + what +
                                     ": there is no border to measure a distance to"
                               : std::string("no voxel lies inside ") + what +
                                     ": there is no border to measure a distance to");
}

inline void requireSameSize(Size3 a, Size3 b) {
    if (a != b)
        throw ComputeError("the signed distance needs a volume of the size of its source");
}

} // namespace systole::distance
