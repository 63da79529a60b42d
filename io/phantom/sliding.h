// The tissue around a heart that slides in it: it makes way along the radius and does nothing else.
#pragma once

namespace systole {

inline constexpr double largestShift = 25; ///< limit of the shift, mm; smaller ones have an inverse

/// The moved distance from the long axis, mm, of a point outside the heart. `before` and `after`
/// are the radii of the heart's surface at the point's own height. The surface's shift fades out
/// with the distance from it: strictly increasing in r for shifts below largestShift, equal to
/// `after` at `before`.
double pushedRadius(double r, double before, double after);
/// Its inverse.
double pulledRadius(double r, double before, double after);

} // namespace systole
