#include "compute/landmarks/region_match.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace systole::sest {
namespace {

constexpr float none = std::numeric_limits<float>::infinity();

/// The least value of a row, infinity if there is none; values that aren't numbers don't count.
float leastOf(const float* row, int first, int last) {
    float least = none;
    for (int x = first; x < last; ++x)
        least = row[x] < least ? row[x] : least;
    return least;
}

/// Offset of the vertex of the parabola through −1, 0 and 1, where 0 is the least.
double vertex(float before, float at, float after) {
    const double curvature = double{before} - 2 * double{at} + double{after};
    if (!(curvature > 0) || !std::isfinite(curvature))
        return 0;
    return std::clamp(0.5 * (double{before} - double{after}) / curvature, -0.5, 0.5);
}

} // namespace

RegionMatch bestOfRegion(VolumeView<const float> squared, Voxel center, Size3 frame) {
    const Size3 size = squared.size;
    const Voxel radius{size.x / 2, size.y / 2, size.z / 2};
    RegionMatch match;
    Voxel winner{};
    float best = none;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y) {
            const float* const row = squared.row(y, z);
            const float least = leastOf(row, 0, size.x);
            if (least < best) {
                best = least;
                winner = {static_cast<int>(std::find(row, row + size.x, least) - row), y, z};
            }
        }
    if (best == none)
        return match;
    match.found = true;
    match.squared = best;
    match.offset = {winner.x - radius.x, winner.y - radius.y, winner.z - radius.z};
    for (int axis = 0; axis < 3; ++axis) {
        const int at = winner[axis], n = size[axis], offset = match.offset[axis];
        if (at > 0 && at < n - 1) {
            const Voxel before = winner.moved(axis, -1), after = winner.moved(axis, 1);
            match.subVoxel[axis] = offset + vertex(squared(before.x, before.y, before.z), best,
                                                   squared(after.x, after.y, after.z));
        } else {
            match.subVoxel[axis] = offset;
            const int beyond = center[axis] + offset + (at == 0 ? -1 : 1);
            if (n > 1 && beyond >= 0 && beyond < frame[axis])
                match.atEdge = true;
        }
    }

    float second = none;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y) {
            const float* const row = squared.row(y, z);
            if (std::abs(z - winner.z) >= elsewhere || std::abs(y - winner.y) >= elsewhere) {
                second = std::min(second, leastOf(row, 0, size.x));
            } else {
                second = std::min(second, leastOf(row, 0, winner.x - elsewhere + 1));
                second = std::min(second, leastOf(row, winner.x + elsewhere, size.x));
            }
        }
    if (second < none)
        match.ratio = second > 0 ? std::sqrt(best / second) : 1.0f;
    return match;
}

} // namespace systole::sest
