// The phantom's motion in the heart's own frame (heart.h).
#pragma once

#include "io/phantom/heart.h"
#include "io/phantom/infarct.h"

#include <array>

namespace systole {

/// The map of material points from end diastole to a state of contraction. In the wall, with the
/// activity q(θ, z) (infarct.h; 1 in a healthy heart) and its integral from the apex up,
///     z' = z − S ∫ q dz,   θ' = θ + φ(z) q(θ, z),   r'² = r²/D − c(θ, z).
/// D = θ'_θ z'_z − θ'_z z'_θ is how the sheet (θ, z) grows, so that the Jacobian
/// determinant (r'/r)(∂r'/∂r) D is 1 for every c, φ and q. c is chosen so that the endocardial
/// radius shrinks by its factor 1 − R q. A healthy heart: z' = a + L (z − a), D = L. Blood is
/// scaled along r with the endocardium; outside, the wall's map fades out with distance. The apex a
/// stays, the base comes down to it, as in the heart. Where q is 0 nothing moves at all.
///
/// Sliding, of a healthy heart: the motion is discontinuous at the epicardium and at the cylinder
/// that continues it above the base. Inside, the wall's map holds unfaded. The tissue outside keeps
/// height and angle; it only makes way along the radius (sliding.h), so that the surfaces stay in
/// touch and slip along and around the axis. Both sides and the inverse are exact.
class PhantomMotion {
public:
    /// contraction 0 (identity) to 1; motionScale multiplies shortening, thickening and twist.
    PhantomMotion(const HeartShape& shape, double contraction, double motionScale,
                  bool sliding = false);
    /// Motion of a heart of the usual shape.
    PhantomMotion(double contraction, double motionScale, bool sliding = false)
        : PhantomMotion(HeartShape{}, contraction, motionScale, sliding) {}

    Vec3 forward(Vec3 p) const;
    /// Throws ComputeError where it finds none.
    Vec3 inverse(Vec3 p) const;
    /// Whether it can be undone, as far as a coarse grid of points tells: no determinant is 0 or
    /// less, and a sliding surface shifts by less than sliding.h allows.
    bool invertible() const;
    /// Radius at end diastole of the surface along which a sliding heart slips; 0 below the apex.
    double slidingRadius(double z) const;

private:
    /// Map of the sheet of angles and heights, and its derivatives.
    struct Sheet {
        double turn = 0, z = 0; ///< θ' − θ, z'
        double turnByAngle = 0, turnByHeight = 0, zByAngle = 0, zByHeight = 0;
        double endocardialScale = 1; ///< 1 − R q
        double determinant() const {
            return (1 + turnByAngle) * zByHeight - turnByHeight * zByAngle;
        }
    };
    Sheet sheet(double angle, double z, double share) const;
    double cavityRadiusSquared(double z) const;
    double influence(double r, double z) const;
    /// A meridian of the wall and the blood of a healthy heart, continued over all space.
    struct Meridian {
        double r = 0, z = 0, angle = 0; ///< angle is the rotation about the axis, radians
    };
    Meridian shell(double angle, double r, double z) const;
    Vec3 forwardShell(Vec3 p) const;
    /// Exact where it ends in the wall or beyond, if found; in the blood of a heart with an infarct
    /// a guess.
    struct Inverse {
        Vec3 p;
        bool exact = true;
    };
    Inverse inverseShell(Vec3 q) const;
    Vec3 newton(Vec3 guess, Vec3 q) const;
    std::array<Vec3, 3> jacobian(Vec3 p) const; ///< its columns, by central differences
    double movedSlidingRadius(double z) const;  ///< radius of the moved sliding surface at height z
    Vec3 forwardSliding(Vec3 p) const;
    Vec3 inverseSliding(Vec3 q) const;

    HeartShape shape_;
    WallActivity activity_;
    double shortening_, radialShortening_;
    double twist_; ///< radians at the apex, 0 at the base
    bool sliding_;
};

} // namespace systole
