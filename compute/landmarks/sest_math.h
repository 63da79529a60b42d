// The formulas of SEST, shared by the CPU implementation and the CUDA kernels.
#pragma once

#include "compute/core/unroll.h"
#include "compute/landmarks/sest.h"

#include <cstddef>

namespace systole::sest {

/// Diagonals grow by a fraction, enough against the rounding of 150 summands, and by a constant for
/// patches without any contrast.
inline constexpr float ridgePart = 0x1p-12f, minDiagonal = 0x1p-20f;

/// Index of row i, column j ≤ i in a lower triangle.
constexpr int inTriangle(int i, int j) { return i * (i + 1) / 2 + j; }

/// The feature vector V of voxel p.
constexpr void featuresAt(VolumeView<const float> frame, Voxel p, float (&v)[features]) {
    const auto at = [&](int dx, int dy, int dz) {
        return frame(clampedIndex(p.x + dx, frame.size.x), clampedIndex(p.y + dy, frame.size.y),
                     clampedIndex(p.z + dz, frame.size.z));
    };
    const float center = at(0, 0, 0);
    v[0] = center;
    v[1] = at(1, 0, 0) - 2 * center + at(-1, 0, 0);
    v[2] = at(0, 1, 0) - 2 * center + at(0, -1, 0);
    v[3] = at(0, 0, 1) - 2 * center + at(0, 0, -1);
    v[4] = 0.25f * (at(1, 1, 0) - at(1, -1, 0) - at(-1, 1, 0) + at(-1, -1, 0));
    v[5] = 0.25f * (at(1, 0, 1) - at(1, 0, -1) - at(-1, 0, 1) + at(-1, 0, -1));
    v[6] = 0.25f * (at(0, 1, 1) - at(0, 1, -1) - at(0, -1, 1) + at(0, -1, -1));
}

/// Range of offsets in half an axis of the patch.
struct Half {
    int first, last;
};
constexpr Half halfOf(int radius, bool upper) {
    return upper ? Half{0, radius} : Half{-radius, -1};
}

/// tensor = lower triangle of Σ V Vᵀ over an octant of the patch around p; read(f, i) is feature f
/// of voxel i.
template <typename Read>
constexpr void octantTensor(Size3 size, Voxel p, int octant, const Read& read,
                            float (&tensor)[triangle]) {
    const Half hx = halfOf(patchRadius.x, octant & 1), hy = halfOf(patchRadius.y, octant & 2),
               hz = halfOf(patchRadius.z, octant & 4);
    SYSTOLE_UNROLL
    for (int i = 0; i < features; ++i) {
        SYSTOLE_UNROLL
        for (int j = 0; j <= i; ++j)
            tensor[inTriangle(i, j)] = 0;
    }
    for (int z = p.z + hz.first; z <= p.z + hz.last; ++z)
        for (int y = p.y + hy.first; y <= p.y + hy.last; ++y) {
            const int row = size.x * (clampedIndex(y, size.y) + size.y * clampedIndex(z, size.z));
            SYSTOLE_NO_UNROLL
            for (int x = p.x + hx.first; x <= p.x + hx.last; ++x) {
                const auto voxel = static_cast<unsigned>(row + clampedIndex(x, size.x));
                float v[features]{};
                SYSTOLE_UNROLL
                for (int f = 0; f < features; ++f)
                    v[f] = read(f, voxel);
                SYSTOLE_UNROLL
                for (int i = 0; i < features; ++i) {
                    SYSTOLE_UNROLL
                    for (int j = 0; j <= i; ++j)
                        tensor[inTriangle(i, j)] += v[i] * v[j];
                }
            }
        }
}

/// Replaces tensor by U, where tensor + ridge = U Uᵀ. `inverseRoot` gives 1/√.
template <typename InverseRoot>
constexpr void decompose(const InverseRoot& inverseRoot, float (&tensor)[triangle]) {
    float inverse[features]{};
    SYSTOLE_UNROLL
    for (int i = 0; i < features; ++i) {
        SYSTOLE_UNROLL
        for (int j = 0; j <= i; ++j) {
            float sum = tensor[inTriangle(i, j)];
            if (i == j)
                sum += sum * ridgePart + minDiagonal;
            SYSTOLE_UNROLL
            for (int k = 0; k < j; ++k)
                sum -= tensor[inTriangle(i, k)] * tensor[inTriangle(j, k)];
            if (i == j) {
                const float square = sum > minDiagonal ? sum : minDiagonal;
                inverse[i] = inverseRoot(square);
                tensor[inTriangle(i, i)] = square * inverse[i];
            } else {
                tensor[inTriangle(i, j)] = sum * inverse[j];
            }
        }
    }
}

/// Squared distance of the descriptor at p from the numbers reference(n).
template <typename Read, typename Reference, typename InverseRoot>
constexpr float squaredDistance(Size3 size, Voxel p, const Read& read, const Reference& reference,
                                const InverseRoot& inverseRoot) {
    float distance = 0;
    SYSTOLE_NO_UNROLL
    for (int octant = 0; octant < octants; ++octant) {
        float tensor[triangle]{};
        octantTensor(size, p, octant, read, tensor);
        decompose(inverseRoot, tensor);
        SYSTOLE_UNROLL
        for (int k = 0; k < triangle; ++k) {
            const float difference = tensor[k] - reference(octant * triangle + k);
            distance += difference * difference;
        }
    }
    return distance;
}

} // namespace systole::sest
