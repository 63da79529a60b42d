// An affine map of space, and what it does to points given in LPS millimeters.
#pragma once

#include "compute/core/geometry.h"

#include <optional>

namespace systole {

/// point ↦ matrix · point + offset, LPS mm. Between images: a point of the fixed image to the point
/// of the moving image with the same tissue.
struct AffineMap {
    Matrix3 matrix = identity3;
    Vec3 offset;

    Vec3 operator()(Vec3 point) const { return matrix * point + offset; }
    /// Empty if the map has none: a determinant of zero or values that aren't finite.
    std::optional<AffineMap> inverse() const;
};

/// after(before(point)).
AffineMap compose(const AffineMap& after, const AffineMap& before);
double determinant(const Matrix3& m);
Matrix3 product(const Matrix3& a, const Matrix3& b);
Matrix3 transposed(const Matrix3& m);

} // namespace systole
