#include "compute/cardiac/local_slope.h"

#include <algorithm>
#include <cmath>

namespace systole::cardiac {
namespace {

constexpr int reach = LocalFit::reach;
constexpr std::size_t width = LocalFit::width;
constexpr double sigma = LocalFit::sigma;
/// Relative to the largest pivot. Well above LocalFit's limit, so that LocalFit decides all
/// doubtful cases.
constexpr double surePivot = 1e-5;

/// Powers of an offset in the normal matrix.
constexpr std::size_t order = 2, powers = 2 * order + 1;
constexpr std::size_t terms = 10;
struct Exponents {
    std::size_t x, y, z;
};
/// The slopes last: only they are asked for.
constexpr std::array<Exponents, terms> monomials{{{0, 0, 0},
                                                  {2, 0, 0},
                                                  {1, 1, 0},
                                                  {1, 0, 1},
                                                  {0, 2, 0},
                                                  {0, 1, 1},
                                                  {0, 0, 2},
                                                  {1, 0, 0},
                                                  {0, 1, 0},
                                                  {0, 0, 1}}};

/// Factors of the five voxels along an axis: weight times powers of the offset in units of the
/// reach.
using Along = std::array<std::array<double, powers>, width>;

/// exp(−(k − x)²/2σ²) but for a factor that all voxels have in common.
Along alongAxis(double x) {
    static const std::array<double, width> still = [] {
        std::array<double, width> weights{};
        for (std::size_t i = 0; i < width; ++i) {
            const double k = static_cast<double>(i) - reach;
            weights[i] = std::exp(-k * k / (2 * sigma * sigma));
        }
        return weights;
    }();
    const double once = std::exp(x / (sigma * sigma)), back = 1 / once;
    const std::array<double, width> shifted{back * back, back, 1, once, once * once};
    Along along;
    for (std::size_t i = 0; i < width; ++i) {
        const double d = (static_cast<double>(i) - reach - x) / reach;
        along[i][0] = still[i] * shifted[i];
        for (std::size_t e = 1; e < powers; ++e)
            along[i][e] = along[i][e - 1] * d;
    }
    return along;
}

/// Sums over the voxels of weights times powers together of at most `highest`. [z][y][x]
template <std::size_t highest>
using Moments = std::array<std::array<std::array<double, highest + 1>, highest + 1>, highest + 1>;
template <std::size_t highest>
using PlaneMoments = std::array<std::array<double, highest + 1>, highest + 1>;

template <std::size_t highest>
void addRow(const std::array<double, highest + 1>& row, const std::array<double, powers>& y,
            PlaneMoments<highest>& plane) {
    for (std::size_t b = 0; b <= highest; ++b)
        for (std::size_t a = 0; a + b <= highest; ++a)
            plane[b][a] += y[b] * row[a];
}

template <std::size_t highest>
void addPlane(const PlaneMoments<highest>& plane, const std::array<double, powers>& z,
              Moments<highest>& all) {
    for (std::size_t c = 0; c <= highest; ++c)
        for (std::size_t b = 0; b + c <= highest; ++b)
            for (std::size_t a = 0; a + b + c <= highest; ++a)
                all[c][b][a] += z[c] * plane[b][a];
}

/// The normal matrix above its diagonal, and the right side in the last column.
using System = std::array<std::array<double, terms + 1>, terms>;

System systemOf(const Moments<2 * order>& moments, const Moments<order>& right) {
    System system;
    for (std::size_t i = 0; i < terms; ++i) {
        const Exponents p = monomials[i];
        for (std::size_t j = i; j < terms; ++j) {
            const Exponents q = monomials[j];
            system[i][j] = moments[p.z + q.z][p.y + q.y][p.x + q.x];
        }
        system[i][terms] = right[p.z][p.y][p.x];
    }
    return system;
}

/// The last three unknowns; empty: the matrix is singular, or nearly.
std::optional<std::array<double, 3>> lastOf(System& system) {
    double least = system[0][0], most = least;
    for (std::size_t k = 0; k < terms; ++k) {
        const double pivot = system[k][k];
        least = std::min(least, pivot);
        most = std::max(most, pivot);
        if (!(least > surePivot * most))
            return std::nullopt;
        const double inverse = 1 / pivot;
        for (std::size_t i = k + 1; i < terms; ++i) {
            const double factor = system[k][i] * inverse;
            for (std::size_t j = i; j <= terms; ++j)
                system[i][j] -= factor * system[k][j];
        }
    }
    const auto& [x, y, z] = std::array{system[terms - 3], system[terms - 2], system[terms - 1]};
    std::array<double, 3> found{};
    found[2] = z[terms] / z[terms - 1];
    found[1] = (y[terms] - y[terms - 1] * found[2]) / y[terms - 2];
    found[0] = (x[terms] - x[terms - 1] * found[2] - x[terms - 2] * found[1]) / x[terms - 3];
    return found;
}

} // namespace

void LocalSlope::gather(const std::array<int, 3>& center) {
    around_.emplace();
    around_->center = center;
    std::size_t row = 0;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y, ++row) {
            unsigned mask = 0;
            for (std::size_t x = 0; x < width; ++x) {
                const std::int32_t place = voxels_.place(center[0] + static_cast<int>(x) - reach,
                                                         center[1] + y, center[2] + z);
                around_->value[x][row] = place < 0 ? 0 : values_[static_cast<std::size_t>(place)];
                mask |= (place < 0 ? 0u : 1u) << x;
                around_->count += place < 0 ? 0 : 1;
            }
            around_->mask[row] = static_cast<std::uint8_t>(mask);
        }
}

Vec3 LocalSlope::at(Vec3 index) {
    std::array<int, 3> center{};
    std::array<double, 3> offset{};
    for (int a = 0; a < 3; ++a) {
        const double middle = std::round(index[a]);
        center[static_cast<std::size_t>(a)] = static_cast<int>(middle);
        offset[static_cast<std::size_t>(a)] = index[a] - middle;
    }
    if (!around_ || around_->center != center)
        gather(center);
    if (around_->count >= terms)
        if (const std::optional<Vec3> slope = quadratic(offset))
            return *slope;
    return applied(fit_.at(index), values_).gradient;
}

std::optional<Vec3> LocalSlope::quadratic(const std::array<double, 3>& offset) const {
    const Along alongX = alongAxis(offset[0]), alongY = alongAxis(offset[1]),
                alongZ = alongAxis(offset[2]);
    std::array<std::array<double, rows>, order + 1> valueRows{}; // Σ over x, by power
    for (std::size_t x = 0; x < width; ++x)
        for (std::size_t a = 0; a <= order; ++a)
            for (std::size_t row = 0; row < rows; ++row)
                valueRows[a][row] += alongX[x][a] * around_->value[x][row];
    Moments<2 * order> moments{};
    Moments<order> right{};
    std::array<double, powers> maskRow{};
    unsigned mask = 0; // mask that maskRow belongs to: adjacent rows mostly have equal masks
    std::size_t row = 0;
    for (const std::array<double, powers>& z : alongZ) {
        PlaneMoments<2 * order> maskPlane{};
        PlaneMoments<order> valuePlane{};
        for (const std::array<double, powers>& y : alongY) {
            const std::size_t at = row++;
            if (around_->mask[at] == 0)
                continue;
            if (around_->mask[at] != mask) {
                mask = around_->mask[at];
                maskRow.fill(0);
                for (std::size_t x = 0; x < width; ++x)
                    if ((mask >> x & 1u) != 0)
                        for (std::size_t a = 0; a < powers; ++a)
                            maskRow[a] += alongX[x][a];
            }
            addRow<2 * order>(maskRow, y, maskPlane);
            addRow<order>({valueRows[0][at], valueRows[1][at], valueRows[2][at]}, y, valuePlane);
        }
        addPlane<2 * order>(maskPlane, z, moments);
        addPlane<order>(valuePlane, z, right);
    }
    System system = systemOf(moments, right);
    const std::optional<std::array<double, 3>> perReach = lastOf(system);
    if (!perReach)
        return std::nullopt;
    const Matrix3& toIndex = voxels_.grid.physicalToVoxelMatrix();
    Vec3 slope;
    for (std::size_t a = 0; a < 3; ++a)
        slope = slope + (*perReach)[a] / reach * Vec3{toIndex[a][0], toIndex[a][1], toIndex[a][2]};
    return slope;
}

} // namespace systole::cardiac
