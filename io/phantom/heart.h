// The shape of the phantom's left ventricle at end diastole, where it lies, and how far it moves
// until end systole.
#pragma once

#include "compute/core/geometry.h"

namespace systole {

enum class PhantomTissue : unsigned char { Surroundings = 0, Wall = 1, Blood = 2 };

/// Two ellipsoids about a long axis, cut off at the base. The heart's own frame: millimeters, the
/// long axis along +z (base up), origin at the center of the ellipsoids.
struct HeartShape {
    double endocardialRadius = 20, endocardialHalfLength = 60; ///< mm
    double wallThickness = 10;                                 ///< mm
    double baseHeight = 12;                                    ///< mm above the center
    // Motion from end diastole to end systole.
    double shortening = 0.13;       ///< fraction of the length
    double radialShortening = 0.20; ///< fraction of the endocardial radius
    double twistDegrees = 10;       ///< rotation of the apex against the base
    // A segment that doesn't move (infarct.h).
    double infarctDegrees = 0;      ///< opening of its still part about the long axis; 0: none
    double infarctAngleDegrees = 0; ///< angle of its middle about the long axis
    // Where the heart lies.
    Vec3 shift{};                    ///< offset of the long axis' middle from LPS (0, 0, 0), mm
    double tiltDegrees = 0;          ///< angle between the long axis and LPS +z
    double tiltDirectionDegrees = 0; ///< direction of the tilt, from LPS +x towards +y

    double epicardialRadius() const { return endocardialRadius + wallThickness; }
    double epicardialHalfLength() const { return endocardialHalfLength + wallThickness; }
    double apexHeight() const { return -epicardialHalfLength(); }
    /// Tissue of a material point, given its position at end diastole in the heart's own frame.
    PhantomTissue tissue(Vec3 own) const;
    /// The middle of the wall at a height between apex and base, `angle` radians about the axis.
    Vec3 middleOfWall(double z, double angle) const;
};

/// Rigid map from LPS mm to the heart's own frame and back.
class HeartPose {
public:
    explicit HeartPose(const HeartShape& shape);

    Vec3 toOwn(Vec3 lps) const { return towards_ * (lps - center_); }
    Vec3 fromOwn(Vec3 own) const { return back_ * own + center_; }
    /// Rotates a displacement, which isn't shifted, from the heart's own frame to LPS.
    Vec3 turnedFromOwn(Vec3 own) const { return back_ * own; }

private:
    Vec3 center_; ///< center of the ellipsoids, LPS mm
    Matrix3 towards_, back_;
};

} // namespace systole
