// The segments of the left ventricle of the American Heart Association (Cerqueira et al.,
// Circulation 105 (2002)): 17, or 16 without a cap of the apex, or 18 with six apical segments.
#pragma once

#include <string>
#include <vector>

namespace systole::cardiac {

/// A model, by the number of its segments.
enum class AhaModel { Sixteen, Seventeen, Eighteen };

inline constexpr double basalFrom = 0.65, midFrom = 0.30; ///< shares of the long axis: 35/35/30 %

/// Bands along the long axis; the cap is the wall beyond the cavity's end.
enum class Level { Cap, Apical, Mid, Basal };
Level levelOf(double share);

/// Number of the segment, from 1, at a place of the wall: `share` along the long axis, 0 at the
/// cavity's apex and 1 at the base, `angle` as in LongAxis: the septum lies at 0 to 120 degrees. In
/// the models of 16 and 18 the cap belongs to the apical segments of its angle.
int ahaSegment(double share, double angleDegrees, AhaModel model);
int ahaSegments(AhaModel model);
/// "basal anterior", ..., by number − 1.
const std::vector<std::string>& ahaNames(AhaModel model);
/// Level of the segment's own band.
Level levelOfSegment(int segment, AhaModel model);

} // namespace systole::cardiac
