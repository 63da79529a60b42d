// The CLG system at one voxel: the formula that the reference form, the general solvers and the
// CUDA kernels share, and that tests check against a dense matrix.
#pragma once

#include "compute/motion/clg_system.h"

#include <algorithm>

namespace systole::clg {

/// What a voxel's equation for component k reads besides its own value: diagonal · t_k = rest.
struct Equation {
    float diagonal = 0;
    float rest = 0;
};

struct Voxel {
    int x, y, z;
    constexpr int operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
    constexpr Voxel moved(int axis, int by) const {
        Voxel v = *this;
        (axis == 0 ? v.x : axis == 1 ? v.y : v.z) += by;
        return v;
    }
};

constexpr float at(const float* data, Size3 size, Voxel p) {
    return VolumeView<const float>(data, size)(p.x, p.y, p.z);
}

constexpr bool exists(Size3 size, Voxel p, int axis, int by) {
    const int i = p[axis] + by;
    return i >= 0 && i < size[axis];
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
constexpr float meanDifference(const float* t, Size3 size, Voxel p, int axis) {
    const float ahead = at(t, size, exists(size, p, axis, 1) ? p.moved(axis, 1) : p);
    const float behind = at(t, size, exists(size, p, axis, -1) ? p.moved(axis, -1) : p);
    return 0.5f * (ahead - behind);
}

/// beta's part of the equation of component k, DivergenceStencil::Energy.
constexpr void addDivergenceEnergy(const ClgSystem& s, FieldView<const float> t, Voxel p, int k,
                                   Equation& e) {
    const Size3 size = s.size();
    const float scale = s.scale[static_cast<std::size_t>(k)];
    const float here = incompressibilityAt(s, p);
    for (const int by : {-1, 1})
        if (exists(size, p, k, by)) {
            const Voxel q = p.moved(k, by);
            const float edge = s.beta * scale * scale * 0.5f * (here + incompressibilityAt(s, q));
            e.diagonal += edge;
            e.rest += edge * at(t.component(k), size, q);
        }
    // The adjoint of the mean difference along k, applied to the other components' divergence.
    const auto mixed = [&](Voxel q) {
        float sum = 0;
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

/// The same as printed in the paper: nothing where the stencil leaves the grid.
constexpr void addDivergencePaper(const ClgSystem& s, FieldView<const float> t, Voxel p, int k,
                                  Equation& e) {
    const Size3 size = s.size();
    for (int axis = 0; axis < 3; ++axis)
        if (!exists(size, p, axis, -1) || !exists(size, p, axis, 1))
            return;
    const float beta = s.beta * incompressibilityAt(s, p);
    const float scale = s.scale[static_cast<std::size_t>(k)];
    e.diagonal += 2 * beta * scale * scale;
    e.rest += beta * scale * scale *
              (at(t.component(k), size, p.moved(k, 1)) + at(t.component(k), size, p.moved(k, -1)));
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

constexpr void addDivergence(const ClgSystem& s, FieldView<const float> t, Voxel p, int k,
                             Equation& e) {
    if (s.stencil == DivergenceStencil::Energy)
        addDivergenceEnergy(s, t, p, k, e);
    else
        addDivergencePaper(s, t, p, k, e);
}

/// Smoothness: Σ of the existing neighbours' weights, and of their weighted values.
constexpr Equation smoothness(const ClgSystem& s, const float* component, Voxel p) {
    Equation e;
    for (int axis = 0; axis < 3; ++axis)
        for (const int by : {-1, 1})
            if (exists(s.size(), p, axis, by)) {
                const float weight = s.smoothness[static_cast<std::size_t>(axis)];
                e.diagonal += weight;
                e.rest += weight * at(component, s.size(), p.moved(axis, by));
            }
    return e;
}

/// The equation of component k with everything else as it stands in t.
constexpr Equation equation(const ClgSystem& s, FieldView<const float> t, Voxel p, int k) {
    Equation e = smoothness(s, t.component(k), p);
    const std::size_t i = s.coefficient[0].offset(p.x, p.y, p.z);
    e.diagonal += s.coefficient[tensorIndex(k, k)].data[i];
    e.rest += s.coefficient[6 + static_cast<std::size_t>(k)].data[i];
    for (int l = 0; l < 3; ++l)
        if (l != k)
            e.rest -= s.coefficient[tensorIndex(k, l)].data[i] * t.component(l)[i];
    if (s.beta > 0)
        addDivergence(s, t, p, k, e);
    return e;
}

/// The voxel's three components solved together through J, all else as it stands. A voxel with
/// neither neighbours nor data gets zero.
constexpr std::array<float, 3> solveBlock(const ClgSystem& s, FieldView<const float> t, Voxel p) {
    const std::size_t i = s.coefficient[0].offset(p.x, p.y, p.z);
    std::array<double, 3> r{}, n{};
    for (int k = 0; k < 3; ++k) {
        Equation e = smoothness(s, t.component(k), p);
        if (s.beta > 0)
            addDivergence(s, t, p, k, e);
        const auto component = static_cast<std::size_t>(k);
        n[component] = e.diagonal;
        r[component] = e.rest + s.coefficient[6 + component].data[i];
    }
    const auto j = [&](std::size_t k) { return static_cast<double>(s.coefficient[k].data[i]); };
    const double a = j(0) + n[0], b = j(1), c = j(2), d = j(3) + n[1], f = j(4), g = j(5) + n[2];
    const double m00 = d * g - f * f, m01 = c * f - b * g, m02 = b * f - c * d;
    const double m11 = a * g - c * c, m12 = b * c - a * f, m22 = a * d - b * b;
    const double determinant = a * m00 + b * m01 + c * m02;
    if (!(determinant > 0))
        return {0, 0, 0};
    return {static_cast<float>((m00 * r[0] + m01 * r[1] + m02 * r[2]) / determinant),
            static_cast<float>((m01 * r[0] + m11 * r[1] + m12 * r[2]) / determinant),
            static_cast<float>((m02 * r[0] + m12 * r[1] + m22 * r[2]) / determinant)};
}

} // namespace systole::clg
