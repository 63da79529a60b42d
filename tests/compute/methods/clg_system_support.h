// Linear systems of CLG with random data, and their matrices in float64, put together from the
// energy (or the printed equation) by other means than the solvers use.
#pragma once

#include "compute/methods/clg/solver/system.h"
#include "tests/support/compute_support.h"

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <array>

namespace systole::test {

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// A system with a random positive semidefinite J, as smoothed products are.
struct RandomSystem {
    explicit RandomSystem(Size3 extent, float beta, DivergenceStencil stencil, bool weighted)
        : size(extent), storage(10 * extent.voxels()) {
        const std::size_t n = size.voxels();
        for (std::size_t k = 0; k < 9; ++k)
            system.coefficient[k] = {storage.data() + k * n, size};
        for (std::size_t i = 0; i < n; ++i) {
            // Two gradients a voxel: J of rank two, none at all in a corner of the grid.
            std::array<float, 6> g;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto [a, b] = normalPair(randomBits(5, k, i));
                g[k] = a;
                g[k + 3] = b;
            }
            const float scale = i % 7 == 0 ? 0.0f : 0.4f;
            const auto product = [&](std::size_t a, std::size_t b) {
                return scale * (g[a] * g[b] + g[a + 3] * g[b + 3]);
            };
            const float values[9] = {product(0, 0), product(0, 1), product(0, 2),
                                     product(1, 1), product(1, 2), product(2, 2),
                                     scale * g[0],  scale * g[4],  scale * g[2]};
            for (std::size_t k = 0; k < 9; ++k)
                system.coefficient[k].data[i] = values[k];
            storage[9 * n + i] =
                0.25f + 0.75f * uniformFloat(static_cast<std::uint32_t>(randomBits(9, 9, i)));
        }
        system.smoothness = {0.7f, 0.7f * 0.64f, 0.7f * 0.25f};
        system.scale = {1, 0.8f, 0.5f};
        system.beta = beta;
        system.stencil = stencil;
        if (weighted)
            system.incompressibility = {storage.data() + 9 * n, size};
    }
    int index(int x, int y, int z) const { return x + size.x * (y + size.y * z); }
    int unknown(int k, int voxel) const { return k * static_cast<int>(size.voxels()) + voxel; }

    Size3 size;
    std::vector<float> storage;
    ClgSystem system;
};

/// The difference along an axis towards +1 or −1; a row whose neighbor is missing is empty.
inline Sparse difference(const RandomSystem& r, int axis, int sign) {
    const auto n = static_cast<int>(r.size.voxels());
    Triplets t;
    for (int z = 0; z < r.size.z; ++z)
        for (int y = 0; y < r.size.y; ++y)
            for (int x = 0; x < r.size.x; ++x) {
                int q[3] = {x, y, z};
                q[axis] += sign;
                if (q[axis] < 0 || q[axis] >= r.size[axis])
                    continue;
                const int here = r.index(x, y, z);
                t.emplace_back(here, r.index(q[0], q[1], q[2]), sign);
                t.emplace_back(here, here, -sign);
            }
    Sparse d(n, n);
    d.setFromTriplets(t.begin(), t.end());
    return d;
}

inline void addBlock(Triplets& t, const RandomSystem& r, int row, int column, const Sparse& block) {
    for (int outer = 0; outer < block.outerSize(); ++outer)
        for (Sparse::InnerIterator it(block, outer); it; ++it)
            t.emplace_back(r.unknown(row, static_cast<int>(it.row())),
                           r.unknown(column, static_cast<int>(it.col())), it.value());
}

/// J + alpha Σ s² DᵀD, the part that both stencils share.
inline Triplets dataAndSmoothness(const RandomSystem& r) {
    Triplets t;
    constexpr std::size_t tensor[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            for (int i = 0; i < static_cast<int>(r.size.voxels()); ++i)
                t.emplace_back(r.unknown(k, i), r.unknown(l, i),
                               r.system.coefficient[tensor[k][l]].data[i]);
    for (int axis = 0; axis < 3; ++axis) {
        const Sparse d = difference(r, axis, 1);
        const Sparse dd =
            r.system.smoothness[static_cast<std::size_t>(axis)] * Sparse(d.transpose() * d);
        for (int k = 0; k < 3; ++k)
            addBlock(t, r, k, k, dd);
    }
    return t;
}

/// beta/8 Σ over the eight sign choices of divᵀ C div.
inline void addDivergenceEnergy(Triplets& t, const RandomSystem& r) {
    const auto n = static_cast<int>(r.size.voxels());
    Sparse weight(n, n);
    for (int i = 0; i < n; ++i)
        weight.insert(i, i) =
            r.system.incompressibility.empty() ? 1.0 : r.system.incompressibility.data[i];
    for (int octant = 0; octant < 8; ++octant) {
        std::array<Sparse, 3> d;
        for (int axis = 0; axis < 3; ++axis)
            d[static_cast<std::size_t>(axis)] = r.system.scale[static_cast<std::size_t>(axis)] *
                                                difference(r, axis, octant >> axis & 1 ? 1 : -1);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                addBlock(t, r, k, l,
                         r.system.beta / 8.0 *
                             Sparse(d[static_cast<std::size_t>(k)].transpose() * weight *
                                    d[static_cast<std::size_t>(l)]));
    }
}

/// −beta (u_xx + v_xy + w_xz) as printed, in the interior only.
inline void addDivergencePrinted(Triplets& t, const RandomSystem& r) {
    const auto& s = r.system.scale;
    for (int z = 1; z < r.size.z - 1; ++z)
        for (int y = 1; y < r.size.y - 1; ++y)
            for (int x = 1; x < r.size.x - 1; ++x)
                for (int k = 0; k < 3; ++k)
                    for (int l = 0; l < 3; ++l) {
                        const double beta = r.system.beta * s[static_cast<std::size_t>(k)] *
                                            s[static_cast<std::size_t>(l)];
                        const auto add = [&](int a, int b, double value) {
                            int q[3] = {x, y, z};
                            q[k] += a;
                            q[l] += b;
                            t.emplace_back(r.unknown(k, r.index(x, y, z)),
                                           r.unknown(l, r.index(q[0], q[1], q[2])), -beta * value);
                        };
                        if (k == l) {
                            add(1, 0, 1);
                            add(0, 0, -2);
                            add(-1, 0, 1);
                        } else {
                            add(1, 1, 0.25);
                            add(1, -1, -0.25);
                            add(-1, 1, -0.25);
                            add(-1, -1, 0.25);
                        }
                    }
}

inline Sparse matrixOf(const RandomSystem& r) {
    Triplets t = dataAndSmoothness(r);
    if (r.system.beta > 0) {
        if (r.system.stencil == DivergenceStencil::Energy)
            addDivergenceEnergy(t, r);
        else
            addDivergencePrinted(t, r);
    }
    const auto n = 3 * static_cast<int>(r.size.voxels());
    Sparse m(n, n);
    m.setFromTriplets(t.begin(), t.end());
    return m;
}

inline Eigen::VectorXd rightHandSideOf(const RandomSystem& r) {
    const auto n = static_cast<int>(r.size.voxels());
    Eigen::VectorXd b(3 * n);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < n; ++i)
            b(r.unknown(k, i)) = r.system.coefficient[static_cast<std::size_t>(6 + k)].data[i];
    return b;
}

/// The energy's matrix is symmetric and positive definite; the printed one is not symmetric.
inline Eigen::VectorXd directSolution(const Sparse& m, const Eigen::VectorXd& b,
                                      DivergenceStencil stencil) {
    if (stencil == DivergenceStencil::Paper)
        return Eigen::SparseLU<Sparse>(m).solve(b);
    return Eigen::SimplicialLDLT<Sparse>(m).solve(b);
}

} // namespace systole::test
