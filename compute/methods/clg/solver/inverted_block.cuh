// A voxel's 3×3 block inverted in advance, for relaxation that passes over the system many times.
#pragma once

#include "compute/methods/clg/solver/system_cuda.cuh"

namespace systole::clg {

/// Sum of the weights of the neighbors that exist.
__device__ inline float weightOfNeighbors(const float* smoothness, Size3 size, Voxel p) {
    float sum = 0;
    for (int axis = 0; axis < 3; ++axis)
        sum += smoothness[axis] *
               static_cast<float>(exists(size, p, axis, -1) + exists(size, p, axis, 1));
    return sum;
}

/// Six entries of the block's inverse (11 12 13 22 23 33) and the contribution of b alone; with
/// beta (DivergenceStencil::Energy) of the whole block, as relaxedBlock solves it.
template <typename View>
__device__ inline void invertBlock(const View& view, Voxel p, const float (&b)[3],
                                   float (&out)[9]) {
    const Size3 size = view.size();
    const std::size_t i = offset(size, p);
    const float smoothness = weightOfNeighbors(view.state->smoothness, size, p);
    float n[3] = {smoothness, smoothness, smoothness};
    float j[6];
    for (std::size_t k = 0; k < 6; ++k)
        j[k] = coefficientAt(view, k, i);
    if constexpr (View::divergence) {
        const float here = incompressibilityAt(view, p);
        for (int k = 0; k < 3; ++k) {
            const float scale = view.scale[static_cast<std::size_t>(k)];
            for (int by = -1; by <= 1; by += 2)
                if (exists(size, p, k, by))
                    n[k] += view.beta * scale * scale * 0.5f *
                            (here + incompressibilityAt(view, p.moved(k, by)));
            for (int l = k + 1; l < 3; ++l)
                j[tensorIndex(k, l)] += ownCoupling(view, p, k, l);
        }
    }
    const std::array<float, 3> c0 = solveSymmetric<float>(j, n, {1, 0, 0});
    const std::array<float, 3> c1 = solveSymmetric<float>(j, n, {0, 1, 0});
    const std::array<float, 3> c2 = solveSymmetric<float>(j, n, {0, 0, 1});
    out[0] = c0[0];
    out[1] = c0[1];
    out[2] = c0[2];
    out[3] = c1[1];
    out[4] = c1[2];
    out[5] = c2[2];
    for (std::size_t k = 0; k < 3; ++k)
        out[6 + k] = c0[k] * b[0] + c1[k] * b[1] + c2[k] * b[2];
}

/// invertBlock() with the b of the view.
template <typename View>
__device__ inline void invertBlock(const View& view, Voxel p, float (&out)[9]) {
    const std::size_t i = offset(view.size(), p);
    const float b[3] = {coefficientAt(view, 6, i), coefficientAt(view, 7, i),
                        coefficientAt(view, 8, i)};
    invertBlock(view, p, b, out);
}

/// invertBlock() of a system withoutB that starts from t; `kept`: see keptB().
template <typename View>
__device__ inline void invertBlockWithoutB(const View& view, Voxel p, const float (&t)[3],
                                           const Planes<float>& kept, float (&out)[9]) {
    const std::size_t i = offset(view.size(), p);
    float j[9], b[3];
    for (std::size_t k = 0; k < 9; ++k)
        j[k] = coefficientAt(view, k, i);
    for (int k = 0; k < 3; ++k)
        b[k] = j[tensorIndex(k, 0)] * t[0] + j[tensorIndex(k, 1)] * t[1] +
               j[tensorIndex(k, 2)] * t[2] - j[6 + k];
    invertBlock(view, p, b, out);
    for (int k = 0; kept.plane[0] && k < 3; ++k)
        kept.plane[k][i] = b[k];
}

} // namespace systole::clg
