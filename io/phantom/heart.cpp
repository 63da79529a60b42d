#include "io/phantom/heart.h"

#include "compute/core/affine_map.h"

#include <cmath>
#include <numbers>

namespace systole {
namespace {

double radiusAt(double z, double radius, double halfLength) {
    return radius * std::sqrt(1 - z * z / (halfLength * halfLength));
}

} // namespace

PhantomTissue HeartShape::tissue(Vec3 p) const {
    const double r = std::hypot(p.x, p.y);
    if (p.z > baseHeight || std::hypot(r / epicardialRadius(), p.z / epicardialHalfLength()) > 1)
        return PhantomTissue::Surroundings;
    if (std::hypot(r / endocardialRadius, p.z / endocardialHalfLength) < 1)
        return PhantomTissue::Blood;
    return PhantomTissue::Wall;
}

Vec3 HeartShape::middleOfWall(double z, double angle) const {
    const double inner = std::abs(z) < endocardialHalfLength
                             ? radiusAt(z, endocardialRadius, endocardialHalfLength)
                             : 0;
    const double radius = 0.5 * (inner + radiusAt(z, epicardialRadius(), epicardialHalfLength()));
    return {radius * std::cos(angle), radius * std::sin(angle), z};
}

HeartPose::HeartPose(const HeartShape& shape) {
    const double degree = std::numbers::pi / 180;
    const auto turn = [&](double degrees) { // rotation about z
        const double c = std::cos(degrees * degree), s = std::sin(degrees * degree);
        return Matrix3{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    };
    const double c = std::cos(shape.tiltDegrees * degree), s = std::sin(shape.tiltDegrees * degree);
    const Matrix3 lean{{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}}; // +z towards +x
    back_ =
        product(turn(shape.tiltDirectionDegrees), product(lean, turn(-shape.tiltDirectionDegrees)));
    towards_ = transposed(back_);
    // The middle of the long axis turns in place; the ellipsoids' center lies above it.
    const double height = -0.5 * (shape.baseHeight - shape.epicardialHalfLength());
    center_ = shape.shift + back_ * Vec3{0, 0, height};
}

} // namespace systole
