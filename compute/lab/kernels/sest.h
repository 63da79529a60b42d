// The tracking of landmarks as in its paper, in which every candidate of every landmark is made on
// its own, beside the search of the product (compute/landmarks/descriptor_search.h).
#pragma once

#include "compute/landmarks/descriptor_search.h"

namespace systole::lab {

/// The paper's kernel, by where it reads the landmark's descriptor and by its cap on registers, and
/// one with work shared (compute/landmarks/descriptor_search.h). Fewer registers than a kernel
/// needs spill into local memory. The caps come from demanding room for two blocks of the maximum
/// number of threads on a multiprocessor; one limited to 1024 threads (Turing) has none.
inline constexpr KernelVariant sestVariants[] = {
    {"shared", "Tracking: one thread per candidate, the landmark's descriptor in shared memory.",
     128},
    {"global", "As shared, the descriptor read from global memory.", 128},
    {"shared-cap48", "As shared in 48 registers: some spills.", 128, {32, 640}},
    {"shared-cap40", "As shared in 40 registers: sums spill.", 128, {32, 768}},
    {"shared-cap32", "As shared in 32 registers: most sums spill.", 128},
    sest::columnSums,
};
inline constexpr KernelFamily sestFamily{"sest", sestVariants};

// sest::describe() and sest::findDistances() with all arrays on the device, landmarks too, on its
// compute stream; they wait where ctx has a profile. Landmarks aren't checked: one outside the
// frame is described as the voxel at its border. They are defined in builds with CUDA
// (cudaIsBuilt). A variant is one of sestFamily.
void describeOnDevice(const sest::FeatureView& frame, const Voxel* landmarks, int count,
                      float* descriptors, const ExecContext& ctx);
void findDistancesOnDevice(int variant, const sest::FeatureView& target, const Voxel* centers,
                           int count, const float* descriptors, float* distances,
                           const ExecContext& ctx);

} // namespace systole::lab
