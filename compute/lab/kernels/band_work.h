// Equal work in every voxel of a narrow band, in a volume that is mostly empty: shows the time that
// a list of the band saves. The work is the first step of the search of non-local means: how much
// of a voxel's patch no linear function explains.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"
#include "compute/surface/nonlocal_means_math.h"

namespace systole::lab {

/// Which threads are launched for the band's voxels.
inline constexpr KernelVariant bandVariants[] = {
    {"volume", "A thread per voxel; those outside the band end at once."},
    {"list", "A thread per element of the band's list, which is there already."},
    {"list-built", "As list, which is made first: counts, prefix sums, offsets."},
};
inline constexpr KernelFamily bandFamily{"band", bandVariants};

/// `rest` becomes, where |phi| ≤ delta, the length of what the mean and slopes of the patch of
/// radius 2 around a voxel leave of it, in the unit of phi; 0 elsewhere. All on the host, of one
/// size.
void patchRests(VolumeView<const float> phi, float delta, VolumeView<float> rest,
                const ExecContext& ctx);

inline constexpr int restRadius = 2;

/// The last of the patch's features.
constexpr float restOfPatch(VolumeView<const float> phi, Voxel p) {
    float f[nlm::features] = {};
    nlm::featuresOf(
        restRadius, [&](int n) { return phi.data[nlm::patchOffset(phi.size, p, restRadius, n)]; },
        f);
    return f[nlm::features - 1];
}

} // namespace systole::lab
