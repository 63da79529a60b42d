// The force of the unbiased method at a voxel, shared by all implementations. The displacement w
// leads from fixed to moving, so that h(x) = x + w(x) and M = I + Dw; the paper's u is −w.
//
// Differences of w are central inside, one-sided at the border, and zero along an axis of one
// voxel. The moving frame T is trilinear between voxels and goes on as its border beyond the grid.
// The force is the exact negative gradient of the sum over voxels that these two give, borders
// included: transposed differences for the regularizer, the interpolant's own derivative for the
// data term.
#pragma once

#include "compute/core/volume.h"
#include "compute/ops/sample_gradient.h"

namespace systole::unbiased {

/// A deformation is accepted if |M| is at least this in every voxel.
inline constexpr float leastDeterminant = 0.01f;

/// The factor on (value ahead − value behind) at a position on an axis of n voxels.
constexpr float differenceFactor(int position, int n) {
    return n < 2 ? 0.0f : position == 0 || position == n - 1 ? 1.0f : 0.5f;
}

/// The transposed difference, negative: ahead · P[p+1] + here · P[p] + behind · P[p−1].
struct TransposedDifference {
    float ahead, here, behind;
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
        return m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
    constexpr float determinant() const {
        return m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) + m[0][2] * cofactor(0, 2);
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
/// Where no force is taken from a deformation that isn't accepted, its determinant is bounded.
constexpr float boundedDeterminant(float determinant) {
    return determinant > leastDeterminant ? determinant : leastDeterminant;
}

struct Vector {
    float v[3];
};

/// Σ_j ∂_j (cof(M)_ij L'), the negative gradient of the regularizer by w_i at a voxel, recomputed
/// from the displacement around it. `log` is the natural logarithm.
template <typename Log>
constexpr Vector regularizerForce(const FieldView<const float>& w, int x, int y, int z,
                                  const Log& log) {
    Vector sum{{0, 0, 0}};
    const int position[3] = {x, y, z};
    for (int j = 0; j < 3; ++j) {
        const TransposedDifference t = transposedDifference(position[j], w.size[j]);
        for (int side = -1; side <= 1; ++side) {
            const float weight = side < 0 ? t.behind : side > 0 ? t.ahead : t.here;
            if (weight == 0)
                continue;
            const Deformation m = deformationAt(w, x + (j == 0 ? side : 0), y + (j == 1 ? side : 0),
                                                z + (j == 2 ? side : 0));
            const float determinant = boundedDeterminant(m.determinant());
            const float slope = weight * slopeOf(determinant, log(determinant));
            for (int i = 0; i < 3; ++i)
                sum.v[i] += slope * m.cofactor(i, j);
        }
    }
    return sum;
}

/// Where the deformation leads from a voxel.
constexpr MovingPosition deformed(const FieldView<const float>& w, int x, int y, int z) {
    const std::size_t i = w.componentView(0).offset(x, y, z);
    return {static_cast<float>(x) + w.u[i], static_cast<float>(y) + w.v[i],
            static_cast<float>(z) + w.w[i]};
}

/// The data term at a voxel: ½ (T∘h − R)², and its force −(T∘h − R) ∇T∘h.
struct DataTerm {
    float energy;
    Vector force;
};
constexpr DataTerm dataTerm(VolumeView<const float> fixed, VolumeView<const float> moving,
                            const FieldView<const float>& w, int x, int y, int z) {
    const MovingPosition p = deformed(w, x, y, z);
    const float difference = TrilinearSample(moving.size, p.x, p.y, p.z).of(moving.data) -
                             fixed.data[fixed.offset(x, y, z)];
    const TrilinearGradient gradient(moving.data, moving.size, p);
    return {0.5f * difference * difference,
            {{-difference * gradient.x, -difference * gradient.y, -difference * gradient.z}}};
}

/// The energy of a displacement and the voxels where |M| is below leastDeterminant.
struct Check {
    double energy = 0; ///< mean per voxel, in squared gray values
    double folded = 0;
};

/// How a force becomes the velocity before smoothing.
struct ForceRule {
    float lambda;    ///< weight of the regularizer
    float scale[3];  ///< PyramidLevel::scale(): lengths are those of space
    bool pulledBack; ///< Mᵀ f: the transport M v then lowers the energy; otherwise f as printed
};

constexpr Vector bodyForce(const Deformation& m, const Vector& f, const ForceRule& rule) {
    Vector out{{0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        const float value =
            rule.pulledBack ? m.m[0][i] * f.v[0] + m.m[1][i] * f.v[1] + m.m[2][i] * f.v[2] : f.v[i];
        out.v[i] = rule.scale[i] * rule.scale[i] * value;
    }
    return out;
}

} // namespace systole::unbiased
