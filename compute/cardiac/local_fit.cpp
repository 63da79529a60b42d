#include "compute/cardiac/local_fit.h"

#include "compute/core/points.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace systole::cardiac {
namespace {

constexpr double sigma = LocalFit::sigma;
/// Smallest pivot, as a fraction of the largest: below, the voxels don't determine the fit.
constexpr double minPivot = 1e-7;
constexpr std::array<int, 4> terms{1, 4, 10, 20}; ///< number of terms of a polynomial, by its order

using Exponents = std::array<int, 3>; ///< powers of x, y, z

/// 1; x, y, z; products of two; products of three: the first terms[order] of them.
constexpr std::array<Exponents, 20> monomials{
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1},
     {0, 2, 0}, {0, 1, 1}, {0, 0, 2}, {3, 0, 0}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0},
     {1, 1, 1}, {1, 0, 2}, {0, 3, 0}, {0, 2, 1}, {0, 1, 2}, {0, 0, 3}}};

using FourRows = std::array<double, 4>; ///< weights of a value and its derivatives

/// Highest power of an offset in the normal matrix.
constexpr int highestPower = 2 * LocalFit::highestOrder;
constexpr std::size_t width = LocalFit::width;
using Powers = std::array<double, highestPower + 1>;

/// A voxel's part along one axis.
struct Along {
    Powers power;  ///< powers of the offset from the point, in units of the reach
    double weight; ///< a voxel's is the product of three
};

/// The voxels around a point, x fastest.
struct WeightedNeighbors {
    std::array<std::array<Along, width>, 3> axis;
    std::array<std::int32_t, width * width * width> place; ///< or -1
    std::size_t count = 0;                                 ///< number of voxels that are there
};

Vec3 rounded(Vec3 index) { return {std::round(index.x), std::round(index.y), std::round(index.z)}; }

/// `placeOf(x, y, z)` is a voxel's place, or -1.
template <typename PlaceOf>
WeightedNeighbors neighborsOf(const PlaceOf& placeOf, Vec3 index) {
    const Vec3 at = rounded(index);
    constexpr int reach = LocalFit::reach;
    WeightedNeighbors found;
    std::array<int, 3> first{};
    for (std::size_t a = 0; a < 3; ++a) {
        first[a] = static_cast<int>(at[static_cast<int>(a)]) - reach;
        for (std::size_t k = 0; k < width; ++k) {
            const double d = first[a] + static_cast<int>(k) - index[static_cast<int>(a)];
            Along& along = found.axis[a][k];
            along.weight = std::exp(-d * d / (2 * sigma * sigma));
            along.power[0] = 1;
            for (std::size_t e = 1; e < along.power.size(); ++e)
                along.power[e] = along.power[e - 1] * d / reach;
        }
    }
    std::size_t i = 0;
    for (int z = 0; z < static_cast<int>(width); ++z)
        for (int y = 0; y < static_cast<int>(width); ++y)
            for (int x = 0; x < static_cast<int>(width); ++x) {
                const std::int32_t place = placeOf(first[0] + x, first[1] + y, first[2] + z);
                found.place[i++] = place;
                found.count += place >= 0 ? 1 : 0;
            }
    return found;
}

/// Weighted sums of all products of powers of at most `highest` together: row by row, plane by
/// plane. [z][y][x]
template <std::size_t highest>
using Moments = std::array<std::array<std::array<double, highest + 1>, highest + 1>, highest + 1>;

template <std::size_t highest>
Moments<highest> momentsOf(const WeightedNeighbors& around) {
    Moments<highest> all{};
    std::size_t i = 0;
    for (const Along& z : around.axis[2]) {
        std::array<std::array<double, highest + 1>, highest + 1> plane{};
        for (const Along& y : around.axis[1]) {
            std::array<double, highest + 1> row{};
            for (const Along& x : around.axis[0])
                if (around.place[i++] >= 0)
                    for (std::size_t a = 0; a <= highest; ++a)
                        row[a] += x.weight * x.power[a];
            for (std::size_t b = 0; b <= highest; ++b)
                for (std::size_t a = 0; a + b <= highest; ++a)
                    plane[b][a] += y.weight * y.power[b] * row[a];
        }
        for (std::size_t c = 0; c <= highest; ++c)
            for (std::size_t b = 0; b + c <= highest; ++b)
                for (std::size_t a = 0; a + b + c <= highest; ++a)
                    all[c][b][a] += z.weight * z.power[c] * plane[b][a];
    }
    return all;
}

template <int n, std::size_t highest>
Eigen::Matrix<double, n, n> normalMatrix(const Moments<highest>& moments) {
    Eigen::Matrix<double, n, n> normal;
    const auto power = [](int i, int j, std::size_t axis) {
        return static_cast<std::size_t>(monomials[static_cast<std::size_t>(i)][axis] +
                                        monomials[static_cast<std::size_t>(j)][axis]);
    };
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            normal(i, j) = moments[power(i, j, 2)][power(i, j, 1)][power(i, j, 0)];
    return normal;
}

/// The first four rows of the inverse normal matrix times the weighted terms of each voxel; false
/// if the voxels don't determine a polynomial of the order.
template <std::size_t order, std::size_t highest>
bool fit(const WeightedNeighbors& around, const Moments<highest>& moments, FitWeights& weights) {
    constexpr int n = terms[order], rows = order > 0 ? 4 : 1;
    if (around.count < static_cast<std::size_t>(n))
        return false;
    using Matrix = Eigen::Matrix<double, n, n>;
    const Eigen::LDLT<Matrix> factors(normalMatrix<n, highest>(moments));
    const auto pivots = factors.vectorD();
    if (!(pivots.minCoeff() > minPivot * pivots.maxCoeff()))
        return false;
    const Eigen::Matrix<double, n, rows> inverse =
        factors.solve(Eigen::Matrix<double, n, rows>::Identity());
    weights.order = static_cast<int>(order);
    weights.place.reserve(around.count);
    weights.weight.reserve(around.count);
    // The four polynomials are found plane by plane, then row by row, then at each voxel.
    std::size_t i = 0;
    for (const Along& z : around.axis[2]) {
        std::array<FourRows, (order + 1) * (order + 1)> plane{};
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
            const auto [a, b, c] = monomials[k];
            for (int row = 0; row < rows; ++row)
                plane[static_cast<std::size_t>(b) * (order + 1) + static_cast<std::size_t>(a)]
                     [static_cast<std::size_t>(row)] +=
                    inverse(static_cast<int>(k), row) * z.power[static_cast<std::size_t>(c)];
        }
        for (const Along& y : around.axis[1]) {
            std::array<FourRows, order + 1> line{};
            for (std::size_t b = 0; b <= order; ++b)
                for (std::size_t a = 0; a + b <= order; ++a)
                    for (std::size_t row = 0; row < 4; ++row)
                        line[a][row] += plane[b * (order + 1) + a][row] * y.power[b];
            for (const Along& x : around.axis[0]) {
                const std::int32_t place = around.place[i++];
                if (place < 0)
                    continue;
                FourRows weight{};
                const double all = x.weight * y.weight * z.weight;
                for (std::size_t a = 0; a <= order; ++a)
                    for (std::size_t row = 0; row < 4; ++row)
                        weight[row] += line[a][row] * x.power[a];
                for (double& w : weight)
                    w *= all;
                weights.place.push_back(place);
                weights.weight.push_back(weight);
            }
        }
    }
    return true;
}

/// Fits the polynomial of the highest order, down from this one, that the voxels determine.
template <std::size_t order>
void fitHighest(const WeightedNeighbors& around, FitWeights& weights) {
    const auto moments = momentsOf<2 * order>(around);
    const auto may = [&]<std::size_t n>() {
        if constexpr (n <= order)
            return fit<n, 2 * order>(around, moments, weights);
        return false;
    };
    [[maybe_unused]] const bool found =
        may.template operator()<3>() || may.template operator()<2>() ||
        may.template operator()<1>() || may.template operator()<0>();
}

FitWeights weightsOf(const WeightedNeighbors& around, int highest, const Geometry& grid) {
    FitWeights weights;
    switch (highest) {
    case 1:
        fitHighest<1>(around, weights);
        break;
    case 2:
        fitHighest<2>(around, weights);
        break;
    default:
        fitHighest<3>(around, weights);
    }
    // Derivatives per reach of voxels become derivatives along LPS.
    const Matrix3& toIndex = grid.physicalToVoxelMatrix();
    for (std::array<double, 4>& w : weights.weight) {
        const std::array<double, 3> perReach{w[1], w[2], w[3]};
        for (std::size_t i = 0; i < 3; ++i) {
            w[i + 1] = 0;
            for (std::size_t a = 0; a < 3; ++a)
                w[i + 1] += perReach[a] / LocalFit::reach * toIndex[a][i];
        }
    }
    return weights;
}

} // namespace

LocalFit::LocalFit(const TissueVoxels& voxels, int order) : voxels_(voxels), order_(order) {
    whole_ = weightsOf(neighborsOf([](int, int, int) { return 0; }, {}), order, voxels.grid);
}

FitWeights LocalFit::at(Vec3 index) const {
    return weightsOf(
        neighborsOf([&](int x, int y, int z) { return voxels_.place(x, y, z); }, index), order_,
        voxels_.grid);
}

LocalScalar applied(const FitWeights& weights, std::span<const double> values) {
    LocalScalar sum;
    for (std::size_t k = 0; k < weights.place.size(); ++k) {
        const double value = values[static_cast<std::size_t>(weights.place[k])];
        const std::array<double, 4>& w = weights.weight[k];
        sum.value += w[0] * value;
        sum.gradient = sum.gradient + value * Vec3{w[1], w[2], w[3]};
    }
    return sum;
}

Vec3 displacementAt(const FitWeights& weights,
                    std::span<const std::array<float, 3>> displacements) {
    Vec3 sum;
    for (std::size_t k = 0; k < weights.place.size(); ++k)
        sum = sum + weights.weight[k][0] *
                        widened(displacements[static_cast<std::size_t>(weights.place[k])]);
    return sum;
}

} // namespace systole::cardiac
