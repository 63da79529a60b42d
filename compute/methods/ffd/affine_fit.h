// The rigid or affine map that fits pairs of points, of which some are wrong.
#pragma once

#include "compute/core/affine_map.h"

#include <span>
#include <vector>

namespace systole::affine {

enum class Freedom { Rigid, Affine };

/// A point and where it was found, LPS mm.
struct PointPair {
    Vec3 from, to;
};

/// The map with the smallest sum of squared distances |map(from) − to|². Rigid: Arun, Huang,
/// Blostein, IEEE PAMI 9(5), 1987, with the determinant kept at 1. Directions in which all points
/// lie in one plane tell nothing: an affine map leaves them as they are. At least one pair.
AffineMap leastSquares(std::span<const PointPair> pairs, Freedom freedom);

/// Least trimmed squares (Rousseeuw and Van Driessen, Data Mining and Knowledge Discovery 12,
/// 2006): a map that fits the given share of the pairs, above 0 and at most 1, better than its
/// neighbors do, found by at most so many C-steps from `start`. At least one pair.
struct TrimmedFit {
    AffineMap map;
    std::vector<int> kept; ///< indices of the pairs that it fits, ascending
    double rms = 0;        ///< root mean square of their distances after the map, mm
};
TrimmedFit leastTrimmedSquares(std::span<const PointPair> pairs, double share, Freedom freedom,
                               const AffineMap& start, int maxSteps);

/// The map half-way from a to b: a (a⁻¹ b)^½. Half-way from b⁻¹ to a⁻¹ is its inverse. Empty if
/// there is none: a singular map, or b turns away from a by half a circle.
std::optional<AffineMap> halfWay(const AffineMap& a, const AffineMap& b);

} // namespace systole::affine
