// The CLG system at one voxel: the formula shared by the reference implementation, the general
// solvers and the CUDA kernels, which tests check against a dense matrix.
//
// System and Field hold the data: ClgSystem and FieldView, or a CUDA kernel's own types. A system
// has size(), smoothness, scale, beta and stencil, and the overloads coefficientAt and
// incompressibilityAt below; a field has component(k), which at() reads at a voxel of the grid. No
// formula reads farther than one voxel along each of two axes.
#pragma once

#include "compute/core/unroll.h"
#include "compute/core/voxel.h"
#include "compute/methods/clg/solver/system.h"

#include <algorithm>

namespace systole::clg {

/// A voxel's equation for component k, all other terms in `rest`: diagonal · t_k = rest.
struct Equation {
    float diagonal = 0;
    float rest = 0;
};

constexpr float at(const float* data, Size3 size, Voxel p) {
    return VolumeView<const float>(data, size)(p.x, p.y, p.z);
}

constexpr std::size_t offset(Size3 size, Voxel p) {
    return VolumeView<const float>(nullptr, size).offset(p.x, p.y, p.z);
}

constexpr bool exists(Size3 size, Voxel p, int axis, int by) {
    const int i = p[axis] + by;
    return i >= 0 && i < size[axis];
}

/// Coefficient k (in ClgSystem's order) of the voxel with offset i.
constexpr float coefficientAt(const ClgSystem& s, std::size_t k, std::size_t i) {
    return s.coefficient[k].data[i];
}

constexpr float incompressibilityAt(const ClgSystem& s, Voxel p) {
    return s.incompressibility.empty() ? 1.0f : s.incompressibility(p.x, p.y, p.z);
}

/// Index of J_kl in ClgSystem::coefficient.
constexpr std::size_t tensorIndex(int k, int l) {
    constexpr std::size_t index[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    return index[k][l];
}

/// Mean of the forward and the backward difference of component l along its axis, each zero where
/// it leaves the grid.
template <typename Component>
constexpr float meanDifference(const Component& t, Size3 size, Voxel p, int axis) {
    const float ahead = at(t, size, exists(size, p, axis, 1) ? p.moved(axis, 1) : p);
    const float behind = at(t, size, exists(size, p, axis, -1) ? p.moved(axis, -1) : p);
    return 0.5f * (ahead - behind);
}

/// Contribution of beta to the equation of component k, DivergenceStencil::Energy.
template <typename System, typename Field>
constexpr void addDivergenceEnergy(const System& s, const Field& t, Voxel p, int k, Equation& e) {
    const Size3 size = s.size();
    const float scale = s.scale[static_cast<std::size_t>(k)];
    const float here = incompressibilityAt(s, p);
    SYSTOLE_UNROLL
    for (int by = -1; by <= 1; by += 2)
        if (exists(size, p, k, by)) {
            const Voxel q = p.moved(k, by);
            const float edge = s.beta * scale * scale * 0.5f * (here + incompressibilityAt(s, q));
            e.diagonal += edge;
            e.rest += edge * at(t.component(k), size, q);
        }
    // The adjoint of the mean difference along k, applied to the other components' divergence.
    const auto mixed = [&](Voxel q) {
        float sum = 0;
        SYSTOLE_UNROLL
        for (int l = 0; l < 3; ++l)
            if (l != k)
                sum += s.scale[static_cast<std::size_t>(l)] *
                       meanDifference(t.component(l), size, q, l);
        return incompressibilityAt(s, q) * sum;
    };
    const float behind = exists(size, p, k, -1) ? mixed(p.moved(k, -1)) : -mixed(p);
    const float ahead = exists(size, p, k, 1) ? mixed(p.moved(k, 1)) : -mixed(p);
    e.rest -= s.beta * scale * 0.5f * (behind - ahead);
}

/// Adds the divergence as printed in the paper: zero where the stencil leaves the grid.
template <typename System, typename Field>
constexpr void addDivergencePaper(const System& s, const Field& t, Voxel p, int k, Equation& e) {
    const Size3 size = s.size();
    SYSTOLE_UNROLL
    for (int axis = 0; axis < 3; ++axis)
        if (!exists(size, p, axis, -1) || !exists(size, p, axis, 1))
            return;
    const float beta = s.beta * incompressibilityAt(s, p);
    const float scale = s.scale[static_cast<std::size_t>(k)];
    e.diagonal += 2 * beta * scale * scale;
    e.rest += beta * scale * scale *
              (at(t.component(k), size, p.moved(k, 1)) + at(t.component(k), size, p.moved(k, -1)));
    SYSTOLE_UNROLL
    for (int l = 0; l < 3; ++l) {
        if (l == k)
            continue;
        const auto corner = [&](int a, int b) {
            return at(t.component(l), size, p.moved(k, a).moved(l, b));
        };
        e.rest += beta * scale * s.scale[static_cast<std::size_t>(l)] * 0.25f *
                  (corner(1, 1) - corner(1, -1) - corner(-1, 1) + corner(-1, -1));
    }
}

template <typename System, typename Field>
constexpr void addDivergence(const System& s, const Field& t, Voxel p, int k, Equation& e) {
    if (s.stencil == DivergenceStencil::Energy)
        addDivergenceEnergy(s, t, p, k, e);
    else
        addDivergencePaper(s, t, p, k, e);
}

/// Smoothness: the sum of the existing neighbors' weights, and that of their weighted values.
template <typename System, typename Component>
constexpr Equation smoothness(const System& s, const Component& component, Voxel p) {
    Equation e;
    SYSTOLE_UNROLL
    for (int axis = 0; axis < 3; ++axis)
        SYSTOLE_UNROLL
    for (int by = -1; by <= 1; by += 2)
        if (exists(s.size(), p, axis, by)) {
            const float weight = s.smoothness[static_cast<std::size_t>(axis)];
            e.diagonal += weight;
            e.rest += weight * at(component, s.size(), p.moved(axis, by));
        }
    return e;
}

/// The equation of component k with all other values as they are in t.
template <typename System, typename Field>
constexpr Equation equation(const System& s, const Field& t, Voxel p, int k) {
    Equation e = smoothness(s, t.component(k), p);
    const std::size_t i = offset(s.size(), p);
    e.diagonal += coefficientAt(s, tensorIndex(k, k), i);
    e.rest += coefficientAt(s, 6 + static_cast<std::size_t>(k), i);
    SYSTOLE_UNROLL
    for (int l = 0; l < 3; ++l)
        if (l != k)
            e.rest -= coefficientAt(s, tensorIndex(k, l), i) * at(t.component(l), s.size(), p);
    if (s.beta > 0)
        addDivergence(s, t, p, k, e);
    return e;
}

/// Jacobi's printed step divides by this in addition to the diagonal: |J_kl| of the other
/// components.
template <typename System>
constexpr float coupling(const System& s, std::size_t i, int k) {
    float sum = 0;
    SYSTOLE_UNROLL
    for (int l = 0; l < 3; ++l)
        if (l != k) {
            const float j = coefficientAt(s, tensorIndex(k, l), i);
            sum += j < 0 ? -j : j;
        }
    return sum;
}

/// (J + diag n)⁻¹ r, with J given as J11 J12 J13 J22 J23 J33; zero where that has no inverse.
template <typename Real>
constexpr std::array<float, 3> solveSymmetric(const Real (&j)[6], const Real (&n)[3],
                                              const Real (&r)[3]) {
    const Real a = j[0] + n[0], b = j[1], c = j[2], d = j[3] + n[1], f = j[4], g = j[5] + n[2];
    const Real m00 = d * g - f * f, m01 = c * f - b * g, m02 = b * f - c * d;
    const Real m11 = a * g - c * c, m12 = b * c - a * f, m22 = a * d - b * b;
    const Real determinant = a * m00 + b * m01 + c * m02;
    if (!(determinant > 0))
        return {0, 0, 0};
    const Real inverse = 1 / determinant;
    return {static_cast<float>((m00 * r[0] + m01 * r[1] + m02 * r[2]) * inverse),
            static_cast<float>((m01 * r[0] + m11 * r[1] + m12 * r[2]) * inverse),
            static_cast<float>((m02 * r[0] + m12 * r[1] + m22 * r[2]) * inverse)};
}

/// A voxel's equations as a 3×3 block: (J + diag n) t = r.
template <typename Real>
struct Block {
    Real j[6] = {}, n[3] = {}, r[3] = {};

    constexpr std::array<float, 3> solved() const { return solveSymmetric(j, n, r); }
};

template <typename Real, typename System, typename Field>
constexpr Block<Real> blockOf(const System& s, const Field& t, Voxel p) {
    const std::size_t i = offset(s.size(), p);
    Block<Real> block;
    SYSTOLE_UNROLL
    for (std::size_t k = 0; k < 6; ++k)
        block.j[k] = coefficientAt(s, k, i);
    SYSTOLE_UNROLL
    for (int k = 0; k < 3; ++k) {
        Equation e = smoothness(s, t.component(k), p);
        if (s.beta > 0)
            addDivergence(s, t, p, k, e);
        block.n[k] = e.diagonal;
        block.r[k] = e.rest + coefficientAt(s, 6 + static_cast<std::size_t>(k), i);
    }
    return block;
}

/// Solves the voxel's three components together through J, all else unchanged. A voxel with neither
/// neighbors nor data gets zero.
template <typename Real = double, typename System, typename Field>
constexpr std::array<float, 3> solveBlock(const System& s, const Field& t, Voxel p) {
    return blockOf<Real>(s, t, p).solved();
}

/// The factor of a voxel's own value in meanDifference: not 0 at the border alone.
constexpr float ownDifference(Size3 size, Voxel p, int axis) {
    return 0.5f * (static_cast<float>(exists(size, p, axis, -1)) -
                   static_cast<float>(exists(size, p, axis, 1)));
}

/// Entry (k, l), k ≠ l, of the divergence's own 3×3 block of a voxel (DivergenceStencil::Energy):
/// not 0 on the edges of the grid alone, where differences along two axes are one-sided.
template <typename System>
constexpr float ownCoupling(const System& s, Voxel p, int k, int l) {
    const float both = ownDifference(s.size(), p, k) * ownDifference(s.size(), p, l);
    return both == 0 ? 0.0f
                     : s.beta * s.scale[static_cast<std::size_t>(k)] *
                           s.scale[static_cast<std::size_t>(l)] * incompressibilityAt(s, p) * both;
}

/// The voxel's whole block, as relaxation solves it: in solveBlock the divergence's own entries off
/// the diagonal are on the right.
template <typename Real = double, typename System, typename Field>
constexpr std::array<float, 3> relaxedBlock(const System& s, const Field& t, Voxel p) {
    Block<Real> block = blockOf<Real>(s, t, p);
    if (s.beta > 0 && s.stencil == DivergenceStencil::Energy) {
        SYSTOLE_UNROLL
        for (int k = 0; k < 3; ++k)
            SYSTOLE_UNROLL
        for (int l = 0; l < 3; ++l)
            if (k != l) {
                const float own = ownCoupling(s, p, k, l);
                block.r[k] += own * at(t.component(l), s.size(), p);
                if (k < l)
                    block.j[tensorIndex(k, l)] += own;
            }
    }
    return block.solved();
}

/// A sweep visits the voxels color by color; no equation couples two voxels of one color. Without
/// beta a voxel's neighbors differ from it by one along one axis: two colors, by the parity of
/// x + y + z. With beta they differ by one along one axis or two: four colors, by the parities of
/// x + y and x + z. So a half or a quarter of the voxels is solved at once, exactly, and
/// over-relaxation with 0 < omega < 2 converges for every symmetric positive definite system
/// (Ostrowski, Reich), whatever beta.
constexpr int colorsOf(float beta) { return beta > 0 ? 4 : 2; }

constexpr int colorOf(Voxel p, int colors) {
    return colors == 2 ? (p.x + p.y + p.z) & 1 : 2 * ((p.x + p.y) & 1) + ((p.x + p.z) & 1);
}

/// The factor that keeps Jacobi's iteration stable for this system's beta; 1 without. Jacobi
/// converges while damping · λ < 2 for every eigenvalue λ of D⁻¹A. The smoothness term keeps λ ≤ 2.
/// The divergence of three components squared is at most three times the sum of their squares, each
/// of which has λ ≤ 2: G ≤ 6 · its diagonal. With n and g the two terms of the diagonal,
/// λ ≤ (2n + 6g) / (n + g).
template <typename System>
constexpr float jacobiDamping(const System& s) {
    float n = 0, g = 0;
    SYSTOLE_UNROLL
    for (std::size_t axis = 0; axis < 3; ++axis) {
        n += 2 * s.smoothness[axis];
        g = std::max(g, 2 * s.beta * s.scale[axis] * s.scale[axis]);
    }
    return g > 0 ? (n + g) / (n + 3 * g) : 1.0f;
}

/// Jacobi's new values of a voxel before damping, from the field of the previous sweep. As printed,
/// each component has its own equation, which diverges where J outweighs smoothness along a
/// diagonal gradient: our own system solves the voxel's block at once, and the printed step is
/// divided by J's row sum, J11 + |J12| + |J13|, instead of J11. The solution is the same; where J
/// has no mixed entries, so is the step.
template <typename Real = double, typename System, typename Field>
constexpr std::array<float, 3> jacobiStep(const System& s, const Field& previous, Voxel p) {
    if (s.stencil == DivergenceStencil::Energy)
        return solveBlock<Real>(s, previous, p);
    const std::size_t i = offset(s.size(), p);
    std::array<float, 3> solved{};
    SYSTOLE_UNROLL
    for (int k = 0; k < 3; ++k) {
        const Equation e = equation(s, previous, p, k);
        const float old = at(previous.component(k), s.size(), p);
        const float divisor = e.diagonal + coupling(s, i, k);
        solved[static_cast<std::size_t>(k)] =
            divisor > 0 ? old + (e.rest - e.diagonal * old) / divisor : 0;
    }
    return solved;
}

} // namespace systole::clg
