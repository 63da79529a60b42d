// Breathing: how the phantom's chest moves from breathed in to breathed out. Own coordinates: mm
// from the middle of the picture, x to the patient's left, y to the back, z to the head.
#pragma once

#include "compute/core/geometry.h"

namespace systole {

/// A chest that fits into a picture of the given extents (mm): a body, two lungs that are upright
/// elliptic cylinders with a rounded top, and a domed diaphragm below them.
struct LungShape {
    explicit LungShape(Vec3 extents);

    double bodyX, bodyY;          ///< half axes of the body
    double lungX, lungY;          ///< half axes of a lung
    double lungCenterX;           ///< x of the left lung's axis; the right lung lies at minus this
    double top, shoulder;         ///< heights of the tip, and where the cylinder begins
    double dome, rim;             ///< heights of the diaphragm in the middle and at the wall
    double strongest;             ///< height at which the motion is largest
    double bottom;                ///< height below which the belly is still
    double chestHeight;           ///< height over which the ribs' motion fades
    double largestBreath() const; ///< largest motion along z that the shape allows, mm

    /// 0 in the axis of the nearer lung's cylinder, 1 on its wall.
    double wallDistance(Vec3 p) const;
    bool inLung(Vec3 p) const; ///< whether a point lies in a lung when breathed in
};

/// Two maps, one after the other, each with an exact inverse.
///
/// 1. Within the cylinders, lung and what lies below it move along z; outside, nothing does: the
///    motion is discontinuous at the wall, along which the lungs slide:
///        z' = z + e B (0.8 + 0.2 y/b + q n(x, y))/(1 + q) h(z),   b the cylinder's half axis along
///        y,
///    with h rising from 0 at the shoulder to 1 at the height `strongest`, near the diaphragm, and
///    back to 0 at the bottom, both by the polynomial 6t⁵ − 15t⁴ + 10t³. Strictly increasing in z
///    if B is at most largestBreath(). Neighboring parts of a lung breathe unevenly by the share q:
///    n(x, y) = sin(2π x/80 mm + 1) cos(2π y/100 mm).
/// 2. The whole chest becomes flatter and narrower, smoothly:
///        y' = c + (y − c)(1 − 0.03 e k(z')),   x' = x (1 − 0.02 e k(z')),   c the back,
///    k(z) = exp(−(z/chestHeight)²).
///
/// e is 0 breathed in and 1 breathed out; B, mm, the largest motion along z; q from 0 to 0.5.
class LungMotion {
public:
    LungMotion(const LungShape& shape, double breathMillimeters, double exhalation,
               double unevenness = 0);

    Vec3 forward(Vec3 p) const;
    Vec3 inverse(Vec3 q) const;
    /// How many times its volume the tissue at p, breathed in, has after the motion.
    double determinant(Vec3 p) const;

private:
    struct Lift {
        double value, slope; ///< shift along z, and its derivative by z
    };
    Lift liftAt(Vec3 p) const;
    double flattening(double z) const;

    const LungShape& shape_;
    double breath_, exhalation_, unevenness_;
};

} // namespace systole
