// The family of band_work.h on the device.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/lab/kernels/band_work.h"

#include <cstddef>

namespace systole::lab {

/// Memory that a list is made in.
struct BandRoom {
    int* list = nullptr;  ///< one per voxel
    int* count = nullptr; ///< entries of the list
    std::byte* scan = nullptr;
    std::size_t scanBytes = 0; ///< bandScanBytes()
};
std::size_t bandScanBytes(Size3 size);

/// Makes the list of |phi| ≤ delta and its length, in the order of the voxels.
void listBand(VolumeView<const float> phi, float delta, const BandRoom& room, LaunchLog& log);

/// patchRests() in the voxels of the band; `rest` must be 0 elsewhere. The variants but `volume`
/// read `elements` entries of room.list, which `list-built` makes anew.
void patchRests(int variant, VolumeView<const float> phi, float delta, const BandRoom& room,
                int elements, float* rest, LaunchLog& log);

} // namespace systole::lab
