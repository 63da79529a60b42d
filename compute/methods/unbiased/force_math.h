// The force of the unbiased method at a voxel, shared by all implementations. The displacement w
// leads from fixed to moving, so that h(x) = x + w(x) and M = I + Dw; the paper's u is −w.
//
// Differences of w are central inside, one-sided at the border, and zero along an axis of one
// voxel. The moving frame T is trilinear between voxels and goes on as its border beyond the grid.
// The force is the exact negative gradient of the sum over voxels that these two give, borders
// included: transposed differences for the regularizer, the interpolant's own derivative for the
// data term.
//
// Iterations amplify rounding, so that plain loops, SIMD and CUDA do the same operations in the
// same order: a product that is added is a fused one, unless it is exact (a factor of 0 or a power
// of two), the logarithm is our own, and energies are sums that no order changes.
#pragma once

#include "compute/core/voxel.h"
#include "compute/ops/logarithm.h"
#include "compute/ops/lost_noise.h"

namespace systole::unbiased {

/// A deformation is accepted if |M| is at least this in every voxel.
inline constexpr float minDeterminant = 0.01f;

/// The factor on (value ahead − value behind) at a position on an axis of n voxels.
constexpr float differenceFactor(int position, int n) {
    return n < 2 ? 0.0f : position == 0 || position == n - 1 ? 1.0f : 0.5f;
}

/// The transposed difference, negative: ahead · P[p+1] + here · P[p] + behind · P[p−1].
struct TransposedDifference {
    float ahead, here, behind;

    /// One of the factors is always 0, so that this is rounded once.
    constexpr float of(float before, float own, float after) const {
        return fused(ahead, after, fused(here, own, behind * before));
    }
};
constexpr TransposedDifference transposedDifference(int position, int n) {
    TransposedDifference t{0, 0, 0};
    if (n < 2)
        return t;
    if (position + 1 < n)
        t.ahead = differenceFactor(position + 1, n);
    if (position > 0)
        t.behind = -differenceFactor(position - 1, n);
    t.here = position == 0 ? 1.0f : position == n - 1 ? -1.0f : 0.0f;
    return t;
}

/// M: m[i][j] = δ_ij + ∂_j w_i, in voxels.
struct Deformation {
    float m[3][3];

    constexpr float cofactor(int i, int j) const {
        const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
        return fused(m[a][c], m[b][d], -(m[a][d] * m[b][c]));
    }
    constexpr float determinant() const {
        return fused(m[0][2], cofactor(0, 2),
                     fused(m[0][1], cofactor(0, 1), m[0][0] * cofactor(0, 0)));
    }
};

constexpr Deformation deformationAt(const FieldView<const float>& w, int x, int y, int z) {
    const int position[3] = {x, y, z};
    const std::size_t here = w.componentView(0).offset(x, y, z);
    Deformation d{};
    std::size_t stride = 1;
    for (int j = 0; j < 3; ++j) {
        const int n = w.size[j];
        const std::size_t ahead = here + (position[j] + 1 < n ? stride : 0),
                          behind = here - (position[j] > 0 ? stride : 0);
        const float factor = differenceFactor(position[j], n);
        for (int i = 0; i < 3; ++i)
            d.m[i][j] = factor * (w.component(i)[ahead] - w.component(i)[behind]);
        d.m[j][j] += 1;
        stride *= static_cast<std::size_t>(n);
    }
    return d;
}

/// (|M| − 1) log |M|, the symmetric Kullback–Leibler distance per voxel.
constexpr float distanceOf(float determinant, float logarithm) {
    return (determinant - 1) * logarithm;
}
/// L' = 1 + log |M| − 1/|M|, its derivative with respect to |M|.
constexpr float slopeOf(float determinant, float logarithm) {
    return 1 + logarithm - 1 / determinant;
}
/// Determinant, bounded below: no force is taken from a deformation that isn't accepted.
constexpr float boundedDeterminant(float determinant) {
    return determinant > minDeterminant ? determinant : minDeterminant;
}

struct Vector {
    float v[3];
};

/// cof(M)_ij L' of a voxel.
struct Flux {
    Deformation m;
    float determinant, slope, distance;

    constexpr explicit Flux(const Deformation& deformation)
        : m(deformation), determinant(deformation.determinant()) {
        const float bounded = boundedDeterminant(determinant), logarithm = logarithmOf(bounded);
        slope = slopeOf(bounded, logarithm);
        distance = distanceOf(bounded, logarithm);
    }
    constexpr float along(int i, int j) const { return slope * m.cofactor(i, j); }
};

/// A component of the force, data + lambda Σ_j ∂_j (cof(M)_ij L'), in three parts: the transposed
/// difference along x and the fluxes along z of the voxel and of the one behind it,
constexpr float withFluxesBehind(float x, const TransposedDifference& z, float behind, float own) {
    return fused(z.behind, behind, fused(z.here, own, x));
}
/// the difference along y and the frames' part,
constexpr float forceBelow(float data, float lambda, float withBehind, float y) {
    return fused(lambda, withBehind + y, data);
}
/// and the flux along z ahead.
constexpr float forceWith(float below, float lambda, const TransposedDifference& z, float ahead) {
    return fused(lambda * z.ahead, ahead, below);
}

/// The force as printed, of which `data` is the frames' part, recomputed from the fluxes of seven
/// voxels: `here`, and fluxAt(axis, side) of a neighbor, any numbers beyond the grid. One after the
/// other, since a thread has no room for all.
template <typename FluxAt>
constexpr Vector forceOfFluxes(const TransposedDifference (&t)[3], const Flux& here,
                               const Vector& data, float lambda, const FluxAt& fluxAt) {
    Vector force{}, alongY{};
    const auto difference = [&](int axis, Vector& out) {
        const Flux behind = fluxAt(axis, -1);
        for (int i = 0; i < 3; ++i)
            out.v[i] =
                fused(t[axis].here, here.along(i, axis), t[axis].behind * behind.along(i, axis));
        const Flux ahead = fluxAt(axis, 1);
        for (int i = 0; i < 3; ++i)
            out.v[i] = fused(t[axis].ahead, ahead.along(i, axis), out.v[i]);
    };
    difference(0, force);
    difference(1, alongY);
    const Flux below = fluxAt(2, -1);
    for (int i = 0; i < 3; ++i)
        force.v[i] = forceBelow(
            data.v[i], lambda,
            withFluxesBehind(force.v[i], t[2], below.along(i, 2), here.along(i, 2)), alongY.v[i]);
    const Flux above = fluxAt(2, 1);
    for (int i = 0; i < 3; ++i)
        force.v[i] = forceWith(force.v[i], lambda, t[2], above.along(i, 2));
    return force;
}

/// forceOfFluxes() with fluxes computed from the displacement around a voxel.
constexpr Vector forceAt(const FieldView<const float>& w, int x, int y, int z, const Flux& here,
                         const Vector& data, float lambda) {
    const TransposedDifference t[3] = {transposedDifference(x, w.size.x),
                                       transposedDifference(y, w.size.y),
                                       transposedDifference(z, w.size.z)};
    return forceOfFluxes(t, here, data, lambda, [&](int axis, int side) {
        return Flux(deformationAt(w, clampedIndex(x + (axis == 0 ? side : 0), w.size.x),
                                  clampedIndex(y + (axis == 1 ? side : 0), w.size.y),
                                  clampedIndex(z + (axis == 2 ? side : 0), w.size.z)));
    });
}

/// The moving frame at a position: its trilinear value and the derivative, 0 beyond the grid, and
/// what interpolation takes of its noise.
struct MovingSample {
    float value, gradient[3];
    NoiseLoss loss;
};

/// The derivative is that of the cell that the position lies in, from above on its lower planes.
constexpr MovingSample movingSample(VolumeView<const float> moving, Position p) {
    const TrilinearSample s(moving.size, p);
    const std::size_t beyond = s.offset + s.alongZ,
                      rows[4] = {s.offset, s.offset + s.alongY, beyond, beyond + s.alongY};
    float slope[4]{}, along[4]{};
    for (int i = 0; i < 4; ++i) {
        const float first = moving.data[rows[i]];
        slope[i] = moving.data[rows[i] + s.alongX] - first;
        along[i] = fused(s.partX, slope[i], first);
    }
    const float near = fusedMix(along[0], along[1], s.partY),
                far = fusedMix(along[2], along[3], s.partY);
    return {fusedMix(near, far, s.partZ),
            {withinGrid(p.x, moving.size.x)
                 ? fusedMix(fusedMix(slope[0], slope[1], s.partY),
                            fusedMix(slope[2], slope[3], s.partY), s.partZ)
                 : 0.0f,
             withinGrid(p.y, moving.size.y)
                 ? fusedMix(along[1] - along[0], along[3] - along[2], s.partZ)
                 : 0.0f,
             withinGrid(p.z, moving.size.z) ? far - near : 0.0f},
            NoiseLoss(s)};
}

/// A sample whose derivative across a plane of voxels, where the value has a kink, is the mean of
/// both sides', so that a mirrored image gets the mirrored derivative. All positions lie on such
/// planes without motion.
constexpr MovingSample movingSampleBothSides(VolumeView<const float> moving, Position p) {
    const FusedGradient g(moving.data, moving.size, p);
    const TrilinearSample s(moving.size, p);
    return {fusedSample(s, moving.data), {g.x, g.y, g.z}, NoiseLoss(s)};
}

/// The data term at a voxel: ½ (T∘h − R)² and half of what interpolation takes of the noise, whose
/// variance in T is `noise`; and its force, −(T∘h − R) ∇T∘h less the derivative of that.
struct DataTerm {
    float energy;
    Vector force;
};
constexpr DataTerm dataTerm(const MovingSample& moving, float fixed, float noise) {
    const float difference = moving.value - fixed, half = 0.5f * noise;
    DataTerm term{fused(half, moving.loss.share, 0.5f * difference * difference), {}};
    for (int i = 0; i < 3; ++i)
        term.force.v[i] = fused(-difference, moving.gradient[i], -(half * moving.loss.slope[i]));
    return term;
}

/// A voxel's contribution to the energy, rounded to a multiple of the unit.
constexpr double energyOf(float data, float lambda, float distance, double unit) {
    return onSumGrid(static_cast<double>(fused(lambda, distance, data)), unit);
}
/// Sums of up to 2²⁰ a voxel in the mean are exact.
constexpr double energyUnit(std::size_t voxels) {
    return 0x1p-33 * static_cast<double>(std::bit_ceil(voxels));
}

/// The energy of a displacement and the voxels where |M| is below minDeterminant.
struct Check {
    double energy = 0; ///< mean per voxel, in squared gray values
    double folded = 0;
};

/// How a force becomes the velocity before smoothing.
struct ForceRule {
    float lambda;    ///< weight of the regularizer
    float scale[3];  ///< PyramidLevel::scale(): lengths are those of space
    bool pulledBack; ///< Mᵀ f: the transport M v then lowers the energy; otherwise f as printed
    bool bothSides = false; ///< movingSampleBothSides(): where a level starts
    float noise = 0;        ///< variance in the moving frame; on a device LevelState::noise
};

constexpr Vector bodyForce(const Deformation& m, const Vector& f, const ForceRule& rule) {
    Vector out{{0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        const float value =
            rule.pulledBack ? fused(m.m[0][i], f.v[0], fused(m.m[1][i], f.v[1], m.m[2][i] * f.v[2]))
                            : f.v[i];
        out.v[i] = rule.scale[i] * rule.scale[i] * value;
    }
    return out;
}

} // namespace systole::unbiased
