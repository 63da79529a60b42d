#include "compute/landmarks/region_match.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace systole::sest {
namespace {

constexpr float none = RegionMinimum::none;

/// The least value of a row, infinity if there is none; values that aren't numbers don't count.
float minOf(const float* row, int first, int last) {
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

RegionMinimum minimumOf(VolumeView<const float> squared) {
    const Size3 size = squared.size;
    RegionMinimum minimum;
    Voxel& winner = minimum.winner;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y) {
            const float* const row = squared.row(y, z);
            const float least = minOf(row, 0, size.x);
            if (least < minimum.least) {
                minimum.least = least;
                winner = {static_cast<int>(std::find(row, row + size.x, least) - row), y, z};
            }
        }
    if (minimum.least == none)
        return minimum;
    for (int axis = 0; axis < 3; ++axis) {
        const Voxel before = winner.moved(axis, -1), after = winner.moved(axis, 1);
        if (winner[axis] > 0)
            minimum.before[axis] = squared(before.x, before.y, before.z);
        if (winner[axis] < size[axis] - 1)
            minimum.after[axis] = squared(after.x, after.y, after.z);
    }
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y) {
            const float* const row = squared.row(y, z);
            float& second = minimum.second;
            if (std::abs(z - winner.z) >= elsewhere || std::abs(y - winner.y) >= elsewhere) {
                second = std::min(second, minOf(row, 0, size.x));
            } else {
                second = std::min(second, minOf(row, 0, winner.x - elsewhere + 1));
                second = std::min(second, minOf(row, winner.x + elsewhere, size.x));
            }
        }
    return minimum;
}

RegionMatch matchOf(const RegionMinimum& minimum, Size3 size, Voxel center, Size3 frame) {
    RegionMatch match;
    if (minimum.least == none)
        return match;
    const Voxel winner = minimum.winner;
    match.found = true;
    match.squared = minimum.least;
    match.offset = {winner.x - size.x / 2, winner.y - size.y / 2, winner.z - size.z / 2};
    for (int axis = 0; axis < 3; ++axis) {
        const int at = winner[axis], n = size[axis], offset = match.offset[axis];
        if (at > 0 && at < n - 1) {
            match.subVoxel[axis] =
                offset + vertex(minimum.before[axis], minimum.least, minimum.after[axis]);
        } else {
            match.subVoxel[axis] = offset;
            const int beyond = center[axis] + offset + (at == 0 ? -1 : 1);
            if (n > 1 && beyond >= 0 && beyond < frame[axis])
                match.atEdge = true;
        }
    }
    if (minimum.second < none)
        match.ratio = minimum.second > 0 ? std::sqrt(minimum.least / minimum.second) : 1.0f;
    return match;
}

RegionMatch bestOfRegion(VolumeView<const float> squared, Voxel center, Size3 frame) {
    return matchOf(minimumOf(squared), squared.size, center, frame);
}

} // namespace systole::sest
