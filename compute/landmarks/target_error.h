// Target registration error: how far from an expert's points the points of the fixed frame land
// when a motion moves them. Fitzpatrick & West, IEEE Trans. Med. Imaging 20 (2001) 917; statistics
// as DIR-Lab reports them (Castillo et al., Phys. Med. Biol. 54 (2009) 1849).
#pragma once

#include "compute/core/volume.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace systole {

/// Statistics of errors in mm. All but the count are NaN if there are none.
struct ErrorFigures {
    std::size_t count = 0;
    double mean = 0;
    /// Standard deviation of the sample: n − 1 in the denominator, as in DIR-Lab's tables; 0 of
    /// one.
    double deviation = 0;
    double quartile = 0, median = 0, upperQuartile = 0, percentile95 = 0;
    double largest = 0;
    std::size_t largestAt = 0; ///< which of the errors
};

/// Quantiles by linear interpolation between the sorted errors.
ErrorFigures errorFigures(std::span<const double> errors);

/// Pairs of points: moving[i] is where fixed[i] is in the moving frame. LPS mm, equal counts.
struct PointPairs {
    std::vector<Vec3> fixed, moving;
};

/// Errors of pairs, mm; empty where the motion says nothing of the fixed point.
using PointErrors = std::vector<std::optional<double>>;

/// The errors without a motion.
PointErrors initialErrors(const PointPairs& pairs);

/// `moved` is where the motion takes the fixed points. With a `grid`, that of the moving image,
/// they are first moved to the center of the nearest voxel, as DIR-Lab prescribes for points that
/// were marked at voxels.
PointErrors targetErrors(const PointPairs& pairs, const std::vector<std::optional<Vec3>>& moved,
                         const Geometry* grid = nullptr);

/// The errors that are there.
std::vector<double> known(const PointErrors& errors);

/// p + w(p), trilinear in double precision; empty where p lies outside the field's voxels, which
/// reach half a spacing beyond their centers.
std::optional<Vec3> movedBy(const MillimeterField& field, Vec3 lpsMillimeters);

/// The center of the nearest voxel; also beyond the grid, as if it went on.
Vec3 nearestVoxelCenter(const Geometry& grid, Vec3 lpsMillimeters);

} // namespace systole
