// Plain shapes of a chamber, seen from a center: what a contour is drawn to where an echo shows no
// border.
#pragma once

#include "compute/surface/segment.h"

#include <vector>

namespace systole {

/// Radii r_i = b_i (1 + sum of c_k f_k(d_i)) of StarDirections, with few coefficients c that are
/// normally distributed about 0.
class StarShape {
public:
    /// A ball; f of the first and second degree in the direction: moved and stretched.
    static StarShape aroundBall(double radius);
    /// Half an ellipsoid from the mitral ring to the apex, `wide` mm its half axis in the plane of
    /// the ring, seen from `center` on its axis; beyond the plane it goes on. f is g(height)
    /// h(angle about the axis): g is 1 at the ring and 0 at the apex, or 1 halfway and 0 at both; h
    /// is 1, or a cosine or sine of the angle or of twice the angle. So it is widened, bent and
    /// flattened, and the apex stays where it was placed.
    static StarShape ofVentricle(const VentriclePoints& points, double wide, Vec3 center);

    /// Radii of all directions, mm.
    const std::vector<double>& radii() const { return radii_; }

    /// The likeliest coefficients for radii that were found, which lie about the shape with
    /// Cauchy's tails, so that those far off count less. Only those for which `counts` holds.
    void fit(const std::vector<double>& found, const std::vector<bool>& counts);

private:
    std::vector<double> spread_; ///< standard deviation of each coefficient
    std::vector<double> base_, radii_;
    std::vector<double> functions_; ///< f_k(d_i), all k of one direction after another
};

} // namespace systole
