// Contribution of one voxel of the wall to the sums of wall_sums.h: the formula of all
// implementations but frame_sums.cpp, which computes it in vectors of frames; strain_test checks
// that both agree.
#pragma once

#include "compute/cardiac/definitions.h"

#include <cmath>

namespace systole::cardiac {

/// Sums over a segment's voxels.
enum WallSum {
    SumVolume,          ///< J since the labels; all others since end diastole
    SumJacobian,        ///< J
    SumSquare,          ///< J²
    SumBeyond5,         ///< voxels with |J − 1| > 0.05
    SumFolded,          ///< voxels with J ≤ 0
    SumPositive,        ///< voxels with J > 0, and of them
    SumLogarithm,       ///< log J
    SumLogarithmSquare, ///< (log J)²
    SumProduct,         ///< (1 + ε_l)(1 + ε_c)(1 + ε_r)
    SumLongitudinal,    ///< strain by the tensor
    SumCircumferential, ///< strain by the tensor
    SumRadial,          ///< strain by the tensor
    SumSine,            ///< sine of the voxel's rotation
    SumCosine,          ///< cosine of the voxel's rotation
    wallSums
};

/// A voxel since the labels.
struct VoxelState {
    double jacobian;
    double stretch[3]; ///< squared, by direction
    double place[3];   ///< place relative to the middle of its level then, LPS mm
};

/// Where a histogram of J begins, and how wide its bins are; the first and the last one hold what
/// lies beyond.
inline constexpr double jacobianFrom = 0.5, jacobianStep = 0.025;
inline constexpr int jacobianBins = 40;

constexpr int jacobianBin(double jacobian) {
    const double bin = std::floor((jacobian - jacobianFrom) / jacobianStep);
    return bin > 0 ? bin < jacobianBins - 1 ? static_cast<int>(bin) : jacobianBins - 1 : 0;
}

/// J since end diastole.
constexpr double jacobianSince(const VoxelState& diastole, const VoxelState& now) {
    return now.jacobian / diastole.jacobian;
}

/// The cosine and sine of the turn from p to q about a unit vector; adds nothing for points on it.
constexpr void addTurn(const double (&p)[3], const double (&q)[3], const double (&about)[3],
                       double* sums) {
    double along[2]{};
    for (int i = 0; i < 3; ++i) {
        along[0] += p[i] * about[i];
        along[1] += q[i] * about[i];
    }
    double a[3]{}, b[3]{}, cosine = 0;
    for (int i = 0; i < 3; ++i) {
        a[i] = p[i] - along[0] * about[i];
        b[i] = q[i] - along[1] * about[i];
        cosine += a[i] * b[i];
    }
    const double sine = (a[1] * b[2] - a[2] * b[1]) * about[0] +
                        (a[2] * b[0] - a[0] * b[2]) * about[1] +
                        (a[0] * b[1] - a[1] * b[0]) * about[2];
    const double size = std::sqrt(sine * sine + cosine * cosine);
    if (size > 0) {
        sums[SumSine] += sine / size;
        sums[SumCosine] += cosine / size;
    }
}

/// `about`: from base to apex.
constexpr void addVoxel(const VoxelState& diastole, const VoxelState& now, const double (&about)[3],
                        Tensor tensor, double* sums) {
    const double j = jacobianSince(diastole, now);
    sums[SumVolume] += now.jacobian;
    sums[SumJacobian] += j;
    sums[SumSquare] += j * j;
    sums[SumBeyond5] += j > 1.05 || j < 0.95 ? 1 : 0;
    sums[j > 0 ? SumPositive : SumFolded] += 1;
    if (j > 0) {
        const double logarithm = std::log(j);
        sums[SumLogarithm] += logarithm;
        sums[SumLogarithmSquare] += logarithm * logarithm;
    }
    double product = 1;
    for (int k = 0; k < 3; ++k) {
        const double squared = now.stretch[k] / diastole.stretch[k];
        product *= squared;
        sums[SumLongitudinal + k] +=
            tensor == Tensor::Engineering ? std::sqrt(squared) - 1 : (squared - 1) / 2;
    }
    sums[SumProduct] += std::sqrt(product);
    addTurn(diastole.place, now.place, about, sums);
}

} // namespace systole::cardiac
