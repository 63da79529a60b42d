#include "compute/cardiac/local_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace systole::cardiac {
namespace {

constexpr double sigma = 1.2;       ///< voxels
constexpr double leastPivot = 1e-7; ///< of the largest: below, the voxels don't determine the fit
constexpr std::array<int, 4> terms{1, 4, 10, 20}; ///< of a polynomial, by its order

/// 1; x, y, z; products of two; products of three: the first terms[order] of them.
std::array<double, 20> monomials(Vec3 p) {
    const double x = p.x, y = p.y, z = p.z;
    return {1,         x,         y,         z,         x * x,     x * y,     x * z,
            y * y,     y * z,     z * z,     x * x * x, x * x * y, x * x * z, x * y * y,
            x * y * z, x * z * z, y * y * y, y * y * z, y * z * z, z * z * z};
}

struct Neighbor {
    std::int32_t place;
    Vec3 offset; ///< from the point, in units of the reach
    double weight;
};

Vec3 rounded(Vec3 index) { return {std::round(index.x), std::round(index.y), std::round(index.z)}; }

/// `placeOf(x, y, z)` is a voxel's place, or -1.
template <typename PlaceOf>
std::vector<Neighbor> neighborsOf(const PlaceOf& placeOf, Vec3 index) {
    const Vec3 at = rounded(index);
    const std::array<int, 3> middle{static_cast<int>(at.x), static_cast<int>(at.y),
                                    static_cast<int>(at.z)};
    constexpr int reach = LocalFit::reach;
    std::vector<Neighbor> found;
    constexpr std::size_t side = 2 * reach + 1;
    found.reserve(side * side * side);
    for (int z = middle[2] - reach; z <= middle[2] + reach; ++z)
        for (int y = middle[1] - reach; y <= middle[1] + reach; ++y)
            for (int x = middle[0] - reach; x <= middle[0] + reach; ++x)
                if (const std::int32_t place = placeOf(x, y, z); place >= 0) {
                    const Vec3 d{x - index.x, y - index.y, z - index.z};
                    found.push_back(
                        {place, (1.0 / reach) * d, std::exp(-dot(d, d) / (2 * sigma * sigma))});
                }
    return found;
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 20, 20>;

/// The n×n sum over the neighbors of weight · terms · termsᵀ, its lower triangle. The number of
/// terms is known to the compiler: this is most of the time of a fit.
template <int n>
Matrix normalOf(const std::vector<Neighbor>& neighbors) {
    Matrix normal = Matrix::Zero(n, n);
    for (const Neighbor& each : neighbors) {
        const std::array<double, 20> of = monomials(each.offset);
        for (int j = 0; j < n; ++j) {
            const double weighted = each.weight * of[static_cast<std::size_t>(j)];
            double* const column = normal.data() + j * n;
            for (int i = j; i < n; ++i)
                column[i] += weighted * of[static_cast<std::size_t>(i)];
        }
    }
    return normal;
}

template <int n, int rows>
void addWeights(const std::vector<Neighbor>& neighbors, const Matrix& inverse,
                FitWeights& weights) {
    weights.place.reserve(neighbors.size());
    weights.weight.reserve(neighbors.size());
    for (const Neighbor& each : neighbors) {
        const std::array<double, 20> all = monomials(each.offset);
        std::array<double, 4> weight{};
        for (int k = 0; k < n; ++k)
            for (int i = 0; i < rows; ++i)
                weight[static_cast<std::size_t>(i)] +=
                    each.weight * inverse.data()[i * n + k] * all[static_cast<std::size_t>(k)];
        weights.place.push_back(each.place);
        weights.weight.push_back(weight);
    }
}

/// The first four rows of the inverse normal matrix times the weighted terms of each voxel; false
/// if the voxels don't determine a polynomial of the order.
template <int n>
bool fitOf(const std::vector<Neighbor>& neighbors, FitWeights& weights) {
    if (static_cast<int>(neighbors.size()) < n)
        return false;
    const Matrix normal = normalOf<n>(neighbors);
    const Eigen::LDLT<Matrix> factors(normal.selfadjointView<Eigen::Lower>());
    const auto pivots = factors.vectorD();
    if (!(pivots.minCoeff() > leastPivot * pivots.maxCoeff()))
        return false;
    constexpr int rows = n > 1 ? 4 : 1;
    Matrix unit = Matrix::Zero(n, rows);
    for (int i = 0; i < rows; ++i)
        unit(i, i) = 1;
    addWeights<n, rows>(neighbors, factors.solve(unit), weights);
    return true;
}

bool fit(const std::vector<Neighbor>& neighbors, int order, FitWeights& weights) {
    constexpr std::array byOrder{fitOf<terms[0]>, fitOf<terms[1]>, fitOf<terms[2]>,
                                 fitOf<terms[3]>};
    const bool found = byOrder[static_cast<std::size_t>(order)](neighbors, weights);
    if (found)
        weights.order = order;
    return found;
}

FitWeights weightsOf(const std::vector<Neighbor>& neighbors, int highest, const Geometry& grid) {
    FitWeights weights;
    for (int order = highest; order >= 0 && !neighbors.empty(); --order)
        if (fit(neighbors, order, weights))
            break;
    // From derivatives per reach of voxels to those along LPS.
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
    const std::vector<Neighbor> neighbors =
        neighborsOf([&](int x, int y, int z) { return voxels_.place(x, y, z); }, index);
    const bool whole = neighbors.size() == whole_.weight.size() && index == rounded(index);
    if (!whole)
        return weightsOf(neighbors, order_, voxels_.grid);
    FitWeights weights = whole_;
    for (std::size_t k = 0; k < neighbors.size(); ++k)
        weights.place[k] = neighbors[k].place;
    return weights;
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

LocalMotion applied(const FitWeights& weights,
                    std::span<const std::array<float, 3>> displacements) {
    LocalMotion sum;
    for (std::size_t k = 0; k < weights.place.size(); ++k) {
        const std::array<float, 3>& u = displacements[static_cast<std::size_t>(weights.place[k])];
        const std::array<double, 4>& w = weights.weight[k];
        for (std::size_t i = 0; i < 3; ++i) {
            sum.displacement[static_cast<int>(i)] += w[0] * u[i];
            for (std::size_t j = 0; j < 3; ++j)
                sum.deformation[i][j] += w[j + 1] * u[i];
        }
    }
    return sum;
}

} // namespace systole::cardiac
