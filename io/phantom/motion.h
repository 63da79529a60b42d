// The phantom's motion in its own cylinder coordinates: long axis along +z (base up), millimeters,
// origin at the center of the ellipsoids.
#pragma once

#include "compute/core/geometry.h"

namespace systole {

enum class PhantomTissue : unsigned char { Surroundings = 0, Wall = 1, Blood = 2 };

/// The map of material points from end diastole to a state of contraction. In the wall
///     z' = a + L (z − a),   r'² = r²/L − c(z),   θ' = θ + φ(z),
/// whose Jacobian determinant (r'/r)(∂r'/∂r)(∂z'/∂z) is 1 for every c and φ. c(z) is chosen so that
/// the endocardial radius shrinks by its factor. Blood is scaled along r with the endocardium;
/// outside, the wall's map fades out with distance. The apex a stays, the base comes down to it, as
/// in the heart.
///
/// Sliding: the motion is discontinuous at the epicardium and at the cylinder that continues it
/// above the base. Inside, the wall's map holds unfaded. The tissue outside keeps height and angle;
/// it only makes way along the radius (sliding.h), so that the surfaces stay in touch and slip
/// along and around the axis. Both sides and the inverse are exact.
class PhantomMotion {
public:
    static constexpr double endocardialRadius = 20, endocardialHalfLength = 60;
    static constexpr double epicardialRadius = 30, epicardialHalfLength = 70;
    static constexpr double baseHeight = 12;

    /// contraction 0 (identity) to 1; motionScale multiplies shortening, thickening and twist.
    PhantomMotion(double contraction, double motionScale, bool sliding = false);

    Vec3 forward(Vec3 p) const;
    Vec3 inverse(Vec3 p) const;
    /// Position of a material point, given its position at end diastole.
    static PhantomTissue tissue(Vec3 p);
    /// Radius at end diastole of the surface along which a sliding heart slips; 0 below the apex.
    static double slidingRadius(double z);

private:
    struct Meridian {
        double r = 0, z = 0, angle = 0; ///< angle is the rotation about the axis, radians
    };
    Meridian shell(double r, double z) const; ///< wall and blood, continued over all space
    Vec3 forwardShell(Vec3 p) const;
    Vec3 inverseShell(Vec3 q) const;
    double movedSlidingRadius(double z) const; ///< of the moved surface, at height z
    Vec3 forwardSliding(Vec3 p) const;
    Vec3 inverseSliding(Vec3 q) const;

    double longitudinalScale_;
    double endocardialScale_;
    double twist_; ///< radians at the apex, 0 at the base
    bool sliding_;
};

} // namespace systole
