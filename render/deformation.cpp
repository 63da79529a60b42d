#include "render/deformation.h"

#include "compute/core/affine_map.h"
#include "compute/core/enum_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double smallestJacobian = 1e-3;

/// Displacement in voxels at an index; outside the grid that of its border.
Vec3 displacementAtIndex(FieldView<const float> field, Vec3 index) {
    const sampling::Cell cell = sampling::cellNear(field.size, index);
    return {sampling::interpolate(field.componentView(0), cell),
            sampling::interpolate(field.componentView(1), cell),
            sampling::interpolate(field.componentView(2), cell)};
}

/// Gradient of the deformation in index coordinates; `at(index)` is the displacement in voxels.
template <typename Index, typename At>
Matrix3 gradientBy(Size3 size, const std::array<Index, 3>& index, const At& at) {
    Matrix3 m = identity3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        auto ahead = index, behind = index;
        ahead[axis] = std::min<Index>(index[axis] + 1, size[static_cast<int>(axis)] - 1);
        behind[axis] = std::max<Index>(index[axis] - 1, 0);
        const double apart = static_cast<double>(ahead[axis] - behind[axis]);
        if (!(apart > 0))
            continue;
        const Vec3 change = (1 / apart) * (at(ahead) - at(behind));
        for (std::size_t component = 0; component < 3; ++component)
            m[component][axis] += change[static_cast<int>(component)];
    }
    return m;
}

using Symmetric = std::array<double, 6>; ///< xx, yy, zz, xy, xz, yz

/// (FᵀF − I) / 2, F of the index gradient's change of basis to mm.
Symmetric greenTensor(const Matrix3& indexGradient, const sampling::Grid& grid) {
    std::array<Vec3, 3> columns; // columns of F
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 unit;
        unit[axis] = 1;
        columns[static_cast<std::size_t>(axis)] =
            grid.toPhysical * (indexGradient * (grid.toIndex * unit));
    }
    const auto product = [&](std::size_t a, std::size_t b) {
        return 0.5 * (dot(columns[a], columns[b]) - (a == b ? 1 : 0));
    };
    return {product(0, 0), product(1, 1), product(2, 2),
            product(0, 1), product(0, 2), product(1, 2)};
}

/// Eigenvalue of a symmetric matrix in closed form (O. Smith, Communications of the ACM 4, 1961).
double principal(const Symmetric& e, bool largest) {
    const double mean = (e[0] + e[1] + e[2]) / 3;
    const double x = e[0] - mean, y = e[1] - mean, z = e[2] - mean;
    const double off = e[3] * e[3] + e[4] * e[4] + e[5] * e[5];
    const double p = std::sqrt((x * x + y * y + z * z + 2 * off) / 6);
    if (!(p > 0))
        return mean;
    const double determinant = x * (y * z - e[5] * e[5]) - e[3] * (e[3] * z - e[5] * e[4]) +
                               e[4] * (e[3] * e[5] - y * e[4]);
    const double angle = std::acos(std::clamp(determinant / (2 * p * p * p), -1.0, 1.0)) / 3;
    return mean + 2 * p * std::cos(largest ? angle : angle + 2 * std::numbers::pi / 3);
}

} // namespace

const char* name(Deformation quantity) {
    return enumText(quantity, {"jacobian", "log-jacobian", "largest-strain", "smallest-strain"});
}

const char* captionOf(Deformation quantity) {
    return enumText(quantity, {"|J|", "ln |J|", "largest strain", "smallest strain"});
}

std::optional<Deformation> deformationNamed(const std::string& text) {
    for (const Deformation quantity : deformations)
        if (text == name(quantity))
            return quantity;
    return std::nullopt;
}

Matrix3 indexGradientAt(FieldView<const float> field, Vec3 index) {
    return gradientBy<double>(field.size, {index.x, index.y, index.z}, [&](const auto& at) {
        return displacementAtIndex(field, {at[0], at[1], at[2]});
    });
}

Matrix3 indexGradientAt(FieldView<const float> field, int x, int y, int z) {
    return gradientBy<int>(field.size, {x, y, z}, [&](const auto& at) {
        const std::size_t voxel = field.componentView(0).offset(at[0], at[1], at[2]);
        return Vec3{field.u[voxel], field.v[voxel], field.w[voxel]};
    });
}

double valueOf(Deformation quantity, const Matrix3& indexGradient, const sampling::Grid& grid) {
    if (quantity == Deformation::Jacobian || quantity == Deformation::LogJacobian)
        return std::log(std::max(determinant(indexGradient), smallestJacobian));
    return principal(greenTensor(indexGradient, grid), quantity == Deformation::LargestStrain);
}

std::vector<float> deformationMap(const VectorField& field, Deformation quantity,
                                  const ExecContext& ctx) {
    const sampling::Grid grid(field.geometry);
    const FieldView<const float> view = field.view();
    std::vector<float> values(field.geometry.voxels());
    parallelFor(ctx, view.size.z, 1, [&](int begin, int end) {
        std::size_t voxel = view.componentView(0).offset(0, 0, begin);
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x)
                    values[voxel++] =
                        static_cast<float>(valueOf(quantity, indexGradientAt(view, x, y, z), grid));
    });
    return values;
}

} // namespace systole
