// What decides whether a displacement folds at a voxel, shared by the implementations for
// processors and CUDA. Fields and differences are in voxels.
//
// The edges that meet at a voxel form eight corners. A corner's determinant is that of I + (edges);
// the determinant of central differences is the mean over the eight (determinants are linear in
// each column), so that a voxel whose corners are all positive doesn't fold by that measure either.
#pragma once

#include "compute/core/neighbors.h"
#include "compute/core/volume.h"

namespace systole::folds {

/// A voxel counts as folded if one of its corners is below this.
inline constexpr float leastDeterminant = 0.01f;
/// While no edge is steeper, no corner can be below leastDeterminant: it is at least (1 − L)³.
inline constexpr float gentleEdge = 0.78f;
/// Steepness up to which a step is composed as it is: every determinant is at least 1/8.
inline constexpr float gentleStep = 0.5f;
inline constexpr int mostSquarings = 3;
/// Rounds of averaging around folded voxels.
inline constexpr int mostRounds = 48;

struct Edge {
    float x, y, z;
};

/// From one voxel to its neighbor ahead, given as offsets.
constexpr Edge edgeBetween(const FieldView<const float>& field, std::size_t from, std::size_t to) {
    return {field.u[to] - field.u[from], field.v[to] - field.v[from], field.w[to] - field.w[from]};
}

/// |dx| + |dy| + |dz|: the largest over all edges is the Lipschitz constant of the interpolated
/// displacement in that norm.
constexpr float steepnessOf(const Edge& e) {
    const auto magnitude = [](float value) { return value < 0 ? -value : value; };
    return magnitude(e.x) + magnitude(e.y) + magnitude(e.z);
}

/// The edges of a voxel behind and ahead along each axis. At the border there is one, which takes
/// both places; along an axis of one voxel it is zero.
struct VoxelEdges {
    Edge along[3][2];

    constexpr VoxelEdges(const FieldView<const float>& field, int x, int y, int z) : along{} {
        const std::size_t here = field.componentView(0).offset(x, y, z);
        const int position[3] = {x, y, z};
        std::size_t stride = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const int count = field.size[axis];
            const bool behind = position[axis] > 0, ahead = position[axis] + 1 < count;
            if (behind)
                along[axis][0] = edgeBetween(field, here - stride, here);
            if (ahead)
                along[axis][1] = edgeBetween(field, here, here + stride);
            if (!behind)
                along[axis][0] = along[axis][1];
            if (!ahead)
                along[axis][1] = along[axis][0];
            stride *= static_cast<std::size_t>(count);
        }
    }

    constexpr float steepness() const {
        float steepest = 0;
        for (const auto& axis : along)
            for (const Edge& edge : axis) {
                const float value = steepnessOf(edge);
                steepest = value > steepest ? value : steepest;
            }
        return steepest;
    }

    /// The smallest determinant of the eight corners.
    constexpr float lowestDeterminant() const {
        float lowest = 3.4e38f;
        for (const Edge& a : along[0])
            for (const Edge& b : along[1]) {
                const Edge i{1 + a.x, a.y, a.z}, j{b.x, 1 + b.y, b.z};
                const Edge normal{i.y * j.z - i.z * j.y, i.z * j.x - i.x * j.z,
                                  i.x * j.y - i.y * j.x};
                for (const Edge& c : along[2]) {
                    const float value = normal.x * c.x + normal.y * c.y + normal.z * (1 + c.z);
                    lowest = value < lowest ? value : lowest;
                }
            }
        return lowest;
    }

    constexpr bool fold() const {
        return steepness() > gentleEdge && !(lowestDeterminant() >= leastDeterminant);
    }
};

/// The factor on a field of this steepness that leaves every edge gentle.
constexpr float gentleFactor(float steepness) {
    return steepness > gentleEdge ? 0.95f * gentleEdge / steepness : 1.0f;
}

/// Squarings after which a step of this steepness is the exponential of one of gentleStep, and the
/// factor on the step before them: less than 2^-squarings where mostSquarings doesn't suffice.
struct Scaling {
    int squarings = 0;
    float factor = 1;
};
constexpr Scaling scalingOf(float steepness) {
    Scaling scaling;
    while (scaling.squarings < mostSquarings && scaling.factor * steepness > gentleStep) {
        ++scaling.squarings;
        scaling.factor *= 0.5f;
    }
    if (scaling.factor * steepness > gentleStep)
        scaling.factor = gentleStep / steepness;
    return scaling;
}

/// Whether one of the 27 voxels around (x, y, z), itself included, is marked.
constexpr bool nearMark(const VolumeView<const float>& marks, int x, int y, int z) {
    const Size3 size = marks.size;
    for (int k = z > 0 ? z - 1 : 0; k <= z + 1 && k < size.z; ++k)
        for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < size.y; ++j)
            for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < size.x; ++i)
                if (marks(i, j, k) != 0)
                    return true;
    return false;
}

/// The mean of the voxel's neighbors along the axes, of one component.
constexpr float meanOfNeighbors(const VolumeView<const float>& v, int x, int y, int z) {
    float sum = 0;
    int count = 0;
    overFaces(v.size, x, y, z, [&](int i, int j, int k) {
        sum += v(i, j, k);
        ++count;
    });
    return count > 0 ? sum / static_cast<float>(count) : v(x, y, z);
}

} // namespace systole::folds
