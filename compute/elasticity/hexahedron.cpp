#include "compute/elasticity/hexahedron.h"

#include "compute/core/error.h"

#include <Eigen/Core>
#include <fmt/format.h>

#include <cmath>

namespace systole::elasticity {
namespace {

using StrainMatrix = Eigen::Matrix<double, 6, 24>; ///< displacements to xx, yy, zz, xy, yz, zx

void requireRanges(Vec3 edges, const ElasticMaterial& material) {
    for (int axis = 0; axis < 3; ++axis)
        if (!std::isfinite(edges[axis]) || edges[axis] <= 0)
            throw ComputeError(
                fmt::format("an edge of an elastic voxel is {} mm; it must be finite and above 0",
                            edges[axis]));
    if (!std::isfinite(material.youngsModulus) || material.youngsModulus <= 0)
        throw ComputeError(
            fmt::format("Young's modulus of the wall is {}; it must be finite and above 0",
                        material.youngsModulus));
    if (!(material.poissonRatio > -1 && material.poissonRatio < 0.5))
        throw ComputeError(
            fmt::format("Poisson's ratio of the wall is {}; it must be above -1 and below 0.5",
                        material.poissonRatio));
}

/// `at` from -1 to 1 along each axis.
StrainMatrix strainAt(const std::array<double, 3>& at, Vec3 edges) {
    StrainMatrix strain = StrainMatrix::Zero();
    for (int corner = 0; corner < 8; ++corner) {
        std::array<double, 3> slope{};
        for (int axis = 0; axis < 3; ++axis) {
            double product = 1;
            for (int other = 0; other < 3; ++other) {
                const double side = (corner >> other & 1) != 0 ? 1 : -1;
                product *=
                    other == axis ? side / edges[axis] : (1 + side * at[std::size_t(other)]) / 2;
            }
            slope[std::size_t(axis)] = product;
        }
        const int first = 3 * corner;
        for (int axis = 0; axis < 3; ++axis) {
            const int next = (axis + 1) % 3;
            strain(axis, first + axis) = slope[std::size_t(axis)];
            strain(3 + axis, first + axis) = slope[std::size_t(next)];
            strain(3 + axis, first + next) = slope[std::size_t(axis)];
        }
    }
    return strain;
}

} // namespace

HexahedronMatrix hexahedronStiffness(Vec3 edges, const ElasticMaterial& material) {
    requireRanges(edges, material);
    const double gauss = 1 / std::sqrt(3.0);
    std::array<StrainMatrix, 8> strains;
    Eigen::Matrix<double, 1, 24> meanDilatation = Eigen::Matrix<double, 1, 24>::Zero();
    for (int point = 0; point < 8; ++point) {
        std::array<double, 3> at{};
        for (int axis = 0; axis < 3; ++axis)
            at[std::size_t(axis)] = (point >> axis & 1) != 0 ? gauss : -gauss;
        strains[std::size_t(point)] = strainAt(at, edges);
        meanDilatation += strains[std::size_t(point)].topRows<3>().colwise().sum() / 8;
    }
    const double nu = material.poissonRatio;
    const double lambda = material.youngsModulus * nu / ((1 + nu) * (1 - 2 * nu));
    const double mu = material.youngsModulus / (2 * (1 + nu));
    Eigen::Matrix<double, 6, 6> stress = Eigen::Matrix<double, 6, 6>::Zero();
    stress.topLeftCorner<3, 3>().setConstant(lambda);
    stress.diagonal() << lambda + 2 * mu, lambda + 2 * mu, lambda + 2 * mu, mu, mu, mu;
    Eigen::Matrix<double, 24, 24> sum = Eigen::Matrix<double, 24, 24>::Zero();
    for (StrainMatrix& strain : strains) {
        const Eigen::Matrix<double, 1, 24> missing =
            (meanDilatation - strain.topRows<3>().colwise().sum()) / 3;
        strain.topRows<3>().rowwise() += missing;
        sum += strain.transpose() * stress * strain;
    }
    const double volumeOfPoint = edges.x * edges.y * edges.z / 8;
    HexahedronMatrix stiffness{};
    // Symmetrized, so that both sides of the diagonal have the same bits.
    for (int row = 0; row < 24; ++row)
        for (int column = 0; column < 24; ++column)
            stiffness[std::size_t(row)][std::size_t(column)] =
                volumeOfPoint * (sum(row, column) + sum(column, row)) / 2;
    return stiffness;
}

} // namespace systole::elasticity
