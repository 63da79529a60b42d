#include "compute/methods/ffd/determinant_bound.h"

#include "compute/core/affine_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace systole {
namespace {

constexpr int strides[3] = {1, 4, 16}; ///< strides of a patch's axes

/// binomials[n][k], n to the degree of a determinant.
constexpr auto binomials = [] {
    std::array<std::array<double, 9>, 9> of{};
    for (std::size_t n = 0; n < 9; ++n) {
        of[n][0] = 1;
        for (std::size_t k = 1; k <= n; ++k)
            of[n][k] = of[n - 1][k - 1] + of[n - 1][k];
    }
    return of;
}();

constexpr double binomial(int n, int k) {
    return binomials[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)];
}

/// A polynomial of three variables with `Nx`, … coefficients along each: Bernstein coefficients,
/// each times its binomials, so that a product's are a convolution.
template <int Nx, int Ny, int Nz>
struct Polynomial {
    std::array<double, static_cast<std::size_t>(Nx* Ny* Nz)> of{};

    double& at(int i, int j, int k) { return of[static_cast<std::size_t>(i + Nx * (j + Ny * k))]; }
    double at(int i, int j, int k) const {
        return of[static_cast<std::size_t>(i + Nx * (j + Ny * k))];
    }
    /// this += sign · a · b
    template <int Ax, int Ay, int Az, int Bx, int By, int Bz>
    void addProduct(double sign, const Polynomial<Ax, Ay, Az>& a, const Polynomial<Bx, By, Bz>& b) {
        static_assert(Nx == Ax + Bx - 1 && Ny == Ay + By - 1 && Nz == Az + Bz - 1);
        for (int k = 0; k < Az; ++k)
            for (int j = 0; j < Ay; ++j)
                for (int i = 0; i < Ax; ++i) {
                    const double by = sign * a.at(i, j, k);
                    for (int n = 0; n < Bz; ++n)
                        for (int m = 0; m < By; ++m)
                            for (int l = 0; l < Bx; ++l)
                                at(i + l, j + m, k + n) += by * b.at(l, m, n);
                }
    }
};

/// Blossom of a tile's cubic at (a, b, c): weights of its four control points. Knots at integers,
/// the tile from 0 to 1.
std::array<double, 4> blossom(double a, double b, double c) {
    std::array<double, 4> weights{};
    for (std::size_t point = 0; point < 4; ++point) {
        std::array<double, 4> q{};
        q[point] = 1;
        const double at[3] = {a, b, c};
        for (int round = 0; round < 3; ++round)
            for (int i = 0; i < 3 - round; ++i) {
                const auto n = static_cast<std::size_t>(i);
                const double part = (at[round] - (i - 2 + round)) / (3 - round);
                q[n] += part * (q[n + 1] - q[n]);
            }
        weights[point] = q[0];
    }
    return weights;
}

/// Column `Axis` of I + ∇d for a component with these Bernstein coefficients.
template <int Axis>
auto derivative(const double (&b)[64], double perLength, bool diagonal) {
    constexpr int nx = Axis == 0 ? 3 : 4, ny = Axis == 1 ? 3 : 4, nz = Axis == 2 ? 3 : 4;
    Polynomial<nx, ny, nz> d;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                const int at = i + 4 * j + 16 * k;
                d.at(i, j, k) = binomial(nx - 1, i) * binomial(ny - 1, j) * binomial(nz - 1, k) *
                                (perLength * (b[at + strides[Axis]] - b[at]) + (diagonal ? 1 : 0));
            }
    return d;
}

/// The lowest Bernstein coefficient of the determinant, from those of the components.
double lowestCoefficient(const double (&of)[3][64], const double (&perLength)[3]) {
    Polynomial<9, 9, 9> all;
    for (int c = 0; c < 3; ++c) {
        const auto alongY = [&](int n) { return derivative<1>(of[n], perLength[1], n == 1); };
        const auto alongZ = [&](int n) { return derivative<2>(of[n], perLength[2], n == 2); };
        Polynomial<7, 6, 6> minor;
        minor.addProduct(1, alongY((c + 1) % 3), alongZ((c + 2) % 3));
        minor.addProduct(-1, alongY((c + 2) % 3), alongZ((c + 1) % 3));
        all.addProduct(1, derivative<0>(of[c], perLength[0], c == 0), minor);
    }
    double lowest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 9; ++k)
        for (int j = 0; j < 9; ++j)
            for (int i = 0; i < 9; ++i)
                lowest = std::min(lowest, all.at(i, j, k) /
                                              (binomial(8, i) * binomial(8, j) * binomial(8, k)));
    return lowest;
}

} // namespace

DeterminantBound::DeterminantBound(const ControlGrid& grid, Vec3 unit) : grid_(grid), unit_(unit) {
    for (int a = 0; a < 3; ++a) {
        const ControlAxis axis = grid.axis(a);
        const bool single = axis.voxels == 1;
        const double first = single ? 0 : 0.5 * axis.margin / axis.tile,
                     length = single ? 1 : static_cast<double>(axis.voxels - 1) / axis.tile;
        for (int t = 0; t < axis.tiles(); ++t) {
            const double u = std::clamp(first - t, 0.0, 1.0),
                         v = std::clamp(first + length - t, 0.0, 1.0);
            parts_[static_cast<std::size_t>(a)].push_back(
                {{blossom(u, u, u), blossom(u, u, v), blossom(u, v, v), blossom(v, v, v)}, v - u});
        }
    }
}

DeterminantBound::Patch DeterminantBound::controlPatch(FieldView<const float> points, int tx,
                                                       int ty, int tz) const {
    Patch patch{};
    for (int c = 0; c < 3; ++c) {
        const VolumeView<const float> values = points.componentView(c);
        for (int n = 0; n < 64; ++n)
            patch.of[c][n] = static_cast<double>(values(tx + n % 4, ty + n / 4 % 4, tz + n / 16));
        patch.perLength[c] = 1.0 / grid_.tile[c];
    }
    return patch;
}

bool DeterminantBound::toBernstein(Patch& patch, int tx, int ty, int tz) const {
    const int tile[3] = {tx, ty, tz};
    for (std::size_t a = 0; a < 3; ++a) {
        const TilePart& part = parts_[a][static_cast<std::size_t>(tile[a])];
        if (!(part.length > 0))
            return false;
        patch.perLength[a] *= 3 / part.length;
        const int step = strides[a];
        for (auto& values : patch.of)
            for (int line = 0; line < 16; ++line) {
                double* const first = values + (a == 0   ? 4 * line
                                                : a == 1 ? line % 4 + 16 * (line / 4)
                                                         : line);
                const double p[4] = {first[0], first[step], first[2 * step], first[3 * step]};
                for (int n = 0; n < 4; ++n) {
                    const auto& w = part.conversion[static_cast<std::size_t>(n)];
                    first[n * step] = w[0] * p[0] + w[1] * p[1] + w[2] * p[2] + w[3] * p[3];
                }
            }
    }
    return true;
}

/// Columns of I + ∇d are means of the patch's edges. Relative to the mean matrix they are the unit
/// vectors and what differs; a diagonally dominant matrix has at least the product of its rows'
/// dominances for a determinant (Ostrowski, 1937). 0 where some row isn't dominant.
double DeterminantBound::dominance(const Patch& patch) const {
    Vec3 columns[3][48];
    Matrix3 mean{};
    for (int a = 0; a < 3; ++a) {
        int count = 0;
        for (int n = 0; n < 64; ++n) {
            if (n / strides[a] % 4 == 3)
                continue;
            Vec3& edge = columns[a][count++];
            for (int c = 0; c < 3; ++c) {
                edge[c] = (c == a ? 1 : 0) + unit_[c] / unit_[a] * patch.perLength[a] *
                                                 (patch.of[c][n + strides[a]] - patch.of[c][n]);
                mean[static_cast<std::size_t>(c)][static_cast<std::size_t>(a)] += edge[c] / 48;
            }
        }
    }
    double bound = determinant(mean);
    const std::optional<AffineMap> inverse = AffineMap{mean, {}}.inverse();
    if (!inverse || !(bound > 0))
        return 0;
    Vec3 sums;
    for (int a = 0; a < 3; ++a) {
        Vec3 largest;
        for (const Vec3& edge : columns[a]) {
            const Vec3 relative = inverse->matrix * edge;
            for (int c = 0; c < 3; ++c)
                largest[c] = std::max(largest[c], std::abs(relative[c] - (c == a ? 1 : 0)));
        }
        sums = sums + largest;
    }
    for (int c = 0; c < 3; ++c)
        bound *= std::max(0.0, 1 - sums[c]);
    return bound;
}

bool DeterminantBound::isAtLeast(double bound, FieldView<const float> points, int tx, int ty,
                                 int tz) const {
    Patch patch = controlPatch(points, tx, ty, tz);
    return dominance(patch) >= bound || !toBernstein(patch, tx, ty, tz) ||
           dominance(patch) >= bound || lowestCoefficient(patch.of, patch.perLength) >= bound;
}

double DeterminantBound::of(FieldView<const float> points, int tx, int ty, int tz) const {
    Patch patch = controlPatch(points, tx, ty, tz);
    return toBernstein(patch, tx, ty, tz) ? lowestCoefficient(patch.of, patch.perLength)
                                          : std::numeric_limits<double>::infinity();
}

void DeterminantBound::mildTilesOfRow(FieldView<const float> points, int ty, int tz, double bound,
                                      std::vector<char>& mild) const {
    const int n = points.size.x;
    // steepest[x]: of the derivative of one component along one axis, over the points (x, y, z) of
    // the row of tiles; `sum` of a component's three, over the points of a tile.
    std::vector<float> steepest(static_cast<std::size_t>(n));
    std::vector<double> product(static_cast<std::size_t>(n - 3), 1.0), sum(product.size());
    for (int c = 0; c < 3; ++c) {
        const VolumeView<const float> values = points.componentView(c);
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int a = 0; a < 3; ++a) {
            std::fill(steepest.begin(), steepest.end(), 0.0f);
            const int columns = n - (a == 0 ? 1 : 0);
            for (int k = 0; k < (a == 2 ? 3 : 4); ++k)
                for (int j = 0; j < (a == 1 ? 3 : 4); ++j) {
                    const float* const from = values.row(ty + j, tz + k);
                    const float* const to = a == 0   ? from + 1
                                            : a == 1 ? values.row(ty + j + 1, tz + k)
                                                     : values.row(ty + j, tz + k + 1);
                    for (int x = 0; x < columns; ++x)
                        steepest[static_cast<std::size_t>(x)] = std::max(
                            steepest[static_cast<std::size_t>(x)], std::abs(to[x] - from[x]));
                }
            const double by = unit_[c] / (unit_[a] * grid_.tile[a]);
            for (std::size_t t = 0; t < sum.size(); ++t)
                sum[t] +=
                    by * static_cast<double>(*std::max_element(
                             steepest.begin() + static_cast<std::ptrdiff_t>(t),
                             steepest.begin() + static_cast<std::ptrdiff_t>(t) + (a == 0 ? 3 : 4)));
        }
        for (std::size_t t = 0; t < sum.size(); ++t)
            product[t] *= std::max(0.0, 1 - sum[t]);
    }
    mild.resize(product.size());
    for (std::size_t t = 0; t < product.size(); ++t)
        mild[t] = product[t] >= bound ? 1 : 0;
}

} // namespace systole
