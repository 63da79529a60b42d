// The long axis of a left ventricle: heights along it and angles about it.
#pragma once

#include "compute/core/geometry.h"

namespace systole::cardiac {

/// Axis from the apex of the cavity to the middle of the mitral ring. Angles are counter-clockwise
/// seen from the apex, in degrees, 0 at the anterior insertion of the right ventricle: the septum
/// begins there. LPS mm, whatever the orientation of the grid.
class LongAxis {
public:
    /// `insertion`: any point of the half plane of angle 0. Throws ComputeError for a length below
    /// 1 mm or an insertion on the axis.
    LongAxis(Vec3 apex, Vec3 mitral, Vec3 insertion);

    Vec3 apex() const { return apex_; }
    Vec3 towardsBase() const { return unit_; }                    ///< unit vector
    double length() const { return length_; }                     ///< mm
    double height(Vec3 p) const { return dot(p - apex_, unit_); } ///< mm above the apex
    double share(Vec3 p) const { return height(p) / length_; }    ///< 0 at the apex, 1 at the base
    double angle(Vec3 p) const;                                   ///< 0 to 360 degrees
    /// Unit vector from the axis.
    Vec3 outwards(double angleDegrees) const;
    Vec3 at(double height) const { return apex_ + height * unit_; }

private:
    Vec3 apex_, unit_;
    double length_;
    Vec3 zero_, quarter_; ///< unit vectors at 0 and 90 degrees
};

} // namespace systole::cardiac
