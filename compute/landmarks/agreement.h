// Which displacements contradict those of their neighbors.
//
// A displacement is compared with two predictions from the neighbors': their median, and an affine
// map fitted to them by iteratively reweighted least squares. Its distance from the prediction,
// divided by the neighbors' median distance plus a tolerance, is the normalized residual of
// Westerweel & Scarano (Experiments in Fluids 39, 2005): where the motion is rough, as along a
// sliding wall, more is allowed. The smaller of both residuals counts.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"

#include <span>
#include <vector>

namespace systole {

struct AgreementSettings {
    double threshold = 3;    ///< greatest normalized residual that agrees
    double tolerance = 1;    ///< mm, added to the neighbors' median distance
    int neighbors = 16;      ///< that are compared with, the nearest that count
    int fewestNeighbors = 4; ///< min for a judgment
};

/// Indices of each point's nearest others, nearest first (equals by index): `count` of them, or all
/// where there are fewer. Row i is [i·stride, i·stride + stride).
struct NeighborTable {
    int stride = 0;
    std::vector<int> indices;
    std::span<const int> of(int point) const {
        return {indices.data() + std::ptrdiff_t{point} * stride, static_cast<std::size_t>(stride)};
    }
};
NeighborTable nearestNeighbors(std::span<const Vec3> points, int count, const ExecContext& ctx);

/// Sets agrees[i] to 0 where counts[i] is set and displacement i contradicts its neighbors', else
/// to counts[i]. Only points that count are neighbors. Points and displacements in mm; the table is
/// of these points, with more neighbors than the settings ask for, so that some may be missing.
void judgeAgreement(std::span<const Vec3> points, std::span<const Vec3> displacements,
                    std::span<const unsigned char> counts, const NeighborTable& table,
                    const AgreementSettings& settings, std::span<unsigned char> agrees,
                    const ExecContext& ctx);

} // namespace systole
