#include "compute/core/affine_map.h"

#include <cmath>

namespace systole {

Matrix3 product(const Matrix3& a, const Matrix3& b) {
    Matrix3 c{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k)
                c[i][j] += a[i][k] * b[k][j];
    return c;
}

Matrix3 transposed(const Matrix3& m) {
    Matrix3 t{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            t[i][j] = m[j][i];
    return t;
}

double determinant(const Matrix3& m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

std::optional<AffineMap> AffineMap::inverse() const {
    const double d = determinant(matrix);
    if (!std::isfinite(d) || d == 0)
        return std::nullopt;
    AffineMap result;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column) {
            // The cofactor of the transposed entry, its sign by cyclic order.
            const std::size_t a = (column + 1) % 3, b = (column + 2) % 3;
            const std::size_t c = (row + 1) % 3, e = (row + 2) % 3;
            result.matrix[row][column] =
                (matrix[a][c] * matrix[b][e] - matrix[a][e] * matrix[b][c]) / d;
        }
    result.offset = -1.0 * (result.matrix * offset);
    return result;
}

AffineMap compose(const AffineMap& after, const AffineMap& before) {
    AffineMap result;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column) {
            result.matrix[row][column] = 0;
            for (std::size_t k = 0; k < 3; ++k)
                result.matrix[row][column] += after.matrix[row][k] * before.matrix[k][column];
        }
    result.offset = after(before.offset);
    return result;
}

} // namespace systole
