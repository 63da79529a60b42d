// Still surroundings on the device: the counterpart of still_region.h. All pointers are to device
// memory.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/still_region_math.h"

#include <array>
#include <cstdint>

namespace systole::gpu {

/// What the frames have shown about a still region; zero before findStillRegion().
struct StillState {
    unsigned lowest[2]; ///< lowest value of the fixed and the moving frame, encoded
    int found;          ///< 1: the voxels that count are marked; 0: all count
};

/// findStillRegion() on the device: `counts` is written if state->found becomes 1.
struct StillStep {
    VolumeView<const float> fixed, moving;
    VolumeView<std::uint8_t> kinds, counts; ///< kinds: scratch
    StillState* state;
};
void findStillRegion(const StillStep& step, const GridSum& room, LaunchLog& log);
/// The same for decimated frames, if a region has been found.
void decimateStillRegion(VolumeView<const std::uint8_t> finer, std::array<int, 3> factor,
                         VolumeView<std::uint8_t> counts, const StillState* state, LaunchLog& log);
/// Blocks of which the room of findStillRegion() holds sums.
std::size_t stillRegionBlocks(Size3 size);
/// As on the host; `given` may be null.
void countedMask(VolumeView<const std::uint8_t> counts, const float* given, float* mask,
                 LaunchLog& log);

/// The voxels of a level that count, if state->found; state null: all count.
struct StillRegion {
    const std::uint8_t* counts = nullptr;
    const StillState* state = nullptr;

#ifdef __CUDACC__
    __device__ const std::uint8_t* found() const {
        return state && state->found ? counts : nullptr;
    }
#endif
};

} // namespace systole::gpu
