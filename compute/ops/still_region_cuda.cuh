// Still surroundings on the device: the counterpart of still_region.h. All pointers are to device
// memory.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/smooth_cuda.cuh"
#include "compute/ops/still_region_math.h"

#include <cstdint>

namespace systole::gpu {

/// Results of the frames for a still region; zero before findStillRegion().
struct StillState {
    unsigned lowest[2]; ///< lowest value of the fixed and the moving frame, encoded
    int found;          ///< 1: the voxels that count are marked; 0: all count
};

/// findStillRegion() on the device: state->found becomes 1 if there is one.
struct StillStep {
    VolumeView<const float> fixed, moving;
    VolumeView<std::uint8_t> kinds;
    StillState* state;
};
void findStillRegion(const StillStep& step, const GridSum& room, LaunchLog& log);
/// Blocks of which the room of findStillRegion() holds sums.
std::size_t stillRegionBlocks(Size3 size);

/// The voxels of a pyramid's levels that count.
struct StillMarks {
    static constexpr int maxLevels = 10;
    struct Level {
        VolumeView<std::uint8_t> counts;
        int factor[3]; ///< decimation from the finest level
    };
    int levels = 0;
    Level level[maxLevels];
};

/// markStillRegion() of all levels and extendIntoStillRegion(), if state->found.
struct StillExtension {
    VolumeStack frames; ///< fixed and moving frame of the finest level
    VolumeView<const std::uint8_t> kinds;
    StillMarks marks;
    float* scratch; ///< eight floats per voxel
    const StillState* state;
};
void extendIntoStillRegion(const StillExtension& extension, LaunchLog& log);

/// As on the host, whatever has been found.
void markBesideStillRegion(VolumeView<const std::uint8_t> kinds, VolumeView<std::uint8_t> counts,
                           LaunchLog& log);
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
