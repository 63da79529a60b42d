// White noise of an image that trilinear interpolation removes. A value between voxels is a mean:
// its noise has the variance Π (1 − 2f (1 − f)) of that of a voxel, f the parts along the axes, ⅛
// in a cell's middle. So two noisy images look more alike with positions between voxels than on
// them, and a motion that only makes them alike is pulled there. A method that knows the noise's
// variance adds what was lost to what it compares (the pull: Rohde, Aldroubi, Healy, IEEE
// Transactions on Image Processing 18(2), 2009). Same bits in plain loops, in SIMD
// (rows::Trilinear::noiseLoss()) and on a device.
#pragma once

#include "compute/ops/fused_math.h"

namespace systole {

/// How much of whiteNoise() a method makes good: part of what a frame shows from voxel to voxel is
/// tissue, whose loss is no advantage.
inline constexpr float madeGood = 0.5f;

/// The share of the variance that is lost, and its derivatives by the position, voxels. On a plane
/// of voxels, where the share has a kink, the derivative across it is the mean of both sides', 0.
struct NoiseLoss {
    float share, slope[3];

    constexpr explicit NoiseLoss(const TrilinearSample& s) : share(0), slope{} {
        const float parts[3] = {s.partX, s.partY, s.partZ};
        float kept[3]{}, steep[3]{};
        for (int i = 0; i < 3; ++i) {
            const float f = parts[i];
            kept[i] = fused(2 * f, f - 1, 1);
            steep[i] = f > 0 && f < 1 ? fused(-4, f, 2) : 0.0f;
        }
        const float across = kept[1] * kept[2];
        share = fused(-kept[0], across, 1);
        slope[0] = steep[0] * across;
        slope[1] = steep[1] * (kept[0] * kept[2]);
        slope[2] = steep[2] * (kept[0] * kept[1]);
    }
};

} // namespace systole
